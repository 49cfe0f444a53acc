#include "words.h"

#include "tree/status.h"

#include <string.h>

enum { LABEL_MAX = 40 };  // bytes; a longer label is a sentence

// Lower case where the script has one; one text per word, entries parted by '|'.
static const char *const words[WD_WORD_COUNT] = {
    [WD_WORD_BACK] =
        "back|navigate up|go back|navigate back|back button|back to previous page|"
        "go back to previous page|返回|返回上一页|上一页|返回按钮|戻る|前に戻る|뒤로|뒤로 가기|"
        "위로 이동|zurück|nach oben|retour|revenir en haut de la page|atrás|volver|"
        "desplazarse hacia arriba|navegar hacia arriba|voltar|navegar para cima|indietro|torna indietro|"
        "назад|перейти вверх|wstecz|geri|kembali|quay lại|trở về|กลับ|رجوع|חזרה|वापस|tillbaka|terug",
    [WD_WORD_CLOSE] =
        "close|dismiss|close sheet|close navigation menu|close drawer|close menu|close sidebar|"
        "关闭|關閉|閉じる|닫기|schließen|fermer|cerrar|fechar|chiudi|закрыть|zamknij|kapat|tutup|"
        "đóng|إغلاق|סגירה|sluiten|stäng",
    [WD_WORD_SEARCH] =
        "search|search here|search settings|search apps|find|搜索|搜尋|查找|検索|검색|suche|suchen|"
        "rechercher|buscar|pesquisar|cerca|поиск|найти|szukaj|ara|cari|tìm kiếm|ค้นหา|بحث|חיפוש|"
        "zoeken|sök",
    [WD_WORD_SUBMIT] =
        "send|submit|save|sign in|log in|login|sign up|register|continue|next|post|publish|apply|"
        "create account|confirm|done|发送|提交|保存|登录|登入|注册|下一步|继续|发布|完成|送信|"
        "保存する|ログイン|次へ|전송|보내기|저장|로그인|다음|senden|speichern|anmelden|weiter|"
        "envoyer|enregistrer|connexion|suivant|continuer|enviar|guardar|iniciar sesión|siguiente|"
        "continuar|salvar|entrar|próximo|invia|salva|accedi|avanti|отправить|сохранить|войти|далее|"
        "продолжить|gönder|kaydet|kirim|simpan|masuk|lanjut",
    [WD_WORD_CONFIRM] =
        "ok|okay|yes|allow|accept|agree|got it|confirm|while using the app|only this time|delete|"
        "remove|确定|确认|好|是|允许|同意|知道了|邀请|删除|確定|はい|許可|확인|예|허용|삭제|ja|"
        "zulassen|löschen|oui|autoriser|supprimer|sí|si|aceptar|permitir|eliminar|salir|sim|"
        "consenti|да|разрешить|удалить|tamam|evet|ya|izinkan|đồng ý|موافق|אישור",
    [WD_WORD_CANCEL] =
        "cancel|no|deny|don't allow|don’t allow|not now|no thanks|later|skip|decline|取消|否|拒绝|"
        "不允许|暂不|稍后|以后再说|キャンセル|いいえ|許可しない|취소|아니요|거부|abbrechen|nein|"
        "ablehnen|annuler|non|refuser|cancelar|rechazar|não|annulla|rifiuta|отмена|нет|запретить|"
        "anuluj|iptal|hayır|batal|tidak|hủy|إلغاء|ביטול",
    [WD_WORD_MENU] =
        "menu|more options|more|open navigation drawer|open navigation menu|options|更多|更多选项|菜单|"
        "メニュー|その他のオプション|더보기|옵션 더보기|메뉴|weitere optionen|plus d'options|"
        "más opciones|mais opções|altre opzioni|ещё|меню",
};

/// ASCII letters in lower case; what stands at the end for the eye only is left out.
static size_t fold(wd_span label, char ret_text[LABEL_MAX])
{
    label = wd_span_trim_invisible(label);
    static const char *const ends[] = { "…", "...", ".", "!", ":", "›", ">" };
    for (size_t i = 0; i < WD_COUNT_OF(ends); i++) {
        size_t length = strlen(ends[i]);
        if (label.length > length && memcmp(label.at + label.length - length, ends[i], length) == 0) {
            label.length -= length;
        }
    }
    if (label.length > LABEL_MAX) {
        return 0;
    }
    for (size_t i = 0; i < label.length; i++) {
        char c = label.at[i];
        ret_text[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return label.length;
}

bool wd_word_is(wd_word word, const char *label)
{
    if (label == NULL || label[0] == '\0' || strnlen(label, LABEL_MAX + 16) > LABEL_MAX + 8) {
        return false;
    }
    char text[LABEL_MAX];
    size_t length = fold(wd_span_of(label), text);
    const char *entry = words[word];
    while (length > 0) {
        size_t size = strcspn(entry, "|");
        if (size == length && memcmp(entry, text, length) == 0) {
            return true;
        }
        if (entry[size] == '\0') {
            return false;
        }
        entry += size + 1;
    }
    return false;
}
