// Offline tools over JSON files: diff, patch, get, digest.
#include "lines.h"

#include "judge/changes.h"
#include "tree/patch.h"
#include "tree/path.h"

#include <string.h>

enum { FILES_MAX = 1024 };

typedef struct tree_arguments {
    const char *files[FILES_MAX];
    size_t count;
    bool json, jsonl, shallow, pretty;
} tree_arguments;

static error_t parse(int key, char *value, struct argp_state *state)
{
    tree_arguments *given = state->input;
    switch (key) {
    case 'j':
        given->json = true;
        return 0;
    case 'l':
        given->jsonl = true;
        return 0;
    case 's':
        given->shallow = true;
        return 0;
    case 'p':
        given->pretty = true;
        return 0;
    case ARGP_KEY_ARG:
        if (given->count == FILES_MAX) {
            argp_error(state, "over %d arguments", FILES_MAX);
        }
        given->files[given->count++] = value;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int wrong_count(const char *command, const char *wanted)
{
    fprintf(stderr, "worldctl: %s wants %s; see worldctl %s --help\n", command, wanted, command);
    return CTL_USAGE;
}

static wd_status read_pair(const tree_arguments *given, wd_value **ret_a, wd_value **ret_b, wd_error *error)
{
    wd_status status = ctl_read_json(given->files[0], ret_a, error);
    return status == WD_OK ? ctl_read_json(given->files[1], ret_b, error) : status;
}

// ---- diff -------------------------------------------------------------------------------------------------------

static wd_status changes_value(const wd_value *before, const wd_value *after, wd_value **ret_list)
{
    wd_changes *changes = NULL;
    wd_status status = wd_changes_make(before, after, &changes);
    if (status == WD_OK) {
        status = wd_changes_to_value(changes, ret_list);
    }
    wd_changes_destroy(&changes);
    return status;
}

static wd_status diff_line(const wd_value *line, wd_value **ret_result, wd_error *error)
{
    wd_value *list = NULL;
    if (!wd_value_is(line, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ETYPE, "a case must be an object with before and after");
    }
    wd_status status = changes_value(wd_object_get(line, "before"), wd_object_get(line, "after"), &list);
    if (status == WD_OK) {
        status = wd_value_pack(ret_result, "{s:V}", "changes", list);
    }
    return status == WD_OK ? WD_OK : wd_error_set(error, status, "%s", wd_status_text(status));
}

static void print_change(const wd_value *change)
{
    printf("%s%s%s\n", ctl_paint(CTL_BOLD), wd_value_string_or(wd_object_get(change, "path"), "?"),
        ctl_paint(CTL_PLAIN));
    static const struct {
        const char *name, *sign;
        ctl_colour colour;
    } sides[] = { { "before", "-", CTL_RED }, { "after", "+", CTL_GREEN } };
    for (size_t i = 0; i < WD_COUNT_OF(sides); i++) {
        const wd_value *side = wd_object_get(change, sides[i].name);
        if (side != NULL) {
            printf("  %s%s ", ctl_paint(sides[i].colour), sides[i].sign);
            wd_buffer text = { 0 };
            if (wd_json_write(side, WD_JSON_COMPACT, &text) == WD_OK) {
                printf("%s%s\n", text.bytes, ctl_paint(CTL_PLAIN));
            }
            wd_buffer_done(&text);
        }
    }
}

int ctl_diff(int argc, char **argv)
{
    static const struct argp_option options[] = {
        { "json", 'j', NULL, 0, "Print {\"changes\":[{\"path\",\"before\"?,\"after\"?}]}", 0 },
        { "jsonl", 'l', NULL, 0, "One case a line on standard input, one result a line", 0 },
        { 0 },
    };
    tree_arguments given = { 0 };
    ctl_parse(argc, argv, options, parse, "A.json B.json",
        "What changed from A to B, as the judge sees it: lists of objects by identity, flat lists as bags.\v"
        "Examples:\n  worldctl diff before.json after.json\n"
        "  echo '{\"before\":{\"a\":1},\"after\":{\"a\":2}}' | worldctl diff --jsonl\n\n"
        "A side that is absent is left out. Exit codes: 0 nothing changed, 1 something did, 2 unreadable.",
        &given);
    if (given.jsonl) {
        return ctl_each_line(diff_line);
    }
    if (given.count != 2) {
        return wrong_count("diff", "two files");
    }
    wd_value *before = NULL, *after = NULL, *list = NULL, *whole = NULL;
    wd_error error = { .text = "out of memory" };
    wd_status status = read_pair(&given, &before, &after, &error);
    status = status == WD_OK ? changes_value(before, after, &list) : status;
    status = status == WD_OK ? wd_value_pack(&whole, "{s:v}", "changes", list) : status;
    int code = CTL_FAULT;
    if (status != WD_OK) {
        ctl_fault(&error);
    } else {
        code = wd_array_count(list) == 0 ? CTL_OK : CTL_NO;
        wd_iter change = wd_iter_start(list);
        if (given.json) {
            ctl_print(whole, WD_JSON_COMPACT);
        }
        while (!given.json && wd_iter_next(&change)) {
            print_change(change.value);
        }
    }
    wd_value_unref(&before);
    wd_value_unref(&after);
    wd_value_unref(&list);
    wd_value_unref(&whole);
    return code;
}

// ---- patch ------------------------------------------------------------------------------------------------------

/// What stands stored under a key, as the base of a merge: the envelope's state, a bare object, else nothing
/// (os.md 4, 13). *ret_base may stay NULL.
static void stored_base(const wd_value *stored, wd_value **ret_base)
{
    const char *text = wd_value_string_or(stored, NULL);
    wd_value *parsed = NULL;
    if (text == NULL || wd_json_parse(text, strlen(text), &parsed, NULL) != WD_OK) {
        return;
    }
    const wd_value *state = wd_object_get(parsed, "state");
    const wd_value *base = state != NULL ? state : parsed;
    if (wd_value_is(base, WD_KIND_OBJECT)) {
        *ret_base = wd_value_ref(base);
    }
    wd_value_unref(&parsed);
}

/// A state without its members that have no value.
static wd_status clean_state(const wd_value *state, wd_value **ret_clean, wd_error *error)
{
    if (!wd_value_is(state, WD_KIND_OBJECT)) {
        *ret_clean = wd_value_ref(state);
        return WD_OK;
    }
    wd_value *none = wd_value_object();
    wd_status status = wd_patch_merge(none, state, WD_PATCH_SHALLOW, ret_clean, error);
    wd_value_unref(&none);
    return status;
}

static wd_status patch_line(const wd_value *line, wd_value **ret_result, wd_error *error)
{
    const wd_value *patch = wd_object_get(line, "patch");
    const char *target = wd_value_string_or(wd_object_get(line, "target"), "app");
    bool persisted = strcmp(target, "app-persisted") == 0;
    // `deep` concerns apps only (D37): the rest is always merged.
    bool deep = wd_value_bool_or(wd_object_get(line, "deep"), true) || (strncmp(target, "app", 3) != 0);
    wd_value *base = NULL, *merged = NULL;
    wd_status status = WD_OK;
    if (patch == NULL) {
        return wd_error_set(error, WD_EINVAL, "patch: missing");
    }
    if (persisted) {
        stored_base(wd_object_get(line, "stored"), &base);
    } else {
        status = clean_state(wd_object_get(line, "state"), &base, error);
    }
    if (status == WD_OK && wd_value_is_undefined(patch)) {
        merged = wd_value_ref(base);  // a patch without a value changes nothing
    } else if (status == WD_OK) {
        status = wd_patch_merge(base, patch, deep ? WD_PATCH_DEEP : WD_PATCH_SHALLOW, &merged, error);
    }
    if (status == WD_OK && persisted) {
        wd_value *inner = merged;
        merged = NULL;
        status = wd_value_pack(&merged, "{s:V,s:i}", "state", inner, "version", (int64_t)0);
    }
    if (status == WD_OK) {
        status = wd_value_pack(ret_result, "{s:?v}", "state", merged);
    }
    wd_value_unref(&base);
    wd_value_unref(&merged);
    return status;
}

int ctl_patch(int argc, char **argv)
{
    static const struct argp_option options[] = {
        { "shallow", 's', NULL, 0, "Replace top-level members instead of merging", 0 },
        { "pretty", 'p', NULL, 0, "Indent the result", 0 },
        { "jsonl", 'l', NULL, 0, "One case a line on standard input: state, patch, deep, target, stored", 0 },
        { 0 },
    };
    tree_arguments given = { 0 };
    ctl_parse(argc, argv, options, parse, "STATE.json PATCH.json",
        "Merge a patch into a state: absent leaves alone, null writes null, {\"$unset\":true} removes, "
        "list[field=value] and list[] select and append.\v"
        "Examples:\n  worldctl patch state.json patch.json > patched.json\n"
        "  echo '{\"state\":{\"a\":1},\"patch\":{\"b\":2}}' | worldctl patch --jsonl\n\n"
        "Exit codes: 0 merged, 2 not possible (nothing is printed).",
        &given);
    if (given.jsonl) {
        return ctl_each_line(patch_line);
    }
    if (given.count != 2) {
        return wrong_count("patch", "a state and a patch");
    }
    wd_value *state = NULL, *patch = NULL, *merged = NULL;
    wd_error error = { .text = "out of memory" };
    wd_status status = read_pair(&given, &state, &patch, &error);
    if (status == WD_OK) {
        status =
            wd_patch_merge(state, patch, given.shallow ? WD_PATCH_SHALLOW : WD_PATCH_DEEP, &merged, &error);
    }
    if (status == WD_OK) {
        ctl_print(merged, given.pretty ? WD_JSON_PRETTY : WD_JSON_COMPACT);
    }
    wd_value_unref(&state);
    wd_value_unref(&patch);
    wd_value_unref(&merged);
    return status == WD_OK ? CTL_OK : ctl_fault(&error);
}

// ---- get, digest ------------------------------------------------------------------------------------------------

int ctl_get(int argc, char **argv)
{
    static const struct argp_option options[] = {
        { "pretty", 'p', NULL, 0, "Indent the result", 0 },
        { 0 },
    };
    tree_arguments given = { 0 };
    ctl_parse(argc, argv, options, parse, "STATE.json PATH",
        "Print what PATH leads to. Paths: a.b[0], list[-1], list[id=x].name, a\\.b for a key with a dot.\v"
        "Examples:\n  worldctl get state.json os.settings.global.wifiEnabled\n"
        "  worldctl get state.json 'os.providers.contacts.contacts[displayName=Li Wei].phones'\n\n"
        "Exit codes: 0 printed, 1 it leads nowhere, 2 unreadable file or path.",
        &given);
    if (given.count != 2) {
        return wrong_count("get", "a file and a path");
    }
    wd_value *state = NULL;
    wd_path *path = NULL;
    wd_error error = { .text = "out of memory" };
    wd_status status = ctl_read_json(given.files[0], &state, &error);
    status = status == WD_OK ? wd_path_parse(given.files[1], strlen(given.files[1]), &path, &error) : status;
    const wd_value *found = status == WD_OK ? wd_path_get(path, state, false) : NULL;
    if (found != NULL) {
        ctl_print(found, given.pretty ? WD_JSON_PRETTY : WD_JSON_COMPACT);
    }
    int code = status != WD_OK ? ctl_fault(&error) : found == NULL ? CTL_NO : CTL_OK;
    wd_path_destroy(&path);
    wd_value_unref(&state);
    return code;
}

int ctl_digest(int argc, char **argv)
{
    tree_arguments given = { 0 };
    ctl_parse(argc, argv, NULL, parse, "FILE...",
        "Digests of JSON files: equal values have equal digests, whatever the order of members.\v"
        "Example:\n  worldctl digest a.json b.json\n\nExit codes: 0 printed, 2 a file is unreadable.",
        &given);
    if (given.count == 0) {
        return wrong_count("digest", "files");
    }
    int code = CTL_OK;
    for (size_t i = 0; i < given.count; i++) {
        wd_value *value = NULL;
        wd_error error;
        char text[WD_DIGEST_TEXT_SIZE];
        if (ctl_read_json(given.files[i], &value, &error) != WD_OK) {
            code = ctl_fault(&error);
            continue;
        }
        wd_digest_text(wd_value_digest(value), text);
        printf("%s  %s\n", text, given.files[i]);
        wd_value_unref(&value);
    }
    return code;
}
