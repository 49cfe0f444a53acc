#include "ctl.h"

#include "judge/conform.h"
#include "sim/conform.h"
#include "sim/device.h"

#include <string.h>

typedef struct conform_arguments {
    const char *kind, *file;
    bool quiet;
} conform_arguments;

static error_t parse(int key, char *value, struct argp_state *state)
{
    conform_arguments *given = state->input;
    switch (key) {
    case 'q':
        given->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (given->file != NULL) {
            argp_error(state, "one file at a time");
        }
        *(given->kind == NULL ? &given->kind : &given->file) = value;
        return 0;
    case ARGP_KEY_END:
        if (given->file == NULL) {
            argp_error(state, "wants a kind and a file");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void show_device_failure(void *context, const char *id, const char *difference)
{
    const conform_arguments *given = context;
    if (!given->quiet) {
        printf("%s%s%s: %s\n", ctl_paint(CTL_RED), id, ctl_paint(CTL_PLAIN), difference);
    }
}

static void show_side(const char *title, const wd_value *side)
{
    wd_buffer text = { 0 };
    if (side == NULL) {
        printf(" %s absent", title);
    } else if (wd_json_write(side, WD_JSON_COMPACT, &text) == WD_OK) {
        printf(" %s %.*s%s", title, (int)(text.length > 300 ? 300 : text.length), text.bytes,
            text.length > 300 ? "..." : "");
    }
    wd_buffer_done(&text);
}

static void show_judge_failure(void *context, const wd_conform_case *one, const wd_conform_result *result)
{
    const conform_arguments *given = context;
    char name[256];
    if (given->quiet) {
        return;
    }
    wd_conform_case_name(one, name, sizeof name);
    printf("%s%s%s: %s:", ctl_paint(CTL_RED), name, ctl_paint(CTL_PLAIN), result->path);
    show_side("wanted", result->wanted);
    show_side("got", result->got);
    putchar('\n');
}

static int unknown_kind(const char *kind)
{
    fprintf(stderr,
        "worldctl: conform: unknown kind \"%s\"; known are diff side_effects criteria answers metrics tasks",
        kind);
    size_t count = 0;
    const char *const *kinds = wd_device_conform_kinds(&count);
    for (size_t i = 0; i < count; i++) {
        fprintf(stderr, " %s", kinds[i]);
    }
    fputc('\n', stderr);
    return CTL_USAGE;
}

int ctl_conform(int argc, char **argv)
{
    static const struct argp_option options[] = {
        { "quiet", 'q', NULL, 0, "Only the last line", 0 },
        { 0 },
    };
    conform_arguments given = { 0 };
    ctl_parse(argc, argv, options, parse, "KIND FILE",
        "Replay a file of vectors; KIND is the name of the file it has the format of.\v"
        "Examples:\n  worldctl conform lifecycle tests/vectors/lifecycle.json\n"
        "  worldctl conform diff mine.json\n\nPrints the first difference of each case that fails, last "
        "\"N cases: H hold, F fail\". Exit codes: 0 all hold, 1 some fail, 2 unreadable.",
        &given);
    wd_value *file = NULL;
    wd_error error = { .text = "out of memory" };
    bool judge = wd_conform_kind_known(given.kind);
    wd_status status = ctl_read_json(given.file, &file, &error);
    size_t holds = 0, fails = 0;
    if (status == WD_OK && judge) {
        status = wd_judge_conform(given.kind, file, show_judge_failure, &given, &holds, &fails, &error);
    } else if (status == WD_OK) {
        wd_conform_counts counts = { 0 };
        status = wd_device_conform(given.kind, file, show_device_failure, &given, &counts, &error);
        holds = counts.hold;
        fails = counts.fail;
    }
    wd_value_unref(&file);
    if (status == WD_ENOENT && !judge) {
        return unknown_kind(given.kind);
    }
    if (status != WD_OK) {
        return ctl_fault(&error);
    }
    printf("%zu cases: %zu hold, %zu fail\n", holds + fails, holds, fails);
    return fails == 0 ? CTL_OK : CTL_NO;
}

int ctl_schema(int argc, char **argv)
{
    conform_arguments given = { .kind = "", .file = "" };
    ctl_parse(argc, argv, NULL, parse, "",
        "JSON Schema (2020-12) of the state {os, apps}.\vExample:\n  worldctl schema > state.schema.json",
        &given);
    wd_value *schema = NULL;
    if (wd_device_state_schema(&schema) != WD_OK) {
        return ctl_fault(&(wd_error){ .text = "out of memory" });
    }
    ctl_print(schema, WD_JSON_PRETTY);
    wd_value_unref(&schema);
    return CTL_OK;
}
