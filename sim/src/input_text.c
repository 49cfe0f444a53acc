// Fields: focus, caret, typing. A field's text is the page's scratch, or the app's own when it declares `input`.
#include "input.h"

#include "tree/alloc.h"

#include <string.h>

enum { FIELD_TEXT_MAX = 64 * 1024 };

// Change the scratch of the page in front: `name` becomes *item_p (NULL: removed).
static wd_status put_scratch(wd_input *input, const char *name, wd_value **item_p)
{
    wd_value *state = NULL;
    wd_status status = wd_device_state(input->device, &state);
    if (status != WD_OK) {
        return status;
    }
    wd_call call = { 0 };
    (void)wd_page_find(input->host->packs, input->device, wd_object_get(state, "os"), &call);
    wd_value *scratch = call.scratch != NULL ? wd_value_ref(call.scratch) : wd_value_object();
    if (*item_p != NULL) {
        status = wd_object_set(&scratch, name, item_p);
    } else if (wd_object_get(scratch, name) != NULL) {
        status = wd_object_remove(&scratch, name);
    }
    status = status != WD_OK ? status : wd_page_put_scratch(input->device, &call.page, &scratch);
    wd_value_unref(&scratch);
    wd_value_unref(item_p);
    wd_value_unref(&state);
    return status;
}

static const wd_value *get_scratch(wd_input *input, const char *name, wd_value **state_p)
{
    if (*state_p == NULL && wd_device_state(input->device, state_p) != WD_OK) {
        return NULL;
    }
    wd_call call = { 0 };
    (void)wd_page_find(input->host->packs, input->device, wd_object_get(*state_p, "os"), &call);
    return wd_object_get(call.scratch, name);
}

static wd_status put_caret(wd_input *input, size_t caret)
{
    wd_value *number = NULL;
    wd_status status = wd_value_int((int64_t)caret, &number);
    return status != WD_OK ? status : put_scratch(input, "caret", &number);
}

static wd_status show_keyboard(wd_input *input, bool show)
{
    return wd_device_call(input->device, show ? "keyboard.show" : "kbHide", NULL, NULL, &input->error);
}

wd_status wd_input_focus(wd_input *input, const wd_ui_element *field)
{
    if (field->id == NULL || field->off) {
        return WD_OK;
    }
    input->touched = true;
    wd_value *id = NULL;
    wd_status status = wd_value_text(field->id, &id);
    status = status != WD_OK ? status : put_scratch(input, "focus", &id);
    // The caret stands after the text.
    status = status != WD_OK ? status : put_caret(input, field->value != NULL ? strlen(field->value) : 0);
    return status != WD_OK ? status : show_keyboard(input, true);
}

// text[0..caret) + insert + text[caret..), or one character less before the caret.
static wd_status edit(
    const char *text, size_t *caret_p, const char *insert, bool clear, char **ret_text, size_t *ret_length)
{
    const size_t length = clear ? 0 : strlen(text);
    size_t caret = *caret_p > length ? length : *caret_p;
    size_t keep = caret;
    const bool erase = strcmp(insert, "\b") == 0;
    if (erase) {
        insert = "";
        while (keep > 0) {
            keep--;
            if (((unsigned char)text[keep] & 0xC0) != 0x80) {
                break;
            }
        }
    }
    const size_t added = strlen(insert);
    const size_t whole = keep + added + (length - caret);
    if (whole > FIELD_TEXT_MAX) {
        return WD_ELIMIT;
    }
    char *edited = wd_alloc(whole + 1);
    if (edited == NULL) {
        return WD_ENOMEM;
    }
    memcpy(edited, text, keep);
    memcpy(edited + keep, insert, added);
    memcpy(edited + keep + added, text + caret, length - caret);
    edited[whole] = '\0';
    *caret_p = keep + added;
    *ret_text = edited;
    *ret_length = whole;
    return WD_OK;
}

static wd_status put_field(wd_input *input, const char *id, const char *text, size_t length)
{
    wd_value *state = NULL;
    const wd_value *now = get_scratch(input, "fields", &state);
    wd_value *fields = now != NULL ? wd_value_ref(now) : wd_value_object();
    wd_value *item = NULL;
    wd_status status = wd_value_string(text, length, &item);
    status = status != WD_OK ? status : wd_object_set(&fields, id, &item);
    wd_value_unref(&item);
    wd_value_unref(&state);
    if (status != WD_OK) {
        wd_value_unref(&fields);
        return status;
    }
    return put_scratch(input, "fields", &fields);
}

wd_status wd_input_insert(wd_input *input, const char *text, bool clear)
{
    const wd_ui_element *field = input->screen->focused;
    if (field == NULL) {
        return wd_error_set(&input->error, WD_ESTATE, "no field has the focus");
    }
    input->touched = true;
    wd_value *state = NULL;
    size_t caret = (size_t)wd_value_int_or(get_scratch(input, "caret", &state), 0);
    wd_value_unref(&state);
    char *edited = NULL;
    size_t length = 0;
    wd_status status = edit(field->value != NULL ? field->value : "", &caret, text, clear, &edited, &length);
    if (status != WD_OK) {
        return wd_error_set(&input->error, status, "the text becomes longer than %d bytes", FIELD_TEXT_MAX);
    }
    status = put_caret(input, caret);
    if (status == WD_OK) {
        status = field->input.kind != WD_TARGET_NONE ? wd_input_run(input, &field->input, edited)
                                                     : put_field(input, field->id, edited, length);
    }
    wd_free(edited, length + 1);
    return status;
}

wd_status wd_input_submit(wd_input *input)
{
    const wd_ui_element *field = input->screen->focused;
    if (field == NULL) {
        return WD_OK;
    }
    if (field->submit.kind != WD_TARGET_NONE) {
        return wd_input_run(input, &field->submit, field->value != NULL ? field->value : "");
    }
    if (field->multiline) {
        return wd_input_insert(input, "\n", false);
    }
    input->touched = true;
    return show_keyboard(input, false);
}

wd_status wd_input_settle(wd_input *input)
{
    // The keyboard follows the focus: a page without a focused field has none.
    wd_screen *screen = NULL;
    wd_status status = wd_host_screen(input->host, input->device, &screen, &input->error);
    if (status != WD_OK) {
        return status;
    }
    wd_value *state = NULL;
    status = wd_device_state(input->device, &state);
    const wd_value *keyboard = NULL;
    if (status == WD_OK) {
        keyboard = wd_object_get(wd_object_get(wd_object_get(state, "os"), "services"), "keyboard");
    }
    const bool visible = wd_value_bool_or(wd_object_get(keyboard, "visible"), false);
    wd_value_unref(&state);
    if (status == WD_OK && visible && screen->focused == NULL) {
        status = show_keyboard(input, false);
    }
    wd_screen_unref(&screen);
    return status;
}

wd_status wd_input_scroll(wd_input *input, int32_t by, bool *ret_moved)
{
    const wd_ui_element *body = input->screen->body;
    *ret_moved = false;
    if (body == NULL || !body->scroll || input->screen->first_modal_node > 0) {
        return WD_OK;
    }
    const int32_t most = body->content_height - (body->rect.bottom - body->rect.top);
    int32_t offset = body->scroll_offset + by;
    offset = offset < 0 ? 0 : offset > most ? most : offset;
    if (offset == body->scroll_offset) {
        return WD_OK;
    }
    *ret_moved = true;
    input->touched = true;
    wd_value *number = NULL;
    wd_status status = wd_value_int(offset, &number);
    return status != WD_OK ? status : put_scratch(input, "scroll", &number);
}
