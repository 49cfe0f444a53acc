// worldctl tasks: list, show and audit task templates, without a daemon.
#include "ctl.h"
#include "phone.h"

#include "runtime/audit.h"
#include "runtime/task_instance.h"
#include "runtime/task_library.h"

#include <stdlib.h>
#include <string.h>

static const struct argp_option options[] = {
    { "seed", 's', "N", 0, "Run seed (default 0)", 0 },
    { "instance", 'n', "N", 0, "show: which instance (default 0)", 0 },
    { "param", 'k', "NAME=VALUE", 0, "show: a parameter; may be repeated", 0 },
    { "plan", 'p', NULL, 0, "show: the gold plan as a plan script for planner-stub", 0 },
    { "mutations", 'm', "N", 0, "audit: foreign changes tried (default 20)", 0 },
    { "instances", 'i', "N", 0, "audit: seeds tried (default 4)", 0 },
    { "json", 'j', NULL, 0, "JSON lines", 0 },
    { 0 },
};
static const char doc[] = "Task templates: list them, show one instance, or audit their judging - doing "
                          "nothing must not pass, the gold "
                          "plan must, a cut one must not, a foreign change must be blamed on its step.\v"
                          "Examples:\n"
                          "  worldctl tasks list 'messages/*'\n"
                          "  worldctl tasks show messages/send_text --seed 3\n"
                          "  worldctl tasks audit\n"
                          "  worldctl tasks audit messages/send_text --mutations 100\n\n"
                          "Globs are quoted, else the shell takes them. Exit codes: 0 all is well, 1 an "
                          "audit found faults, 2 could not "
                          "be done.";

typedef struct tasks_arguments {
    const char *verb;
    const char **globs;
    size_t glob_count;
    uint64_t seed, instance;
    wd_audit_options audit;
    wd_value *params;
    bool json, plan;
} tasks_arguments;

static uint64_t number_of(const char *text, uint64_t maximum, const char *name, struct argp_state *state)
{
    char *end = NULL;
    unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || number > maximum) {
        argp_error(
            state, "--%s: \"%s\" is no number from 0 to %llu", name, text, (unsigned long long)maximum);
    }
    return number;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    tasks_arguments *given = state->input;
    wd_error error;
    switch (key) {
    case 's':
        given->seed = number_of(value, INT64_MAX, "seed", state);
        return 0;
    case 'n':
        given->instance = number_of(value, UINT32_MAX, "instance", state);
        return 0;
    case 'm':
        given->audit.mutations = (unsigned)number_of(value, WD_AUDIT_MUTATIONS_MAX, "mutations", state);
        return 0;
    case 'i':
        given->audit.instances = (unsigned)number_of(value, WD_AUDIT_INSTANCES_MAX, "instances", state);
        if (given->audit.instances == 0) {
            argp_error(state, "--instances: one at least");
        }
        return 0;
    case 'k':
        if (ctl_add_param(&given->params, value, &error) != WD_OK) {
            argp_error(state, "%s", error.text);
        }
        return 0;
    case 'p':
        given->plan = true;
        return 0;
    case 'j':
        given->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (given->verb == NULL) {
            given->verb = value;
        } else {
            given->globs[given->glob_count++] = value;
        }
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/// Call `each` for every task that a glob matches. @return the worst exit code.
static int each_task(const tasks_arguments *given, const wd_config *config, void *context,
    int (*each)(const tasks_arguments *given, const wd_value *document, void *context))
{
    int worst = CTL_OK;
    for (size_t g = 0; g < (given->glob_count == 0 ? 1 : given->glob_count); g++) {
        const char *glob = given->glob_count == 0 ? NULL : given->globs[g];
        wd_value *ids = NULL;
        wd_error error;
        if (wd_task_library_list(config->tasks, glob, &ids, &error) != WD_OK) {
            return ctl_fault(&error);
        }
        if (wd_array_count(ids) == 0) {
            wd_error_set(
                &error, WD_ENOENT, "no task matches \"%s\" in %s", glob == NULL ? "*" : glob, config->tasks);
            worst = ctl_fault(&error);
        }
        wd_iter id = wd_iter_start(ids);
        while (wd_iter_next(&id)) {
            wd_value *document = NULL;
            const char *text = wd_value_as_string(id.value, NULL);
            int code = wd_task_library_read(config->tasks, text, &document, &error) == WD_OK
                           ? each(given, document, context)
                           : ctl_fault(&error);
            worst = code > worst ? code : worst;
            wd_value_unref(&document);
        }
        wd_value_unref(&ids);
    }
    return worst;
}

static const char *text_of(const wd_value *object, const char *name, const char *fallback)
{
    return wd_value_string_or(wd_object_get(object, name), fallback);
}

static int list_one(const tasks_arguments *given, const wd_value *document, void *context)
{
    (void)context;
    if (given->json) {
        wd_value *row = NULL;
        if (wd_value_pack(&row, "{s:s,s:?v,s:?v,s:?v}", "id", text_of(document, "id", "?"), "difficulty",
                wd_object_get(document, "difficulty"), "apps", wd_object_get(document, "apps"), "instruction",
                wd_object_get(document, "instruction")) == WD_OK) {
            ctl_print(row, WD_JSON_COMPACT);
        }
        wd_value_unref(&row);
        return CTL_OK;
    }
    printf("%s%-32s%s %-3s %s\n", ctl_paint(CTL_BOLD), text_of(document, "id", "?"), ctl_paint(CTL_PLAIN),
        text_of(document, "difficulty", "-"), text_of(document, "instruction", "?"));
    return CTL_OK;
}

/// The gold plan as a plan script (planner_stub/README.md): one plan of one step each.
static wd_status plan_script(const wd_value *gold, wd_value **ret_script)
{
    wd_value *plans = wd_value_array();
    wd_status status = WD_OK;
    wd_iter step = wd_iter_start(gold);
    while (status == WD_OK && wd_iter_next(&step)) {
        wd_value *plan = NULL;
        status = wd_value_pack(&plan, "{s:[v]}", "steps", step.value);
        status = status == WD_OK ? wd_array_append(&plans, &plan) : status;
        wd_value_unref(&plan);
    }
    status = status == WD_OK ? wd_value_pack(ret_script, "{s:v}", "plans", plans) : status;
    wd_value_unref(&plans);
    return status;
}

static int show_one(const tasks_arguments *given, const wd_value *document, void *context)
{
    ctl_phone *phone = context;
    wd_task_instance instance;
    wd_value *shown = NULL;
    wd_error error = { .text = "out of memory" };
    wd_task_order order = {
        .document = document,
        .params = given->params,
        .seed = given->seed,
        .instance = given->instance,
    };
    if (wd_task_instance_open(phone->host, &order, &instance, &error) != WD_OK) {
        return ctl_fault(&error);
    }
    wd_status status = WD_OK;
    if (given->plan) {
        status = plan_script(wd_object_get(instance.task.document, "gold"), &shown);
    } else {
        status = wd_value_pack(&shown, "{s:s,s:i,s:i,s:s,s:v,s:i,s:v}", "id", instance.task.id, "instance",
            (int64_t)given->instance, "seed", (int64_t)instance.seed, "instruction",
            instance.task.instruction, "params", instance.task.params, "step_limit",
            (int64_t)instance.task.step_limit, "task", instance.task.document);
    }
    if (status == WD_OK) {
        ctl_print(shown, given->json ? WD_JSON_COMPACT : WD_JSON_PRETTY);
    }
    wd_value_unref(&shown);
    wd_task_instance_done(&instance);
    return status == WD_OK ? CTL_OK : ctl_fault(&error);
}

static int audit_one(const tasks_arguments *given, const wd_value *document, void *context)
{
    ctl_phone *phone = context;
    wd_value *report = NULL;
    if (wd_audit_task(phone->host, document, &given->audit, &report) != WD_OK) {
        return ctl_fault(&(wd_error){ .text = "out of memory" });
    }
    bool ok = wd_value_bool_or(wd_object_get(report, "ok"), false);
    if (given->json) {
        ctl_print(report, WD_JSON_COMPACT);
    } else {
        printf("%s%-6s%s %-32s %3lld runs: %lld instances, %lld gold steps, %lld cuts, %lld mutations\n",
            ctl_paint(ok ? CTL_GREEN : CTL_RED), ok ? "ok" : "FAULTY", ctl_paint(CTL_PLAIN),
            text_of(report, "task", "?"), (long long)wd_value_int_or(wd_object_get(report, "runs"), 0),
            (long long)wd_value_int_or(wd_object_get(report, "instances"), 0),
            (long long)wd_value_int_or(wd_object_get(report, "steps"), 0),
            (long long)wd_value_int_or(wd_object_get(report, "cuts"), 0),
            (long long)wd_value_int_or(wd_object_get(report, "mutations"), 0));
        wd_iter fault = wd_iter_start(wd_object_get(report, "faults"));
        while (wd_iter_next(&fault)) {
            printf("       %s\n", wd_value_string_or(fault.value, "?"));
        }
    }
    fflush(stdout);
    wd_value_unref(&report);
    return ok ? CTL_OK : CTL_NO;
}

static const struct {
    const char *name;
    bool phone;
    int (*each)(const tasks_arguments *given, const wd_value *document, void *context);
} verbs[] = {
    { "list", false, list_one },
    { "show", true, show_one },
    { "audit", true, audit_one },
};

int ctl_tasks(int argc, char **argv)
{
    tasks_arguments given = {
        .params = wd_value_object(),
        .audit = wd_audit_options_default(),
        .globs = calloc((size_t)argc, sizeof *given.globs),
    };
    wd_error error = { .text = "out of memory" };
    wd_config config;
    ctl_phone phone = { 0 };
    int code = CTL_USAGE;
    if (given.globs == NULL) {
        return ctl_fault(&error);
    }
    ctl_parse(argc, argv, options, parse, "list|show|audit [ID|GLOB...]", doc, &given);
    given.audit.seed = given.seed;
    size_t at = 0;
    while (at < WD_COUNT_OF(verbs) && strcmp(verbs[at].name, given.verb) != 0) {
        at += 1;
    }
    if (at == WD_COUNT_OF(verbs)) {
        fprintf(stderr, "worldctl tasks: \"%s\" is neither list, show nor audit\n", given.verb);
    } else if (ctl_config(&config, &error) != WD_OK ||
               (verbs[at].phone && ctl_phone_open(&config, false, 0, &phone, &error) != WD_OK)) {
        code = ctl_fault(&error);
    } else {
        code = each_task(&given, &config, &phone, verbs[at].each);
    }
    ctl_phone_close(&phone);
    wd_value_unref(&given.params);
    free(given.globs);
    return code;
}
