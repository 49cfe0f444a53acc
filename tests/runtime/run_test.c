// The task runner as a state machine: no sockets, no phone. A row gives the planner's replies and the device's answers and
// says how the run must end and what its steps came to.
#include "json.h"

#include "runtime/run.h"
#include "tree/alloc.h"
#include "tree/text.h"

#include <stdio.h>

/// A scene that shows `text` in app "a".
static wd_scene *scene_of(const char *text)
{
    wd_scene_builder *builder = NULL;
    wd_scene *scene = NULL;
    wd_node node = { .parent = -1, .window = -1, .text = text, .rect = { 0, 0, 10, 10 } };
    wd_scene_info info = {
        .source_format = "test", .app_package = "a", .route = "/p", .width = 100, .height = 100
    };
    assert_int_equal(wd_scene_builder_new(&builder), WD_OK);
    assert_int_equal(wd_scene_builder_node(builder, &node, NULL), WD_OK);
    assert_int_equal(wd_scene_builder_finish(builder, &info, &scene), WD_OK);
    wd_scene_builder_destroy(&builder);
    return scene;
}

/// What the fake world does. The script's replies: "tap back" are the steps of a plan by kind; a step may be
/// "kind:json-args"; "!late", "!lost", "!none", "!invalid", "!refused" are outcomes without a reply; "" is an empty plan.
typedef struct fake {
    const char *const *replies;
    const char *results;  // a character per physical step: o ok, f failed, r refused; past its end: ok
    size_t reply_next, result_next;
    unsigned screens, executed, planned;
    bool capture_fails, one_screen;
    const char
        *meanings;  // a character per enrichment: m meant, l late, i invalid, c cancelled, n nobody there
    unsigned enriched;
    char told[256];  // who made the semantic scene that each plan was asked with; "-" nobody
} fake;

static wd_semantic *meaning_of(const char *app)
{
    wd_semantic *semantic = NULL;
    wd_semantic_init init = { .page = { .app = app, .id = "read", .confidence = 1 }, .enricher = "e" };
    assert_int_equal(wd_semantic_new(&init, &semantic), WD_OK);
    return semantic;
}

static void enrich(fake *world, const wd_run_effects *effects, wd_plan_outcome *ret_outcome)
{
    assert_false(effects->begun);  // nothing is told of a scene before it is understood
    assert_string_equal(effects->enrich.instruction, "i");
    assert_non_null(effects->enrich.scene);
    assert_string_equal(wd_semantic_get(effects->enrich.suggestion)->enricher, "rules");
    char how = world->meanings[world->enriched++];
    *ret_outcome = (wd_plan_outcome){ .end = how == 'm'   ? WD_PLAN_REPLY
                                             : how == 'l' ? WD_PLAN_TOO_LATE
                                             : how == 'i' ? WD_PLAN_INVALID
                                             : how == 'c' ? WD_PLAN_CANCELED
                                                          : WD_PLAN_NO_PLANNER };
    assert_int_not_equal(how, '\0');  // the run asked once more than the row has answers
    if (how == 'm') {
        ret_outcome->semantic = meaning_of("e.app");
    }
}

static void note_told(fake *world, const wd_plan_request *request)
{
    size_t length = strlen(world->told);
    snprintf(world->told + length, sizeof world->told - length, "%s%s", length > 0 ? " " : "",
        request->semantic == NULL ? "-" : wd_semantic_get(request->semantic)->enricher);
}

static wd_plan_reply *reply_of(const char *script)
{
    wd_plan_reply *reply = wd_alloc_zero(1, sizeof *reply);
    assert_non_null(reply);
    char text[1024];
    snprintf(text, sizeof text, "%s", script);
    char *rest = text;
    for (char *word; (word = strsep(&rest, " ")) != NULL;) {
        if (word[0] == '\0') {
            continue;
        }
        wd_step *step = &reply->steps[reply->step_count++];
        char *colon = strchr(word, ':');
        if (colon != NULL) {
            *colon = '\0';
            step->args = json_of(colon + 1);
        }
        wd_error error;
        if (wd_action_from_value(word, step->args, &step->action, &error) != WD_OK) {
            wd_action_init(&step->action, WD_ACTION_INVALID);
            assert_int_equal(wd_action_set_text(&step->action.raw, word, strlen(word)), WD_OK);
            assert_int_equal(wd_action_set_text(&step->action.reason, error.text, strlen(error.text)), WD_OK);
        }
    }
    return reply;
}

static void plan(fake *world, wd_plan_outcome *ret_outcome)
{
    static const struct {
        const char *word;
        wd_plan_end end;
    } ends[] = { { "!late", WD_PLAN_TOO_LATE }, { "!lost", WD_PLAN_LOST }, { "!none", WD_PLAN_NO_PLANNER },
        { "!invalid", WD_PLAN_INVALID }, { "!refused", WD_PLAN_REFUSED }, { "!cancel", WD_PLAN_CANCELED } };
    const char *script = world->replies[world->reply_next];
    world->planned += 1;
    if (script == NULL) {
        fail_msg("the run asked once more than the row has replies");
    }
    world->reply_next += 1;
    *ret_outcome = (wd_plan_outcome){ .end = WD_PLAN_REPLY, .planner = "fake" };
    for (size_t i = 0; i < WD_COUNT_OF(ends); i++) {
        if (strcmp(script, ends[i].word) == 0) {
            ret_outcome->end = ends[i].end;
            wd_error_set(&ret_outcome->error, WD_EPEERLOST, "%s", script);
            return;
        }
    }
    ret_outcome->reply = reply_of(script);
}

static wd_result execute(fake *world)
{
    char how = world->results != NULL && world->result_next < strlen(world->results)
                   ? world->results[world->result_next]
                   : 'o';
    world->result_next += 1;
    world->executed += how != 'r';
    return how == 'f'   ? wd_result_make(WD_OUTCOME_FAILED, WD_ESTATE, "failed", "no")
           : how == 'r' ? wd_result_make(WD_OUTCOME_REFUSED, WD_EGONE, "target_gone", "no")
                        : wd_result_ok();
}

/// Drive the run to its end.
static void drive(wd_run *run, fake *world)
{
    wd_run_event event = { .kind = WD_RUN_START };
    wd_observation observation = { 0 };
    wd_plan_outcome outcome = { 0 };
    wd_result result;
    for (int turns = 0; turns < 1000; turns++) {
        wd_run_effects effects;
        char text[32];
        assert_int_equal(wd_run_step(run, &event, &effects), WD_OK);
        wd_observation_done(&observation);
        wd_plan_outcome_done(&outcome);
        switch (effects.kind) {
        case WD_RUN_DO_OBSERVE:
            snprintf(text, sizeof text, "screen %u", world->one_screen ? 0 : world->screens++);
            observation.scene = world->capture_fails ? NULL : scene_of(text);
            event = (wd_run_event){ .kind = WD_RUN_OBSERVED, .observation = &observation };
            break;
        case WD_RUN_DO_EXECUTE:
            assert_true(wd_action_is_physical(effects.action->kind));
            result = execute(world);
            event = (wd_run_event){ .kind = WD_RUN_EXECUTED, .result = &result };
            break;
        case WD_RUN_DO_PLAN:
            note_told(world, &effects.request);
            plan(world, &outcome);
            event = (wd_run_event){ .kind = WD_RUN_PLANNED, .outcome = &outcome };
            break;
        case WD_RUN_DO_ENRICH:
            enrich(world, &effects, &outcome);
            event = (wd_run_event){ .kind = WD_RUN_ENRICHED, .outcome = &outcome };
            break;
        case WD_RUN_DO_NOTHING:
            fail_msg("the run waits for nothing");
            break;
        case WD_RUN_DO_END:
            return;
        }
    }
    fail_msg("the run does not end");
}

/// "tap ok, back refused/target_gone": the steps of the context as text; free() it.
static char *steps_text(const wd_task_context *context)
{
    wd_buffer text = { 0 };
    assert_int_equal(wd_buffer_text(&text, ""), WD_OK);
    for (size_t i = 0; i < context->step_count; i++) {
        const wd_run_step_record *step = &context->steps[i];
        const char *code = step->result.code;
        assert_int_equal(step->index, i);
        assert_int_equal(step->observed, step->result.outcome != WD_OUTCOME_REFUSED);
        assert_int_equal(
            wd_buffer_format(&text, "%s%s %s%s%s", i == 0 ? "" : ", ",
                wd_action_kind_name(step->step.action.kind), wd_outcome_name(step->result.outcome),
                strcmp(code, "ok") == 0 ? "" : "/", strcmp(code, "ok") == 0 ? "" : code),
            WD_OK);
    }
    char *copy = strdup(text.bytes);
    wd_buffer_done(&text);
    return copy;
}

static wd_task task_of(const char *text)
{
    wd_value *document = json_of(text);
    wd_task task;
    wd_error error;
    if (wd_task_bind(document, NULL, &task, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    wd_value_unref(&document);
    return task;
}

#define REPLIES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const struct run_case {
    const char *name;
    const char *const *replies;
    const char *results;
    const char *steps;
    wd_ending ending;
    unsigned executed, planned;
    uint32_t step_limit, repetition_limit, invalid_limit;
    bool capture_fails;
} run_cases[] = {
    { "complete ends", REPLIES("tap:{\"x\":1,\"y\":1} complete"), NULL, "tap ok, complete ok",
        WD_END_COMPLETE, 1, 1, 0, 0, 0, false },
    { "abort ends", REPLIES("abort:{\"reason\":\"no\"}"), NULL, "abort ok", WD_END_ABORT, 0, 1, 0, 0, 0,
        false },
    { "what follows complete in its plan is not executed", REPLIES("complete back"), NULL, "complete ok",
        WD_END_COMPLETE, 0, 1, 0, 0, 0, false },
    { "a plan of several steps is asked for once", REPLIES("back home back complete"), NULL,
        "back ok, home ok, back ok, complete ok", WD_END_COMPLETE, 3, 1, 0, 0, 0, false },
    { "an answer is recorded and the run goes on", REPLIES("answer:{\"text\":\"4\"} back", "complete"), NULL,
        "answer ok, back ok, complete ok", WD_END_COMPLETE, 1, 2, 0, 0, 0, false },
    { "a failed step is observed and drops the rest", REPLIES("back home", "complete"), "f",
        "back failed/failed, complete ok", WD_END_COMPLETE, 1, 2, 0, 0, 0, false },
    { "a refused step is a result, not observed, and drops the rest", REPLIES("back home", "complete"), "r",
        "back refused/target_gone, complete ok", WD_END_COMPLETE, 0, 2, 0, 0, 0, false },
    { "an unknown action is refused and drops the rest", REPLIES("dance back", "complete"), NULL,
        "invalid refused/unknown_action, complete ok", WD_END_COMPLETE, 0, 2, 0, 0, 0, false },
    { "a later unknown action is refused as well", REPLIES("back dance home", "complete"), NULL,
        "back ok, invalid refused/unknown_action, complete ok", WD_END_COMPLETE, 1, 2, 0, 0, 0, false },
    { "the step limit", REPLIES("back home back home"), NULL, "back ok, home ok, back ok", WD_END_STEP_LIMIT,
        3, 1, 3, 0, 0, false },
    { "refused steps count towards the limit", REPLIES("back", "back", "back"), "rrr",
        "back refused/target_gone, back refused/target_gone, back refused/target_gone", WD_END_STEP_LIMIT, 0,
        3, 3, 0, 0, false },
    { "complete may be the last step of the limit", REPLIES("back complete"), NULL, "back ok, complete ok",
        WD_END_COMPLETE, 1, 1, 2, 0, 0, false },
    { "the N-th equal action is recorded, not executed", REPLIES("back back back back"), NULL,
        "back ok, back ok, back refused/repetition_limit", WD_END_REPETITION_LIMIT, 2, 1, 0, 3, 0, false },
    { "other arguments are another action",
        REPLIES("tap:{\"x\":1,\"y\":1} tap:{\"x\":1,\"y\":2} tap:{\"x\":1,\"y\":1} complete"), NULL,
        "tap ok, tap ok, tap ok, complete ok", WD_END_COMPLETE, 3, 1, 0, 2, 0, false },
    { "an empty plan is an invalid reply", REPLIES("", "complete"), NULL, "complete ok", WD_END_COMPLETE, 0,
        2, 0, 0, 3, false },
    { "too many invalid replies in a row", REPLIES("", "!invalid", ""), NULL, "", WD_END_FORMAT_ERROR, 0, 3,
        0, 0, 3, false },
    { "an invalid action first in its plan is an invalid reply", REPLIES("dance", "dance"), NULL,
        "invalid refused/unknown_action, invalid refused/unknown_action", WD_END_FORMAT_ERROR, 0, 2, 0, 0, 2,
        false },
    { "a good reply in between starts the count again", REPLIES("", "back", "", "complete"), NULL,
        "back ok, complete ok", WD_END_COMPLETE, 1, 4, 0, 0, 2, false },
    { "the planner is late", REPLIES("back", "!late"), NULL, "back ok", WD_END_PLANNER_LATE, 1, 2, 0, 0, 0,
        false },
    { "the planner is lost", REPLIES("back", "!lost"), NULL, "back ok", WD_END_PLANNER_LOST, 1, 2, 0, 0, 0,
        false },
    { "there is no planner", REPLIES("!none"), NULL, "", WD_END_PLANNER_LOST, 0, 1, 0, 0, 0, false },
    { "the planner refuses", REPLIES("!refused"), NULL, "", WD_END_PLANNER_LOST, 0, 1, 0, 0, 0, false },
    { "cancelled while it waits for a plan", REPLIES("!cancel"), NULL, "", WD_END_CANCELED, 0, 1, 0, 0, 0,
        false },
    { "a step without a scene is legal", REPLIES("back", "complete"), NULL, "back ok, complete ok",
        WD_END_COMPLETE, 1, 2, 0, 0, 0, true },
    { "ask_user asks the planner again with the reply",
        REPLIES("ask_user:{\"text\":\"size?\"} back", "complete"), NULL, "ask_user ok, complete ok",
        WD_END_COMPLETE, 0, 2, 0, 0, 0, false },
};

static wd_run *run_of(const struct run_case *row, bool world_on)
{
    wd_task task = task_of("{\"id\":\"t\",\"instruction\":\"i\",\"user\":{\"size\":\"large\"}}");
    wd_run_options options = wd_run_options_default();
    options.world.enabled = world_on;
    options.step_limit = row->step_limit;
    options.repetition_limit = row->repetition_limit;
    options.invalid_limit = row->invalid_limit == 0 ? 3 : row->invalid_limit;
    wd_run *run = NULL;
    assert_int_equal(wd_run_new("run", &task, &options, &run, NULL), WD_OK);
    wd_task_done(&task);
    return run;
}

static void run_goes_as_expected(void **state)
{
    const struct run_case *row = *state;
    // With the world model off: the same steps, the same results, the same ending.
    for (int on = 1; on >= 0; on--) {
        fake world = {
            .replies = row->replies, .results = row->results, .capture_fails = row->capture_fails
        };
        wd_run *run = run_of(row, on == 1);
        drive(run, &world);
        const wd_task_context *context = wd_run_context(run);
        char *steps = steps_text(context);
        assert_string_equal(steps, row->steps);
        assert_string_equal(wd_ending_name(wd_run_ending(run)), wd_ending_name(row->ending));
        assert_int_equal(world.executed, row->executed);
        assert_int_equal(world.planned, row->planned);
        assert_true((context->world != NULL) == (on == 1));
        if (context->world != NULL) {  // exactly one observe for each executed step
            unsigned observed = 0;
            for (size_t i = 0; i < context->step_count; i++) {
                observed += context->steps[i].observed;
            }
            assert_int_equal(context->world->step_index, observed);
        }
        free(steps);
        wd_run_destroy(&run);
        assert_null(run);
    }
}

// ---- enrichers ----------------------------------------------------------------------------------------------------

static const struct enrich_case {
    const char *name, *enricher;
    const char *meanings;
    const char
        *told;  // who made the semantic scene, a word per plan: at the start, after "back", after "home"
    bool semantic_off, one_screen, capture_fails;
} enrich_cases[] = {
    { "no enricher is wanted: worldd's own, and nobody is asked", "", "", "rules rules rules", false, false,
        false },
    { "every new scene is enriched", "*", "mmm", "e e e", false, false, false },
    { "one by name", "e", "mmm", "e e e", false, false, false },
    { "too late, invalid, nobody there: worldd's own holds", "*", "lin", "rules rules rules", false, false,
        false },
    { "cancelled is no answer either", "*", "cmm", "rules e e", false, false, false },
    { "one failure does not end the asking", "*", "mlm", "e rules e", false, false, false },
    { "a scene that was seen before is not asked for again", "*", "m", "e e e", false, true, false },
    { "nor is one that nobody answered for", "*", "l", "rules rules rules", false, true, false },
    { "semantic scenes are off", "*", "", "- - -", true, false, false },
    { "there is no scene to enrich", "*", "", "- - -", false, false, true },
};

static wd_run *enriched_run(const char *enricher, bool semantic)
{
    wd_task task = task_of("{\"id\":\"t\",\"instruction\":\"i\"}");
    wd_run_options options = wd_run_options_default();
    options.semantic = semantic;
    strcpy(options.enricher, enricher);
    wd_run *run = NULL;
    assert_int_equal(wd_run_new("run", &task, &options, &run, NULL), WD_OK);
    wd_task_done(&task);
    return run;
}

static void scenes_are_enriched(void **state)
{
    const struct enrich_case *row = *state;
    fake world = { .replies = REPLIES("back", "home", "complete"),
        .meanings = row->meanings,
        .one_screen = row->one_screen,
        .capture_fails = row->capture_fails };
    wd_run *run = enriched_run(row->enricher, !row->semantic_off);
    drive(run, &world);
    assert_string_equal(world.told, row->told);
    assert_int_equal(world.enriched, strlen(row->meanings));
    const wd_task_context *context = wd_run_context(run);
    assert_int_equal(wd_run_ending(run), WD_END_COMPLETE);
    bool last_meant = strcmp(row->told + strlen(row->told) - 1, "e") == 0;
    if (!row->semantic_off && !row->capture_fails) {  // the world model believes what was meant
        assert_string_equal(context->world->current_app, last_meant ? "e.app" : "a");
        assert_string_equal(
            wd_semantic_get(context->steps[1].semantic_after)->enricher, last_meant ? "e" : "rules");
    }
    wd_run_destroy(&run);
}

/// A run that waits for an enricher and is cancelled has begun nothing.
static void cancelled_while_it_is_enriched(void **state)
{
    (void)state;
    wd_run *run = enriched_run("*", true);
    wd_observation first = { .scene = scene_of("one") };
    wd_plan_outcome late = { .end = WD_PLAN_REPLY, .semantic = meaning_of("e.app") };
    wd_run_event events[] = { { .kind = WD_RUN_START }, { .kind = WD_RUN_OBSERVED, .observation = &first },
        { .kind = WD_RUN_CANCEL, .text = "no" }, { .kind = WD_RUN_ENRICHED, .outcome = &late } };
    const wd_run_effect_kind expected[] = { WD_RUN_DO_OBSERVE, WD_RUN_DO_ENRICH, WD_RUN_DO_END,
        WD_RUN_DO_NOTHING };
    for (size_t i = 0; i < WD_COUNT_OF(events); i++) {
        wd_run_effects effects;
        assert_int_equal(wd_run_step(run, &events[i], &effects), WD_OK);
        assert_int_equal(effects.kind, expected[i]);
        assert_false(effects.begun);
        assert_null(wd_run_context(run)->scene);
    }
    assert_int_equal(wd_run_ending(run), WD_END_CANCELED);
    wd_plan_outcome_done(&late);
    wd_run_destroy(&run);
}

// ---- single tests ---------------------------------------------------------------------------------------------------

static void the_last_answer_counts(void **state)
{
    (void)state;
    const struct run_case row = { .name = "" };
    fake world = { .replies = REPLIES(
                       "answer:{\"text\":\"3\"} answer:{\"text\":\"4\"} complete:{\"text\":\"done\"}") };
    wd_run *run = run_of(&row, true);
    drive(run, &world);
    assert_string_equal(wd_run_context(run)->answer, "4");
    assert_string_equal(wd_run_context(run)->message, "done");
    wd_run_destroy(&run);
}

static void the_planner_is_told_what_came_of_its_plan(void **state)
{
    (void)state;
    const struct run_case row = { .name = "" };
    wd_run *run = run_of(&row, true);
    wd_run_effects effects;
    wd_observation observation = { .scene = scene_of("one") };
    wd_run_event event = { .kind = WD_RUN_START };
    assert_int_equal(wd_run_step(run, &event, &effects), WD_OK);
    event = (wd_run_event){ .kind = WD_RUN_OBSERVED, .observation = &observation };
    assert_int_equal(wd_run_step(run, &event, &effects), WD_OK);
    assert_true(effects.begun);
    assert_int_equal(effects.kind, WD_RUN_DO_PLAN);
    assert_int_equal(effects.request.result_count, 0);
    assert_non_null(effects.request.world);
    wd_plan_outcome outcome = { .reply =
                                    reply_of("ask_user:{\"text\":\"which_size?\",\"remember\":{\"a\":1}}") };
    event = (wd_run_event){ .kind = WD_RUN_PLANNED, .outcome = &outcome };
    assert_int_equal(wd_run_step(run, &event, &effects), WD_OK);
    assert_int_equal(effects.kind, WD_RUN_DO_PLAN);
    assert_string_equal(effects.request.user_reply, "large");
    assert_int_equal(effects.request.result_count, 1);
    assert_int_equal(wd_array_count(effects.request.results[0].report->remembered), 1);
    assert_int_equal(effects.request.step_index, 1);
    assert_int_equal(effects.request.steps_left, WD_TASK_STEPS_DEFAULT - 1);
    wd_run_destroy(&run);
}

static void events_nobody_waits_for_change_nothing(void **state)
{
    (void)state;
    const struct run_case row = { .name = "" };
    wd_run *run = run_of(&row, true);
    wd_run_effects effects;
    wd_result result = wd_result_ok();
    wd_plan_outcome outcome = { .reply = reply_of("complete") };
    wd_run_event events[] = { { .kind = WD_RUN_EXECUTED, .result = &result },
        { .kind = WD_RUN_PLANNED, .outcome = &outcome } };
    for (size_t i = 0; i < WD_COUNT_OF(events); i++) {
        assert_int_equal(wd_run_step(run, &events[i], &effects), WD_OK);
        assert_int_equal(effects.kind, WD_RUN_DO_NOTHING);
    }
    assert_non_null(outcome.reply);  // not taken
    wd_plan_reply_destroy(&outcome.reply);
    wd_run_event lost = { .kind = WD_RUN_FAILED, .ending = WD_END_EXECUTOR_LOST, .text = "gone" };
    assert_int_equal(wd_run_step(run, &lost, &effects), WD_OK);
    assert_int_equal(effects.kind, WD_RUN_DO_END);
    assert_int_equal(wd_run_ending(run), WD_END_EXECUTOR_LOST);
    wd_run_event cancel = { .kind = WD_RUN_CANCEL, .text = "too late" };
    assert_int_equal(wd_run_step(run, &cancel, &effects), WD_OK);
    assert_int_equal(effects.kind, WD_RUN_DO_NOTHING);
    assert_int_equal(wd_run_ending(run), WD_END_EXECUTOR_LOST);
    wd_run_destroy(&run);
}

/// Every allocation fails once: the run ends with internal_error and nothing leaks. With an enricher, and without.
static void a_failed_allocation_ends_the_run_cleanly(void **state)
{
    bool enriched = *state != NULL;
    bool passed = false;
    for (long calls = 0; !passed; calls++) {
        assert_in_range(calls, 0, 400);
        wd_run *run = enriched_run(enriched ? "*" : "", true);
        wd_observation first = { .scene = scene_of("one") }, second = { .scene = scene_of("two") };
        wd_plan_outcome meant = { .end = WD_PLAN_REPLY, .semantic = meaning_of("e.app") };
        wd_plan_outcome outcome = { .reply = reply_of("back:{\"remember\":{\"a\":1}}"), .planner = "p" };
        wd_result result = wd_result_ok();
        wd_run_event events[] = {
            { .kind = WD_RUN_START }, { .kind = WD_RUN_OBSERVED, .observation = &first },
            { .kind = WD_RUN_ENRICHED, .outcome = &meant }, { .kind = WD_RUN_PLANNED, .outcome = &outcome },
            { .kind = WD_RUN_EXECUTED, .result = &result },
            { .kind = WD_RUN_OBSERVED, .observation = &second },
            { .kind = WD_RUN_ENRICHED, .outcome = &meant }
        };  // nothing is left in it: as by another's failure
        wd_run_effects effects = { 0 };
        wd_alloc_fail_after(calls);
        wd_status status = WD_OK;
        for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(events); i++) {
            if (events[i].kind != WD_RUN_ENRICHED || enriched) {
                meant.end = meant.semantic == NULL ? WD_PLAN_TOO_LATE : WD_PLAN_REPLY;
                status = wd_run_step(run, &events[i], &effects);
            }
        }
        wd_alloc_fail_after(-1);
        if (status == WD_OK) {
            passed = wd_run_context(run)->step_count == 1;
            assert_true(passed);
        } else {
            assert_int_equal(status, WD_ENOMEM);
            assert_int_equal(wd_run_ending(run), WD_END_INTERNAL_ERROR);
            assert_int_equal(effects.kind, WD_RUN_DO_END);
        }
        wd_plan_outcome_done(&outcome);
        wd_plan_outcome_done(&meant);
        wd_observation_done(&first);
        wd_observation_done(&second);
        wd_run_destroy(&run);
    }
}

int main(void)
{
    struct CMUnitTest tests[64] = {
        cmocka_unit_test(the_last_answer_counts),
        cmocka_unit_test(the_planner_is_told_what_came_of_its_plan),
        cmocka_unit_test(events_nobody_waits_for_change_nothing),
        cmocka_unit_test(cancelled_while_it_is_enriched),
        cmocka_unit_test(a_failed_allocation_ends_the_run_cleanly),
        { .name = "a_failed_allocation_ends_the_run_cleanly, enriched",
            .test_func = a_failed_allocation_ends_the_run_cleanly,
            .initial_state = (void *)(uintptr_t) "enriched" },
    };
    size_t count = 6;
    for (size_t i = 0; i < WD_COUNT_OF(enrich_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = enrich_cases[i].name,
            .test_func = scenes_are_enriched,
            .initial_state = (void *)(uintptr_t)&enrich_cases[i] };
    }
    for (size_t i = 0; i < WD_COUNT_OF(run_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = run_cases[i].name,
            .test_func = run_goes_as_expected,
            .initial_state = (void *)(uintptr_t)&run_cases[i] };
    }
    return _cmocka_run_group_tests("run", tests, count, NULL, NULL);
}
