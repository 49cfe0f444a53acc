#include "ctl.h"

#include "runtime/file.h"
#include "semantic/enrich.h"
#include "semantic/score.h"
#include "semantic/screen.h"
#include "tree/alloc.h"

#include <string.h>

static const struct argp_option options[] = {
    { "format", 'f', "NAME", 0, "Do not recognise the format, take this one", 0 },
    { "companion", 'c', "FILE", 0, "dumpsys text taken with the screen", 0 },
    { "semantic", 's', NULL, 0, "Print the semantic scene instead", 0 },
    { "pretty", 'p', NULL, 0, "Indent", 0 },
    { "score", 'S', "EXPECTED", 0, "Score all screens of DIR against a table of right values", 0 },
    { 0 },
};
static const char doc[] =
    "Read a screen of another tool and print the canonical scene as JSON.\v"
    "Examples:\n"
    "  worldctl scene window_dump.xml\n"
    "  worldctl scene --semantic --pretty state_2020-08-29.json\n"
    "  worldctl scene --score EXPECTED.json recordings/\n\n"
    "Exit codes: 0 printed, 1 a capture failure or broken beyond repair, 2 unreadable, or nothing to score.";

typedef struct scene_arguments {
    const char *path, *companion, *expected;
    wd_screen_format format;
    bool semantic, pretty;
} scene_arguments;

static error_t parse(int key, char *value, struct argp_state *state)
{
    scene_arguments *given = state->input;
    switch (key) {
    case 'f':
        if (wd_screen_format_parse(value, &given->format) != WD_OK) {
            argp_error(state, "unknown format \"%s\"", value);
        }
        return 0;
    case 'c':
        given->companion = value;
        return 0;
    case 's':
        given->semantic = true;
        return 0;
    case 'p':
        given->pretty = true;
        return 0;
    case 'S':
        given->expected = value;
        return 0;
    default:
        return ctl_one_argument(key, value, state, &given->path);
    }
}

static wd_status read_screen(
    const char *path, const scene_arguments *given, wd_scene **ret_scene, wd_error *error)
{
    char *bytes = NULL, *companion = NULL;
    size_t length = 0, companion_length = 0;
    wd_screen_options screen = { .format = given->format };
    wd_status status = wd_file_read(path, &bytes, &length, error);
    if (status == WD_OK && given->companion != NULL) {
        status = wd_file_read(given->companion, &companion, &companion_length, error);
        screen.companion = companion;
        screen.companion_length = companion_length;
    }
    if (status == WD_OK) {
        status = wd_screen_read(bytes, length, &screen, ret_scene, error);
    }
    wd_free(bytes, bytes == NULL ? 0 : length + 1);
    wd_free(companion, companion == NULL ? 0 : companion_length + 1);
    return status;
}

static int print_scene(const scene_arguments *given)
{
    wd_scene *scene = NULL;
    wd_semantic *semantic = NULL;
    wd_value *value = NULL;
    wd_error error = { .text = "out of memory" };
    wd_status status = read_screen(given->path, given, &scene, &error);
    if (status == WD_ECORRUPT) {
        ctl_fault(&error);
        return CTL_NO;
    }
    if (status == WD_OK && given->semantic) {
        status = wd_semantic_enrich(scene, &semantic);
        status = status == WD_OK ? wd_semantic_to_value(semantic, &value) : status;
    } else if (status == WD_OK) {
        status = wd_scene_to_value(scene, &value);
    }
    if (status == WD_OK) {
        ctl_print(value, given->pretty ? WD_JSON_PRETTY : WD_JSON_COMPACT);
    }
    wd_value_unref(&value);
    wd_semantic_unref(&semantic);
    wd_scene_unref(&scene);
    return status == WD_OK ? CTL_OK : ctl_fault(&error);
}

/// One row of the table: its file below the folder, when it is a screen and is there.
static void score_row(
    const scene_arguments *given, const char *name, const wd_value *expected, wd_score *score)
{
    wd_buffer path = { 0 };
    if (!wd_score_is_screen(expected) || wd_buffer_format(&path, "%s/%s", given->path, name) != WD_OK) {
        wd_buffer_done(&path);
        return;
    }
    wd_scene *scene = NULL;
    wd_error error;
    wd_status status = read_screen(path.bytes, given, &scene, &error);
    if (status != WD_ENOENT && status != WD_EIO) {
        wd_score_line line = wd_score_add(score, expected, scene);
        if (line.app == WD_SCORE_WRONG || line.app == WD_SCORE_MISSED || line.page == WD_SCORE_WRONG ||
            line.parse == WD_SCORE_WRONG) {
            printf("%s: parse %s, app %s, page %s, kind %s\n", name, wd_score_verdict_name(line.parse),
                wd_score_verdict_name(line.app), wd_score_verdict_name(line.page),
                wd_score_verdict_name(line.kind));
        }
    }
    wd_scene_unref(&scene);
    wd_buffer_done(&path);
}

/// Of nothing there is no percentage.
static void print_share(const char *name, uint64_t right, uint64_t whole)
{
    if (whole == 0) {
        printf("  %s     - %%", name);
    } else {
        printf("  %s %5.1f %%", name, 100.0 * (double)right / (double)whole);
    }
}

static void print_count(const char *name, const wd_score_count *count)
{
    printf("%-18s known %4llu  given %4llu  right %4llu", name, (unsigned long long)count->known,
        (unsigned long long)count->given, (unsigned long long)count->right);
    print_share("precision", count->right, count->given);
    print_share("recall", count->right, count->known);
    putchar('\n');
}

static int print_score(const scene_arguments *given)
{
    wd_value *table = NULL;
    wd_error error;
    if (ctl_read_json(given->expected, &table, &error) != WD_OK) {
        return ctl_fault(&error);
    }
    wd_score score = { 0 };
    wd_iter row = wd_iter_start(table);
    while (wd_iter_next(&row)) {
        score_row(given, row.key, row.value, &score);
    }
    wd_value_unref(&table);
    if (score.screens == 0) {
        wd_error_set(&error, WD_ENOENT, "%s: none of the screens that %s names is there", given->path,
            given->expected);
        return ctl_fault(&error);
    }
    printf("%llu screens\n", (unsigned long long)score.screens);
    print_count("parse", &score.parse);
    print_count("app", &score.app);
    print_count("page", &score.page);
    print_count("page, high conf.", &score.page_high);
    print_count("page kind", &score.kind);
    return CTL_OK;
}

int ctl_scene(int argc, char **argv)
{
    scene_arguments given = { .format = WD_SCREEN_AUTO };
    ctl_parse(argc, argv, options, parse, "FILE|DIR", doc, &given);
    return given.expected != NULL ? print_score(&given) : print_scene(&given);
}
