/// phone_script.h - drives a phone by lines of text, for tests. A line is one of
///   tap ID | type ID TEXT | do KIND JSON     an action; the first two by resource id, "ID#2" is an ordinal
///   call OP JSON                             an operation of the operating system
///   page APP/PAGE, sees TEXT, not TEXT       what the scene must show
///   code CODE                                of the last action's result; without such a line it must be "ok"
///   state PATH JSON                          what the state must hold
#ifndef TEST_PHONE_SCRIPT_H
#define TEST_PHONE_SCRIPT_H

#include "pack_files.h"
#include "tree/json.h"
#include "tree/path.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

typedef struct phone_script {
    wd_packs *packs;
    wd_host *host;
    wd_device *device;
    wd_result result;
    char locale[8];
} phone_script;

static inline void phone_script_start(phone_script *script, const char *directory)
{
    const wd_pack_source source = pack_files_source();
    wd_error error = { 0 };
    *script = (phone_script){ 0 };
    assert_int_equal(wd_packs_load(&source, &directory, 1, &script->packs, &error), WD_OK);
    for (size_t i = 0; i < wd_packs_fault_count(script->packs); i++) {
        fail_msg("%s", wd_packs_fault(script->packs, i)->error.text);
    }
    assert_int_equal(wd_host_new(script->packs, &script->host, &error), WD_OK);
    assert_int_equal(wd_host_boot(script->host, 7, &script->device, &error), WD_OK);
}

static inline void phone_script_stop(phone_script *script)
{
    wd_device_destroy(&script->device);
    wd_host_destroy(&script->host);
    wd_packs_unref(&script->packs);
}

static inline wd_scene *phone_script_scene(phone_script *script)
{
    wd_scene *scene = NULL;
    wd_error error = { 0 };
    if (wd_phone_observe(script->host, script->device, &scene, &error) != WD_OK) {
        fail_msg("observe: %s", error.text);
    }
    return scene;
}

static inline void phone_script_act(phone_script *script, const char *kind, const char *args)
{
    wd_value *value = NULL;
    wd_action action;
    wd_error error = { 0 };
    if (args[0] != '\0' && wd_json_parse(args, strlen(args), &value, &error) != WD_OK) {
        fail_msg("%s %s: %s", kind, args, error.text);
    }
    if (wd_action_from_value(kind, value, &action, &error) != WD_OK) {
        fail_msg("%s %s: %s", kind, args, error.text);
    }
    assert_int_equal(wd_phone_execute(script->host, script->device, &action, NULL, &script->result), WD_OK);
    wd_action_done(&action);
    wd_value_unref(&value);
}

static inline void phone_script_by_id(
    phone_script *script, const char *kind, const char *id, const char *text)
{
    char name[128];
    char args[1024];
    const size_t length = strcspn(id, "#");
    snprintf(name, sizeof name, "%.*s", (int)length, id);
    const char *ordinal = id[length] == '#' ? id + length + 1 : "-1";
    snprintf(args, sizeof args, "{\"selector\":{\"resource_id\":\"%s\"%s%s}%s%s%s}", name,
        ordinal[0] == '-' ? "" : ",\"ordinal\":", ordinal[0] == '-' ? "" : ordinal,
        text != NULL ? ",\"text\":\"" : "", text != NULL ? text : "", text != NULL ? "\"" : "");
    phone_script_act(script, kind, args);
}

static inline bool phone_script_shows(phone_script *script, const char *text)
{
    wd_scene *scene = phone_script_scene(script);
    bool found = false;
    for (size_t i = 0; i < wd_scene_node_count(scene); i++) {
        const wd_node *node = wd_scene_node(scene, i);
        found = found || (node->text != NULL && strcmp(node->text, text) == 0) ||
                (node->desc != NULL && strcmp(node->desc, text) == 0);
    }
    wd_scene_unref(&scene);
    return found;
}

static inline void phone_script_page(phone_script *script, const char *wanted, const char *row, int line)
{
    wd_scene *scene = phone_script_scene(script);
    char page[256];
    const wd_scene_info *info = wd_scene_info_of(scene);
    snprintf(page, sizeof page, "%s/%s", info->app_package, info->page);
    if (strcmp(page, wanted) != 0) {
        fail_msg("%s, line %d: the page is %s, not %s (%s)", row, line, page, wanted, script->result.text);
    }
    wd_scene_unref(&scene);
}

static inline void phone_script_state(
    phone_script *script, char *path, const char *wanted, const char *row, int line)
{
    wd_value *state = NULL;
    wd_buffer text = { 0 };
    assert_int_equal(wd_device_state(script->device, &state), WD_OK);
    const wd_value *found = wd_value_get_path(state, path);
    if (found != NULL) {
        assert_int_equal(wd_json_write(found, WD_JSON_COMPACT, &text), WD_OK);
    }
    if (strcmp(found != NULL ? text.bytes : "absent", wanted) != 0) {
        fail_msg(
            "%s, line %d: %s is %s, not %s", row, line, path, found != NULL ? text.bytes : "absent", wanted);
    }
    wd_buffer_done(&text);
    wd_value_unref(&state);
}

static inline void phone_script_call(phone_script *script, const char *op, const char *args)
{
    wd_value *value = NULL;
    wd_error error = { 0 };
    if (args[0] != '\0') {
        assert_int_equal(wd_json_parse(args, strlen(args), &value, &error), WD_OK);
    }
    if (wd_device_call(script->device, op, value, NULL, &error) != WD_OK) {
        fail_msg("%s %s: %s", op, args, error.text);
    }
    wd_value_unref(&value);
}

/// Run all lines of `text`; `row` names the test.
static inline void phone_script_run(phone_script *script, const char *row, const char *text)
{
    bool open_result = false;
    int line = 0;
    while (*text != '\0') {
        char buffer[1024];
        const size_t length = strcspn(text, "\n");
        snprintf(buffer, sizeof buffer, "%.*s", (int)length, text);
        text += length + (text[length] == '\n' ? 1 : 0);
        line++;
        char *rest = buffer + strcspn(buffer, " ");
        rest = *rest != '\0' ? (*rest = '\0', rest + 1) : rest;
        char *more = rest + strcspn(rest, " ");
        if (open_result && strcmp(buffer, "code") != 0 && strcmp(script->result.code, "ok") != 0) {
            fail_msg("%s, line %d: %s: %s", row, line - 1, script->result.code, script->result.text);
        }
        open_result = false;
        if (strcmp(buffer, "tap") == 0 || strcmp(buffer, "type") == 0) {
            more = *more != '\0' ? (*more = '\0', more + 1) : NULL;
            phone_script_by_id(script, buffer, rest, more);
            open_result = true;
        } else if (strcmp(buffer, "do") == 0) {
            more = *more != '\0' ? (*more = '\0', more + 1) : more;
            phone_script_act(script, rest, more);
            open_result = true;
        } else if (strcmp(buffer, "call") == 0) {
            more = *more != '\0' ? (*more = '\0', more + 1) : more;
            phone_script_call(script, rest, more);
        } else if (strcmp(buffer, "page") == 0) {
            phone_script_page(script, rest, row, line);
        } else if (strcmp(buffer, "sees") == 0 || strcmp(buffer, "not") == 0) {
            if (phone_script_shows(script, rest) != (strcmp(buffer, "sees") == 0)) {
                fail_msg("%s, line %d: %s %s", row, line, buffer, rest);
            }
        } else if (strcmp(buffer, "code") == 0) {
            if (strcmp(script->result.code, rest) != 0) {
                fail_msg(
                    "%s, line %d: %s, not %s: %s", row, line, script->result.code, rest, script->result.text);
            }
        } else if (strcmp(buffer, "state") == 0) {
            more = *more != '\0' ? (*more = '\0', more + 1) : more;
            phone_script_state(script, rest, more, row, line);
        } else if (buffer[0] != '\0') {
            fail_msg("%s, line %d: '%s' is no word of a script", row, line, buffer);
        }
    }
    if (open_result && strcmp(script->result.code, "ok") != 0) {
        fail_msg("%s, at the end: %s: %s", row, script->result.code, script->result.text);
    }
}

#endif
