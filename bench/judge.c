// judge.c - verdicts: on a run's states, which share ancestry, and on two states that share nothing, beside a
// naive walk of the same two states in cJSON. The reference's judge takes 5.9 ms whatever changed.
#include "benches.h"
#include "cjson_walk.h"
#include "phone_state.h"
#include "places.h"

#include "judge/verdict.h"
#include "tree/json.h"

#include <string.h>

enum { SEED = 20260106, CHANGED = 5, STEPS = 20 };

// What is judged, and what became of it.
typedef struct subject {
    wd_value *task;
    wd_rules *rules;
    wd_judge_input input;
    cJSON *cjson_before, *cjson_after;
    size_t side_effects;
    wd_status status;
} subject;

static void judge(void *context)
{
    subject *of = context;
    wd_verdict *verdict = NULL;
    wd_status status = wd_judge(&of->input, &verdict);
    if (status != WD_OK || verdict->error != NULL) {
        of->status = status != WD_OK ? status : WD_EINVAL;
    } else {
        of->side_effects = wd_deeds_count(verdict->deeds);
    }
    wd_verdict_destroy(&verdict);
}

static void compile(void *context)
{
    subject *of = context;
    wd_rules *rules = NULL;
    wd_status status = wd_rules_new(of->task, &rules);
    of->status = status != WD_OK ? status : of->status;
    wd_rules_destroy(&rules);
}

static void walk(void *context)
{
    subject *of = context;
    size_t count = wd_cjson_walk(of->cjson_before, of->cjson_after);
    wd_bench_use(&count);
}

static cJSON *cjson_of(const wd_value *value)
{
    wd_buffer text = { 0 };
    cJSON *tree = NULL;
    if (wd_json_write(value, WD_JSON_COMPACT, &text) == WD_OK) {
        tree = cJSON_ParseWithLength(text.bytes, text.length);
    }
    wd_buffer_done(&text);
    return tree;
}

static wd_status unshared(const wd_value *value, wd_value **ret_copy)
{
    wd_buffer text = { 0 };
    wd_status status = wd_json_write(value, WD_JSON_COMPACT, &text);
    if (status == WD_OK) {
        status = wd_json_parse(text.bytes, text.length, ret_copy, NULL);
    }
    wd_buffer_done(&text);
    return status;
}

// Three criteria, one expected change, the eighteen ignored places.
static const char task_text[] =
    "{\"apps\":[\"store\"],\"params\":{\"wifi\":true},\"criteria\":{\"os.settings\":{\"$exists\":true},"
    "\"os.locale\":{\"$ne\":null},\"os.missing\":{\"$exists\":false}},\"expected_changes\":[\"os.settings\"]"
    "}";

static wd_status subject_init(subject *of)
{
    *of = (subject){ .status = WD_OK };
    wd_status status = wd_json_parse(task_text, strlen(task_text), &of->task, NULL);
    return status == WD_OK ? wd_rules_new(of->task, &of->rules) : status;
}

static void subject_done(subject *of)
{
    wd_rules_destroy(&of->rules);
    wd_value_unref(&of->task);
    cJSON_Delete(of->cjson_before);
    cJSON_Delete(of->cjson_after);
}

static void add_row(
    wd_bench *bench, subject *of, const char *name, void (*body)(void *context), double baseline)
{
    double us = wd_bench_time(bench, body, of) / 1e3;
    if (of->status != WD_OK) {
        wd_bench_fail(bench, "%s: %s", name, wd_status_text(of->status));
        return;
    }
    wd_bench_add(bench, &(wd_bench_row){ .name = name, .value = us, .unit = "us", .baseline = baseline });
}

// A run in which a step in four changes one of the places, and the last state is the final one.
static void bench_run(wd_bench *bench, subject *of, const wd_value *initial, const wd_places *places)
{
    wd_value *states[STEPS] = { NULL };
    wd_trace_step steps[STEPS];
    const wd_value *last = initial;
    for (size_t i = 0; i < STEPS; i++) {
        states[i] = wd_value_ref(last);
        if (i % (STEPS / CHANGED) == 0 && of->status == WD_OK) {
            of->status = wd_place_write(&places->items[i / (STEPS / CHANGED)], &states[i]);
        }
        steps[i] = (wd_trace_step){ .number = (int64_t)i + 1, .state = states[i] };
        last = states[i];
    }
    of->input.final = last;
    add_row(bench, of, "verdict, 5 changes", judge, 0);
    of->input.trace = (wd_trace){ .steps = steps, .count = STEPS };
    add_row(bench, of, "verdict with culprits, 20 steps", judge, 0);
    of->input.trace = (wd_trace){ .steps = NULL };
    wd_value *apart = NULL;
    of->status = of->status == WD_OK ? unshared(last, &apart) : of->status;
    of->input.final = apart;
    of->cjson_before = cjson_of(initial);
    of->cjson_after = cjson_of(last);
    double naive = wd_bench_time(bench, walk, of) / 1e3;
    add_row(bench, of, "verdict, nothing shared", judge, naive);
    wd_value_unref(&apart);
    for (size_t i = 0; i < STEPS; i++) {
        wd_value_unref(&states[i]);
    }
}

void bench_judge(wd_bench *bench)
{
    subject of;
    wd_value *initial = NULL;
    wd_places places = { 0 };
    wd_status status = subject_init(&of);
    status = status == WD_OK ? wd_phone_state_make(SEED, 0, &initial) : status;
    status = status == WD_OK ? wd_places_pick(initial, NULL, SEED, CHANGED, &places) : status;
    if (status != WD_OK) {
        wd_bench_fail(bench, "judge: %s", wd_status_text(status));
    } else {
        of.input = (wd_judge_input){ .rules = of.rules, .initial = initial };
        add_row(bench, &of, "compiling a task", compile, 0);
        bench_run(bench, &of, initial, &places);
    }
    wd_places_done(&places);
    wd_value_unref(&initial);
    subject_done(&of);
}
