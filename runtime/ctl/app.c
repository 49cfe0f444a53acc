#include "phone.h"

#include "runtime/file.h"
#include "sim/app_check.h"
#include "sim/app_graph.h"
#include "tree/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct app_arguments {
    const char *verb, *subject, *packs;
    uint32_t forks;
    uint64_t seed;
    bool json, dot;
} app_arguments;

static const struct argp_option options[] = {
    { "packs", 'p', "DIR", 0, "new: where to make the folder (default: here). graph: pack directories", 0 },
    { "forks", 'n', "N", 0, "graph: touches to try (default 2000)", 0 },
    { "seed", 's', "N", 0, "graph: which of many alike states to look at first (default 0)", 0 },
    { "dot", 'd', NULL, 0, "graph: print Graphviz", 0 },
    { "json", 'j', NULL, 0, "check, graph: print JSON", 0 },
    { 0 },
};

static unsigned long long number(struct argp_state *state, const char *text)
{
    char *end = NULL;
    unsigned long long value = strtoull(text, &end, 10);
    if (end == text || *end != '\0') {
        argp_error(state, "\"%s\" is no whole number", text);
    }
    return value;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    app_arguments *given = state->input;
    switch (key) {
    case 'p':
        given->packs = value;
        return 0;
    case 'n':
        given->forks = (uint32_t)number(state, value);
        return 0;
    case 's':
        given->seed = number(state, value);
        return 0;
    case 'd':
        given->dot = true;
        return 0;
    case 'j':
        given->json = true;
        return 0;
    case ARGP_KEY_ARG:
        ctl_place_argument(value, state, (const char **const[]){ &given->verb, &given->subject }, 2);
        return 0;
    case ARGP_KEY_END:
        if (given->subject == NULL) {
            argp_error(state, "wants new ID, check DIR, or graph ID");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// ---- new --------------------------------------------------------------------------------------------------------

/// The files of a new pack: the worked example of docs/apps.md. {id} and {name} are filled in.
static const struct {
    const char *name, *text;
} pack_files[] = {
    { "manifest.json", "{\n"
                       "  \"id\": \"{id}\",\n"
                       "  \"packageName\": \"org.example.{id}\",\n"
                       "  \"name\": { \"en\": \"{name}\", \"zh\": \"{name}\" },\n"
                       "  \"aliases\": [],\n"
                       "  \"type\": \"third-party\",\n"
                       "  \"version\": \"0.1.0\",\n"
                       "  \"versionCode\": 1,\n"
                       "  \"permissions\": [],\n"
                       "  \"intentFilters\": []\n"
                       "}\n" },
    { "defaults.json", "{ \"count\": 0, \"settings\": { \"step\": 1 } }\n" },
    { "strings.json", "{\n"
                      "  \"en\": { \"title\": \"{name}\", \"add\": \"Add {1}\" },\n"
                      "  \"zh\": { \"title\": \"{name}\", \"add\": \"加{1}\" }\n"
                      "}\n" },
    { "app.lua", "-- {name}: one page that counts. docs/apps.md tells what a pack may do.\n"
                 "\n"
                 "screens[\"/\"] = function(ctx)\n"
                 "  local step = ctx.state.settings.step\n"
                 "  return screen{ page = \"counter\", title = t(\"title\"), pad = 48, gap = 48,\n"
                 "    label{ id = \"count\", text(ctx.state.count), size = \"huge\" },\n"
                 "    button{ id = \"add\", t(\"add\", step), tap = \"add\", args = { by = step }, purpose = "
                 "\"submit\",\n"
                 "      intent = t(\"add\", step) } }\n"
                 "end\n"
                 "\n"
                 "actions.add = function(ctx, args)\n"
                 "  ctx.draft.count = ctx.draft.count + args.by\n"
                 "end\n" },
};

static wd_status fill_in(const char *text, const char *id, const char *name, wd_buffer *ret_text)
{
    wd_status status = WD_OK;
    while (status == WD_OK && *text != '\0') {
        const char *mark = strstr(text, "{id}"), *other = strstr(text, "{name}");
        bool is_name = mark == NULL || (other != NULL && other < mark);
        mark = is_name ? other : mark;
        if (mark == NULL) {
            return wd_buffer_text(ret_text, text);
        }
        status = wd_buffer_append(ret_text, text, (size_t)(mark - text));
        status = status == WD_OK ? wd_buffer_text(ret_text, is_name ? name : id) : status;
        text = mark + (is_name ? strlen("{name}") : strlen("{id}"));
    }
    return status;
}

static wd_status write_pack_file(
    const char *directory, const char *id, const char *name, size_t index, wd_error *error)
{
    wd_buffer path = { 0 }, text = { 0 };
    wd_status status = wd_buffer_format(&path, "%s/%s", directory, pack_files[index].name);
    status = status == WD_OK ? fill_in(pack_files[index].text, id, name, &text) : status;
    FILE *file = status == WD_OK ? fopen(path.bytes, "wxe") : NULL;
    if (status == WD_OK && file == NULL) {
        status = wd_error_set(error, WD_EIO, "%s: %s", path.bytes, strerror(errno));
    }
    if (file != NULL) {
        bool written = fwrite(text.bytes, 1, text.length, file) == text.length;
        written = fclose(file) == 0 && written;
        status = written ? WD_OK : wd_error_set(error, WD_EIO, "%s: %s", path.bytes, strerror(errno));
    }
    wd_buffer_done(&path);
    wd_buffer_done(&text);
    return status;
}

static int make_new(const app_arguments *given)
{
    const char *id = given->subject;
    char name[64], directory[WD_CONFIG_TEXT_MAX];
    size_t length = strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789_");
    wd_error error = { .text = "out of memory" };
    if (length == 0 || id[length] != '\0' || length >= sizeof name || !isalpha((unsigned char)id[0])) {
        fprintf(stderr,
            "worldctl: app new: an id has lower-case letters, digits and _, and begins with a letter\n");
        return CTL_USAGE;
    }
    snprintf(name, sizeof name, "%s", id);
    name[0] = (char)toupper((unsigned char)name[0]);
    snprintf(directory, sizeof directory, "%s/%s", given->packs == NULL ? "." : given->packs, id);
    if (mkdir(directory, 0755) != 0) {
        wd_error_set(&error, WD_EIO, "%s: %s", directory, strerror(errno));
        return ctl_fault(&error);
    }
    for (size_t i = 0; i < WD_COUNT_OF(pack_files); i++) {
        if (write_pack_file(directory, id, name, i, &error) != WD_OK) {
            return ctl_fault(&error);
        }
    }
    printf("made %s; next: worldctl app check %s\n", directory, directory);
    return CTL_OK;
}

// ---- check ------------------------------------------------------------------------------------------------------

static int check_pack(const app_arguments *given)
{
    char path[WD_CONFIG_TEXT_MAX];
    wd_value *findings = NULL;
    wd_error error = { .text = "out of memory" };
    snprintf(path, sizeof path, "%s", given->subject);
    for (size_t length = strlen(path); length > 1 && path[length - 1] == '/'; length--) {
        path[length - 1] = '\0';
    }
    char *slash = strrchr(path, '/');
    const char *id = slash == NULL ? path : slash + 1, *directory = slash == NULL ? "." : path;
    if (slash != NULL) {
        *slash = '\0';
    }
    wd_status status = wd_app_check(&wd_pack_files, directory, id, &findings, &error);
    if (status != WD_OK) {
        return ctl_fault(&error);
    }
    size_t count = wd_array_count(findings);
    if (given->json) {
        ctl_print(findings, WD_JSON_COMPACT);
    } else {
        wd_iter finding = wd_iter_start(findings);
        while (wd_iter_next(&finding)) {
            printf("%s%-14s%s %s: %s\n", ctl_paint(CTL_RED),
                wd_value_string_or(wd_object_get(finding.value, "rule"), "?"), ctl_paint(CTL_PLAIN),
                wd_value_string_or(wd_object_get(finding.value, "place"), "?"),
                wd_value_string_or(wd_object_get(finding.value, "text"), "?"));
        }
        printf("%s: %s%zu findings%s\n", id, ctl_paint(count == 0 ? CTL_GREEN : CTL_RED), count,
            ctl_paint(CTL_PLAIN));
    }
    wd_value_unref(&findings);
    return count == 0 ? CTL_OK : CTL_NO;
}

// ---- graph ------------------------------------------------------------------------------------------------------

static void print_dot(const wd_value *graph)
{
    printf("digraph \"%s\" {\n  rankdir = LR;\n  node [shape = box];\n",
        wd_value_string_or(wd_object_get(graph, "app"), "?"));
    wd_iter from = wd_iter_start(wd_object_get(graph, "edges"));
    while (wd_iter_next(&from)) {
        wd_iter to = wd_iter_start(from.value);
        while (wd_iter_next(&to)) {
            printf("  \"%s\" -> \"%s\" [label = %lld];\n", from.key, to.key,
                (long long)wd_value_int_or(to.value, 0));
        }
    }
    puts("}");
}

static void print_list(const char *title, const wd_value *list, ctl_colour colour)
{
    wd_iter item = wd_iter_start(list);
    while (wd_iter_next(&item)) {
        wd_buffer text = { 0 };
        if (wd_json_write(item.value, WD_JSON_COMPACT, &text) == WD_OK) {
            printf("  %s%s%s %s\n", ctl_paint(colour), title, ctl_paint(CTL_PLAIN), text.bytes);
        }
        wd_buffer_done(&text);
    }
}

static void print_graph(const wd_value *graph)
{
    printf("%s: %zu pages, %lld states, %lld touches tried\n",
        wd_value_string_or(wd_object_get(graph, "app"), "?"), wd_object_count(wd_object_get(graph, "pages")),
        (long long)wd_value_int_or(wd_object_get(graph, "states"), 0),
        (long long)wd_value_int_or(wd_object_get(graph, "forks"), 0));
    wd_iter page = wd_iter_start(wd_object_get(graph, "pages"));
    while (wd_iter_next(&page)) {
        printf("  %-40s %lld states\n", page.key, (long long)wd_value_int_or(page.value, 0));
    }
    print_list("dead end", wd_object_get(graph, "deadEnds"), CTL_YELLOW);
    print_list("never reached", wd_object_get(graph, "unreached"), CTL_RED);
    print_list("error", wd_object_get(graph, "errors"), CTL_RED);
}

static int draw_graph(const app_arguments *given)
{
    wd_error error = { .text = "out of memory" };
    wd_config config;
    ctl_phone phone = { 0 };
    wd_value *graph = NULL;
    wd_status status = ctl_config(&config, &error);
    if (status == WD_OK && given->packs != NULL) {
        snprintf(config.packs, sizeof config.packs, "%s", given->packs);
    }
    status = status == WD_OK ? ctl_phone_open(&config, true, 0, &phone, &error) : status;
    if (status == WD_OK) {
        wd_app_graph_options explore = {
            .app = given->subject, .forks_max = given->forks, .seed = given->seed
        };
        status = wd_app_graph(phone.host, phone.device, &explore, &graph, &error);
    }
    bool whole =
        wd_array_count(wd_object_get(graph, "unreached")) + wd_array_count(wd_object_get(graph, "errors")) ==
        0;
    if (status == WD_OK && given->json) {
        ctl_print(graph, WD_JSON_COMPACT);
    } else if (status == WD_OK && given->dot) {
        print_dot(graph);
    } else if (status == WD_OK) {
        print_graph(graph);
    }
    wd_value_unref(&graph);
    ctl_phone_close(&phone);
    return status != WD_OK ? ctl_fault(&error) : whole ? CTL_OK : CTL_NO;
}

int ctl_app(int argc, char **argv)
{
    app_arguments given = { .forks = 2000 };
    ctl_parse(argc, argv, options, parse, "new ID | check DIR | graph ID",
        "Make a pack, check its rules, or explore every screen of an app by touching what can be touched.\v"
        "Examples:\n  worldctl app new counter --packs my_apps\n  worldctl app check my_apps/counter\n"
        "  worldctl app graph settings --forks 500\n  worldctl app graph notes --dot | dot -Tsvg > "
        "notes.svg\n\n"
        "Exit codes: 0 no findings, 1 findings (a page never reached, a touch that fails), 2 not possible.",
        &given);
    return strcmp(given.verb, "new") == 0     ? make_new(&given)
           : strcmp(given.verb, "check") == 0 ? check_pack(&given)
           : strcmp(given.verb, "graph") == 0
               ? draw_graph(&given)
               : (fprintf(stderr, "worldctl: app: wants new, check or graph\n"), CTL_USAGE);
}
