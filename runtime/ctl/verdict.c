// How a verdict is shown to people.
#include "ctl.h"

enum { SHOWN_MAX = 120 };  // bytes of one value

static const char *text_of(const wd_value *object, const char *name, const char *fallback)
{
    return wd_value_string_or(wd_object_get(object, name), fallback);
}

static void print_effects(const char *title, const wd_value *effects, ctl_colour colour)
{
    wd_iter effect = wd_iter_start(effects);
    while (wd_iter_next(&effect)) {
        printf("  %s%s%s %s", ctl_paint(colour), title, ctl_paint(CTL_PLAIN),
            text_of(effect.value, "path", text_of(effect.value, "field", "?")));
        static const char *const sides[] = { "before", "after" };
        for (size_t i = 0; i < WD_COUNT_OF(sides); i++) {
            const wd_value *side = wd_object_get(effect.value, sides[i]);
            wd_buffer text = { 0 };
            if (side != NULL && wd_json_write(side, WD_JSON_COMPACT, &text) == WD_OK) {
                printf("  %s %.*s", sides[i], SHOWN_MAX, text.bytes);
            }
            wd_buffer_done(&text);
        }
        const wd_value *step = wd_object_get(effect.value, "step");
        if (step != NULL) {
            printf("  by step %lld", (long long)wd_value_int_or(step, -1));
        }
        putchar('\n');
    }
}

static void print_failed_checks(const wd_value *checks)
{
    wd_iter check = wd_iter_start(checks);
    while (wd_iter_next(&check)) {
        if (wd_value_bool_or(wd_object_get(check.value, "passed"), false)) {
            continue;
        }
        wd_buffer expected = { 0 }, actual = { 0 };
        const wd_value *found = wd_object_get(check.value, "actual");
        if (wd_json_write(wd_object_get(check.value, "expected"), WD_JSON_COMPACT, &expected) == WD_OK &&
            (found == NULL || wd_json_write(found, WD_JSON_COMPACT, &actual) == WD_OK)) {
            printf("  %sfailed%s %s  wanted %.*s  found %.*s\n", ctl_paint(CTL_RED), ctl_paint(CTL_PLAIN),
                text_of(check.value, "field", "?"), SHOWN_MAX, expected.bytes, SHOWN_MAX,
                found == NULL ? "nothing" : actual.bytes);
        }
        wd_buffer_done(&expected);
        wd_buffer_done(&actual);
    }
}

/// What could not be judged, for want of a state.
static void print_unjudged(const wd_value *unjudged)
{
    wd_iter part = wd_iter_start(unjudged);
    while (wd_iter_next(&part)) {
        printf("%s%s", part.index == 0 ? "  not judged, the device tells no state: " : ", ",
            wd_value_string_or(part.value, "?"));
    }
    if (wd_array_count(unjudged) > 0) {
        putchar('\n');
    }
}

void ctl_print_verdict(const wd_value *verdict)
{
    bool passed = wd_value_bool_or(wd_object_get(verdict, "passed"), false);
    const wd_value *clean = wd_object_get(verdict, "clean");
    printf("verdict: %s%s%s  success %s, clean %s, progress %.2f\n", ctl_paint(passed ? CTL_GREEN : CTL_RED),
        passed ? "passed" : "not passed", ctl_paint(CTL_PLAIN),
        wd_value_bool_or(wd_object_get(verdict, "success"), false) ? "yes" : "no",
        clean == NULL                    ? "unknown"
        : wd_value_bool_or(clean, false) ? "yes"
                                         : "no",
        wd_value_double_or(wd_object_get(verdict, "progress"), 0));
    const char *error = text_of(verdict, "error", NULL);
    if (error != NULL) {
        printf("  error: %s\n", error);
    }
    print_unjudged(wd_object_get(verdict, "unjudged"));
    print_failed_checks(wd_object_get(verdict, "checks"));
    print_effects("unexpected", wd_object_get(verdict, "side_effects"), CTL_RED);
    print_effects("undone", wd_object_get(verdict, "undone"), CTL_YELLOW);
}
