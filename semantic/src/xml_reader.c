#include "xml_reader.h"

#include "text_util.h"
#include "tree/alloc.h"
#include "xml_repair.h"

#include <expat.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_FIRST = 64 };

typedef struct xml_reader {
    wd_screen_draft *draft;
    XML_Parser parser;
    wd_xml_place *stack;  // one per open element
    size_t depth, capacity;
    int32_t display_id;  // of the <display> we are in
    wd_node_attributes cache;
    bool stray_text;   // text between elements
    bool closed;       // the root is closed; what follows is not ours
    size_t close_at;   // where its closing tag begins
    wd_status status;  // the first failure of ours; WD_OK: expat's, if any
} xml_reader;

// ---- memory: expat's counts like ours, and fails like ours in tests ---------------------------------------

typedef struct sized_block {
    _Alignas(16) size_t size;  // with this header
} sized_block;

static void *memory_realloc(void *place, size_t size)
{
    sized_block *block = place != NULL ? (sized_block *)place - 1 : NULL;
    if (size > PTRDIFF_MAX - sizeof *block) {
        return NULL;
    }
    sized_block *grown = wd_realloc(block, block != NULL ? block->size : 0, size + sizeof *block);
    if (grown == NULL) {
        return NULL;
    }
    grown->size = size + sizeof *block;
    return grown + 1;
}

static void *memory_alloc(size_t size)
{
    return memory_realloc(NULL, size);
}

static void memory_free(void *place)
{
    if (place != NULL) {
        sized_block *block = (sized_block *)place - 1;
        wd_free(block, block->size);
    }
}

// ---- attributes -------------------------------------------------------------------------------------------

const char *wd_xml_attribute(const char *const *attributes, const char *name)
{
    for (; attributes[0] != NULL; attributes += 2) {
        if (strcmp(attributes[0], name) == 0) {
            return attributes[1];
        }
    }
    return NULL;
}

int32_t wd_xml_number(const char *text, int32_t fallback)
{
    if (text == NULL) {
        return fallback;
    }
    char *end = NULL;
    long number = strtol(text, &end, 10);
    return end == text || *end != '\0' || number < INT32_MIN || number > INT32_MAX ? fallback
                                                                                   : (int32_t)number;
}

wd_tristate wd_xml_flag(const char *text)
{
    if (text == NULL) {
        return WD_UNKNOWN;
    }
    return strcmp(text, "true") == 0 ? WD_YES : strcmp(text, "false") == 0 ? WD_NO : WD_UNKNOWN;
}

/// A number and the character after it. Moves *text_p behind both.
static bool read_side(const char **text_p, char after, int32_t *ret_side)
{
    const char *text = *text_p;
    bool negative = *text == '-';
    text += negative;
    int64_t number = 0;
    const char *digits = text;
    for (; *text >= '0' && *text <= '9' && number <= INT32_MAX; text++) {
        number = number * 10 + (*text - '0');
    }
    if (text == digits || number > INT32_MAX || *text != after) {
        return false;
    }
    *ret_side = (int32_t)(negative ? -number : number);
    *text_p = text + 1;
    return true;
}

bool wd_xml_bounds(const char *text, wd_rect *ret_rect)
{
    wd_rect rect;
    if (text == NULL || *text++ != '[' || !read_side(&text, ',', &rect.left) ||
        !read_side(&text, ']', &rect.top) || *text++ != '[' || !read_side(&text, ',', &rect.right) ||
        !read_side(&text, ']', &rect.bottom) || *text != '\0') {
        return false;
    }
    *ret_rect = rect;
    return true;
}

// ---- events -----------------------------------------------------------------------------------------------

static void stop(xml_reader *reader, wd_status status)
{
    reader->status = status;
    XML_StopParser(reader->parser, XML_FALSE);
}

static bool push(xml_reader *reader, wd_xml_place place)
{
    if (reader->depth == reader->capacity) {
        size_t size = sizeof *reader->stack, capacity = reader->capacity * 2;
        void *grown = wd_realloc(reader->stack, reader->capacity * size, capacity * size);
        if (grown == NULL) {
            stop(reader, WD_ENOMEM);
            return false;
        }
        reader->stack = grown;
        reader->capacity = capacity;
    }
    reader->stack[reader->depth++] = place;
    return true;
}

/// Trees that a parser or server made out of its own failure.
static bool is_error_element(const char *name)
{
    return strcmp(name, "parsererror") == 0 || strcmp(name, "error") == 0;
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attribute_list)
{
    xml_reader *reader = user;
    if (reader->status != WD_OK) {
        return;  // expat finishes the element it stopped in
    }
    const char *const *attributes = (const char *const *)attribute_list;
    wd_xml_place place = reader->depth > 0 ? reader->stack[reader->depth - 1] : (wd_xml_place){ -1, -1 };
    wd_status status = WD_OK;
    if (is_error_element(name)) {
        status = wd_error_set(
            reader->draft->error, WD_ECORRUPT, "capture failed: the tree is an error message (<%s>)", name);
    } else if (strcmp(name, "hierarchy") == 0) {
        if (!wd_appium_root(reader->draft, attributes)) {
            wd_uiautomator_root(reader->draft, attributes);
        }
    } else if (strcmp(name, "displays") != 0 &&
               !wd_windows_element(reader->draft, name, attributes, &reader->display_id, &place, &status)) {
        status = wd_uiautomator_node(reader->draft, &reader->cache, name, attributes, &place);
    }
    if (status != WD_OK) {
        stop(reader, status);
        return;
    }
    (void)push(reader, place);
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    xml_reader *reader = user;
    (void)name;
    if (reader->status != WD_OK) {
        return;
    }
    reader->depth -= 1;
    if (reader->depth == 0) {
        reader->closed = true;
        reader->close_at =
            (size_t)XML_GetCurrentByteIndex(reader->parser);  // expat may look on before it stops
        XML_StopParser(reader->parser, XML_FALSE);
    }
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length)
{
    xml_reader *reader = user;
    reader->stray_text |= wd_span_trim_blanks((wd_span){ text, (size_t)length }).length > 0;
}

// ---- the document -----------------------------------------------------------------------------------------

/// Where the root begins. What stands before it is a prolog (fine), junk (cut), or a document type, which is
/// refused: no screen has one, and entities are all it is good for.
static wd_status find_root(wd_screen_draft *draft, wd_span text, size_t *ret_at)
{
    const char *best = NULL;
    static const char *const roots[] = { "<hierarchy", "<displays" };
    for (size_t i = 0; i < WD_COUNT_OF(roots); i++) {
        const char *found = memmem(text.at, text.length, roots[i], strlen(roots[i]));
        best = found != NULL && (best == NULL || found < best) ? found : best;
    }
    if (best == NULL) {
        return wd_error_set(draft->error, WD_ECORRUPT, "no <hierarchy> or <displays> element in the text");
    }
    wd_span prolog = { text.at, (size_t)(best - text.at) };
    if (memmem(prolog.at, prolog.length, "<!DOCTYPE", 9) != NULL) {
        return wd_error_set(draft->error, WD_ECORRUPT, "a document type declaration is not accepted");
    }
    *ret_at = prolog.length;
    return WD_OK;
}

/// `<?xml ... ?>` with quoted values, comments and blanks, after a byte order mark: what a parser would
/// accept.
static bool is_clean_prolog(wd_span prolog)
{
    if (wd_span_starts(prolog, "\xEF\xBB\xBF")) {
        prolog = (wd_span){ prolog.at + 3, prolog.length - 3 };
    }
    for (prolog = wd_span_trim_blanks(prolog); prolog.length > 0; prolog = wd_span_trim_blanks(prolog)) {
        const char *mark = wd_span_starts(prolog, "<?xml ") ? "?>"
                           : wd_span_starts(prolog, "<!--") ? "-->"
                                                            : NULL;
        const char *end = mark != NULL ? memmem(prolog.at, prolog.length, mark, strlen(mark)) : NULL;
        if (end == NULL) {
            return false;
        }
        const char *equals = memchr(prolog.at, '=', (size_t)(end - prolog.at));
        if (*mark == '?' && (equals == NULL || (equals[1] != '"' && equals[1] != '\''))) {
            return false;
        }
        size_t used = (size_t)(end - prolog.at) + strlen(mark);
        prolog = (wd_span){ prolog.at + used, prolog.length - used };
    }
    return true;
}

static wd_status note_repairs(wd_screen_draft *draft, const wd_xml_repair *repair)
{
    wd_status status = WD_OK;
    if (repair->characters > 0) {
        status = wd_draft_recovered(draft, "%zu illegal characters replaced by U+FFFD", repair->characters);
    }
    if (status == WD_OK && repair->pairs > 0) {
        status = wd_draft_recovered(draft, "%zu surrogate pairs joined", repair->pairs);
    }
    if (status == WD_OK && repair->ampersands > 0) {
        status = wd_draft_recovered(draft, "%zu bare ampersands taken literally", repair->ampersands);
    }
    return status;
}

/// What may follow a root without being junk.
static wd_span skip_comments(wd_span rest)
{
    rest = wd_span_trim_invisible(rest);
    while (wd_span_starts(rest, "<!--")) {
        const char *end = memmem(rest.at, rest.length, "-->", 3);
        if (end == NULL) {
            break;
        }
        size_t used = (size_t)(end - rest.at) + 3;
        rest = wd_span_trim_invisible((wd_span){ rest.at + used, rest.length - used });
    }
    return rest;
}

/// What the parser's end means: our own failure, a syntax error, or the root's closing tag.
static wd_status judge_end(xml_reader *reader, wd_span text)
{
    wd_screen_draft *draft = reader->draft;
    if (reader->status != WD_OK) {
        return reader->status;
    }
    enum XML_Error code = XML_GetErrorCode(reader->parser);
    if (!reader->closed) {
        if (code == XML_ERROR_NO_MEMORY) {
            return WD_ENOMEM;
        }
        return wd_error_set(draft->error, WD_ECORRUPT, "XML: %s at line %lu, column %lu",
            XML_ErrorString(code != XML_ERROR_NONE ? code : XML_ERROR_UNCLOSED_TOKEN),
            (unsigned long)XML_GetCurrentLineNumber(reader->parser),
            (unsigned long)XML_GetCurrentColumnNumber(reader->parser) + 1);
    }
    const char *close = memchr(text.at + reader->close_at, '>', text.length - reader->close_at);
    size_t used = close != NULL ? (size_t)(close - text.at) + 1 : text.length;
    wd_span rest = skip_comments((wd_span){ text.at + used, text.length - used });
    wd_status status = WD_OK;
    if (rest.length > 0) {
        status = wd_draft_recovered(draft, "%zu bytes after the root cut: %.*s", rest.length,
            rest.length < 80 ? (int)rest.length : 80, rest.at);
    }
    if (status == WD_OK && reader->stray_text) {
        status = wd_scene_builder_warning(draft->builder, "text between elements ignored");
    }
    if (status == WD_OK && reader->cache.without_bounds > 0) {
        status = wd_scene_builder_warning(
            draft->builder, "%zu elements without bounds left out", reader->cache.without_bounds);
    }
    return status;
}

static wd_status parse(xml_reader *reader, wd_span text)
{
    reader->stack = wd_alloc(STACK_FIRST * sizeof *reader->stack);
    reader->capacity = reader->stack != NULL ? STACK_FIRST : 0;
    static const XML_Memory_Handling_Suite memory = { memory_alloc, memory_realloc, memory_free };
    reader->parser = XML_ParserCreate_MM("UTF-8", &memory, NULL);
    if (reader->stack == NULL || reader->parser == NULL) {
        return WD_ENOMEM;
    }
    XML_SetUserData(reader->parser, reader);
    XML_SetElementHandler(reader->parser, on_start, on_end);
    XML_SetCharacterDataHandler(reader->parser, on_text);
    // All at once: in pieces, an attribute of megabytes would be looked at again with each piece.
    (void)XML_Parse(reader->parser, text.at, (int)text.length, XML_TRUE);
    return judge_end(reader, text);
}

wd_status wd_read_xml(wd_screen_draft *draft, const char *bytes, size_t length)
{
    size_t root = 0;
    wd_status status = find_root(draft, (wd_span){ bytes, length }, &root);
    if (status != WD_OK) {
        return status;
    }
    if (!is_clean_prolog((wd_span){ bytes, root })) {
        status = wd_draft_recovered(draft, "%zu bytes before the root cut", root);
    }
    wd_xml_repair repair = { .copy = NULL };
    if (status == WD_OK) {
        status = wd_xml_repair_make((wd_span){ bytes + root, length - root }, &repair);
    }
    if (status == WD_OK && repair.text.length > INT_MAX) {
        status = WD_ELIMIT;
    }
    if (status == WD_OK) {
        status = note_repairs(draft, &repair);
    }
    xml_reader reader = { .draft = draft };
    if (status == WD_OK) {
        status = parse(&reader, repair.text);
    }
    if (reader.parser != NULL) {
        XML_ParserFree(reader.parser);
    }
    wd_free(reader.stack, reader.capacity * sizeof *reader.stack);
    wd_xml_repair_done(&repair);
    return status;
}
