#include "ctl.h"

#include "runtime/file.h"
#include "semantic/dialect.h"

#include <stdlib.h>
#include <string.h>

typedef struct action_arguments {
    const wd_dialect *dialect;
    wd_dialect_options options;
    bool list;
} action_arguments;

static const struct argp_option options[] = {
    { "dialect", 'd', "NAME", 0, "How the model writes actions", 0 },
    { "space", 's', "NAME", 0, "px, norm1, norm1000 or model: overrides the dialect's own", 0 },
    { "display", 'D', "WxH", 0, "Pixels of the display: bounds of px", 0 },
    { "image", 'i', "WxH", 0, "Pixels of the picture the model saw: bounds of model", 0 },
    { "list", 'l', NULL, 0, "List the dialects", 0 },
    { 0 },
};

static void parse_size(struct argp_state *state, const char *text, int32_t *ret_width, int32_t *ret_height)
{
    int used = 0;
    if (sscanf(text, "%dx%d%n", ret_width, ret_height, &used) != 2 || text[used] != '\0' || *ret_width <= 0 ||
        *ret_height <= 0) {
        argp_error(state, "\"%s\" is no size such as 1080x2400", text);
    }
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    action_arguments *given = state->input;
    switch (key) {
    case 'd':
        if (wd_dialect_find(value, &given->dialect) != WD_OK) {
            argp_error(state, "unknown dialect \"%s\"; --list tells the known ones", value);
        }
        return 0;
    case 's':
        for (int space = 0; space < WD_SPACE_COUNT; space++) {
            if (strcmp(wd_space_name((wd_space)space), value) == 0) {
                given->options.has_space = true;
                given->options.space = (wd_space)space;
                return 0;
            }
        }
        argp_error(state, "unknown space \"%s\"", value);
        return EINVAL;
    case 'D':
        parse_size(state, value, &given->options.display_width, &given->options.display_height);
        return 0;
    case 'i':
        parse_size(state, value, &given->options.image_width, &given->options.image_height);
        return 0;
    case 'l':
        given->list = true;
        return 0;
    case ARGP_KEY_END:
        if (given->dialect == NULL && !given->list) {
            argp_error(state, "--dialect is needed");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int list_dialects(void)
{
    const wd_dialect *dialect;
    for (size_t i = 0; (dialect = wd_dialect_at(i)) != NULL; i++) {
        printf("%-16s %-9s %s\n", wd_dialect_name(dialect), wd_space_name(wd_dialect_space(dialect)),
            wd_dialect_about(dialect));
    }
    return CTL_OK;
}

static wd_status read_all(wd_buffer *text)
{
    char part[65536];
    wd_status status = wd_buffer_text(text, "");
    for (size_t got; status == WD_OK && (got = fread(part, 1, sizeof part, stdin)) > 0;) {
        status = text->length + got > WD_FILE_SIZE_MAX ? WD_ELIMIT : wd_buffer_append(text, part, got);
    }
    return status;
}

int ctl_action(int argc, char **argv)
{
    action_arguments given = { 0 };
    ctl_parse(argc, argv, options, parse, "",
        "Read a model's replies from standard input and print each as canonical actions, a JSON line an "
        "action.\v"
        "Replies are JSON Lines (a string, or an object with \"raw\"), texts separated by NUL bytes, or one "
        "text.\n\n"
        "Examples:\n  worldctl action --list\n"
        "  echo 'do(action=\"Tap\", element=[500,300])' | worldctl action --dialect autoglm\n\n"
        "An invalid reply is an action of kind invalid with the reason and the raw text.",
        &given);
    if (given.list) {
        return list_dialects();
    }
    wd_buffer text = { 0 }, reply = { 0 }, lines = { 0 };
    wd_status status = read_all(&text);
    for (size_t at = 0; status == WD_OK;) {
        status = wd_replies_next(text.bytes, text.length, &at, &reply);
        if (status != WD_OK) {
            break;
        }
        wd_reply parsed;
        status = wd_dialect_parse(given.dialect, reply.bytes, reply.length, &given.options, &parsed);
        if (status == WD_OK) {
            lines.length = 0;
            status = wd_reply_write(&parsed, &lines);
            fwrite(lines.bytes, 1, lines.length, stdout);
            wd_reply_done(&parsed);
        }
    }
    wd_buffer_done(&text);
    wd_buffer_done(&reply);
    wd_buffer_done(&lines);
    return status == WD_ENOENT
               ? CTL_OK
               : ctl_fault(&(wd_error){ .text = "standard input: too long, or out of memory" });
}
