// judge.c - a task, two states and what was said, a line each: the verdict's bytes do not depend on what the
// states share, an error is neither success nor passed, and whatever the task holds is judged or refused.
#include "fuzz.h"

#include "judge/verdict.h"

static wd_value *verdict_of(
    const wd_rules *rules, const wd_value *initial, const wd_value *final, fuzz_text said)
{
    char answer[256];
    size_t length = said.length < sizeof answer - 1 ? said.length : 0;
    memcpy(answer, said.bytes, length);
    answer[length] = '\0';
    wd_trace_step step = { .number = 1, .state = final, .event = final };
    wd_judge_input input = {
        .rules = rules,
        .initial = initial,
        .final = final,
        .route = wd_object_get(final, "route"),
        .answer = wd_utf8_valid(answer, length) ? answer : NULL,
        .grounded = said.length % 2 == 0,
        .clock = { .known = true, .ms = 1742126400000 },
        .trace = { .steps = &step, .count = 1 },
    };
    wd_verdict *verdict = NULL;
    wd_value *value = NULL;
    wd_assert(wd_judge(&input, &verdict) == WD_OK);
    wd_assert(verdict->error == NULL || !(verdict->success || verdict->passed));
    wd_assert(wd_rules_error(rules) == NULL || verdict->error != NULL);
    wd_assert(verdict->passed == (verdict->success && verdict->clean));
    wd_status status = wd_verdict_to_value(verdict, &value);
    wd_assert(
        status == WD_OK || status == WD_ELIMIT);  // what was found nests too deep for a verdict around it
    wd_verdict_destroy(&verdict);
    return value != NULL ? value : wd_value_null();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_text texts[4];
    fuzz_cut(data, size, texts, 4);
    wd_value *task = fuzz_parse(texts[0]), *initial = fuzz_parse(texts[1]), *final = fuzz_parse(texts[2]);
    if (task != NULL && initial != NULL && final != NULL) {
        wd_rules *rules = NULL;
        wd_value *apart = fuzz_rebuilt(final);
        wd_assert(wd_rules_new(task, &rules) == WD_OK);
        wd_value *first = verdict_of(rules, initial, final, texts[3]);
        wd_value *second = verdict_of(rules, initial, apart, texts[3]);
        fuzz_assert_prints_alike(first, second);
        wd_value_unref(&first);
        wd_value_unref(&second);
        wd_value_unref(&apart);
        wd_rules_destroy(&rules);
    }
    wd_value_unref(&task);
    wd_value_unref(&initial);
    wd_value_unref(&final);
    fuzz_assert_clean();
    return 0;
}
