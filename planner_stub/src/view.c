#include "planner_stub/view.h"

#include "scene_select.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(wd_view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void fail(wd_view *view, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (view->error[0] == '\0') {  // the first reason is the one that helps
        vsnprintf(view->error, sizeof view->error, format, args);
    }
    va_end(args);
}

/// A JSON object field of the request; empty gives {}.
static cJSON *parse_object(wd_view *view, const ProtobufCBinaryData *json, const char *field)
{
    cJSON *object =
        json->len == 0 ? cJSON_CreateObject() : cJSON_ParseWithLength((const char *)json->data, json->len);
    if (!cJSON_IsObject(object)) {
        fail(view, "%s: no JSON object", field);
    }
    return object;
}

bool wd_view_open(wd_view *view, const Worldd__V1__PlanRequest *request)
{
    static const ProtobufCBinaryData none = { 0, NULL };
    *view = (wd_view){ .request = request };
    view->params =
        parse_object(view, request->task == NULL ? &none : &request->task->params_json, "task.params_json");
    return view->error[0] == '\0';
}

/// Parsed when first looked at: most plans look at none.
static const cJSON *variables(wd_view *view)
{
    static const ProtobufCBinaryData none = { 0, NULL };
    const Worldd__V1__WorldState *world = view->request->world;
    if (view->variables == NULL) {
        view->variables =
            parse_object(view, world == NULL ? &none : &world->variables_json, "world.variables_json");
    }
    return view->variables;
}

void wd_view_close(wd_view *view)
{
    cJSON_Delete(view->params);
    cJSON_Delete(view->variables);
}

// ---- resolving ------------------------------------------------------------------------------------------------

/// The value a placeholder names: a binding, a parameter, var.NAME, world.FIELD.
static cJSON *look_up(wd_view *view, const char *name)
{
    const Worldd__V1__WorldState *world = view->request->world;
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(view->bindings, name);
    if (found == NULL) {
        found = cJSON_GetObjectItemCaseSensitive(view->params, name);
    }
    if (found == NULL && strncmp(name, "var.", 4) == 0) {
        found = cJSON_GetObjectItemCaseSensitive(variables(view), name + 4);
    }
    if (found != NULL) {
        return cJSON_Duplicate(found, true);
    }
    if (world != NULL && strcmp(name, "world.current_app") == 0) {
        return cJSON_CreateString(world->current_app);
    }
    if (world != NULL && strcmp(name, "world.current_page") == 0) {
        return cJSON_CreateString(world->current_page);
    }
    if (world != NULL && strcmp(name, "world.last_change") == 0) {
        return cJSON_CreateString(world->last_change);
    }
    fail(view, "{%s}: no such parameter, variable or binding", name);
    return NULL;
}

/// The length of the placeholder "{name}" at `at`, its name in ret_name; 0: none stands there.
static size_t placeholder_at(const char *at, char ret_name[64])
{
    size_t length = strcspn(at + 1, "{}");
    if (at[0] != '{' || at[1 + length] != '}' || length == 0 || length > 63) {
        return 0;
    }
    memcpy(ret_name, at + 1, length);
    ret_name[length] = '\0';
    return length + 2;
}

static void print_plain(FILE *out, const cJSON *value)
{
    if (cJSON_IsString(value)) {
        fputs(value->valuestring, out);
    } else if (cJSON_IsNumber(value)) {
        fprintf(out, "%.15g", value->valuedouble);
    } else {
        fputs(cJSON_IsTrue(value) ? "true" : cJSON_IsFalse(value) ? "false" : "", out);
    }
}

static cJSON *resolve_text(wd_view *view, const char *text)
{
    char name[64];
    if (strchr(text, '{') == NULL) {
        return cJSON_CreateString(text);
    }
    if (text[0] == '{' && placeholder_at(text, name) == strlen(text)) {
        return look_up(view, name);
    }
    char *filled = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&filled, &size);
    if (out == NULL) {
        fail(view, "out of memory");
        return NULL;
    }
    while (*text != '\0') {
        size_t length = placeholder_at(text, name);
        if (length == 0) {
            fputc(*text++, out);
            continue;
        }
        cJSON *value = look_up(view, name);
        print_plain(out, value);
        cJSON_Delete(value);
        text += length;
    }
    fclose(out);
    cJSON *string = view->error[0] == '\0' ? cJSON_CreateString(filled) : NULL;
    free(filled);
    return string;
}

static cJSON *resolve_scene(wd_view *view, const cJSON *template)
{
    cJSON *selector = wd_view_resolve(view, cJSON_GetObjectItemCaseSensitive(template, "$scene"));
    const char *take = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(template, "take"));
    cJSON *value = NULL;
    if (selector != NULL) {
        size_t count = 0;
        const Worldd__V1__Node *node = wd_scene_select(view->request->scene, selector, &count);
        if (take != NULL && strcmp(take, "count") == 0) {
            value = cJSON_CreateNumber((double)count);
        } else if (node == NULL) {
            fail(view, "$scene: %s",
                count == 0 ? "no node matches the selector" : "several nodes match the selector");
        } else {
            value = wd_node_take(node, take == NULL ? "text" : take);
            if (value == NULL) {
                fail(view, "take: \"%s\" is nothing a node has", take);
            }
        }
    }
    cJSON_Delete(selector);
    return value;
}

cJSON *wd_view_resolve(wd_view *view, const cJSON *template)
{
    if (cJSON_IsString(template)) {
        return resolve_text(view, template->valuestring);
    }
    if (cJSON_IsObject(template) && cJSON_HasObjectItem(template, "$scene")) {
        return resolve_scene(view, template);
    }
    if (!cJSON_IsArray(template) && !cJSON_IsObject(template)) {
        return cJSON_Duplicate(template, false);
    }
    cJSON *copy = cJSON_IsArray(template) ? cJSON_CreateArray() : cJSON_CreateObject();
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, template)
    {
        cJSON *resolved = wd_view_resolve(view, item);
        if (resolved == NULL) {
            fail(view, "out of memory");
            cJSON_Delete(copy);
            return NULL;
        }
        if (cJSON_IsArray(template)) {
            cJSON_AddItemToArray(copy, resolved);
        } else {
            cJSON_AddItemToObject(copy, item->string, resolved);
        }
    }
    return copy;
}

// ---- conditions -----------------------------------------------------------------------------------------------

/// `wanted` is a text, or a list of texts of which one must do. An unknown ("") is equal to nothing.
static bool text_is(const char *text, const cJSON *wanted)
{
    bool found = text[0] != '\0' && cJSON_IsString(wanted) && strcmp(text, wanted->valuestring) == 0;
    const cJSON *item = NULL;
    if (cJSON_IsArray(wanted)) {
        cJSON_ArrayForEach(item, wanted)
        {
            found = found || text_is(text, item);
        }
    }
    return found;
}

/// Every member of `wanted` is equal in `have`; null wants it absent.
static bool members_are(const cJSON *have, const cJSON *wanted)
{
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, wanted)
    {
        const cJSON *member = cJSON_GetObjectItemCaseSensitive(have, item->string);
        bool equal = cJSON_IsNull(item) ? member == NULL || cJSON_IsNull(member)
                                        : member != NULL && cJSON_Compare(member, item, true);
        if (!equal) {
            return false;
        }
    }
    return true;
}

static bool page_params_are(wd_view *view, const cJSON *wanted)
{
    const Worldd__V1__PlanRequest *request = view->request;
    const ProtobufCBinaryData *json = request->semantic != NULL ? &request->semantic->params_json
                                      : request->scene != NULL  ? &request->scene->page_params_json
                                                                : NULL;
    cJSON *params =
        json == NULL || json->len == 0 ? NULL : cJSON_ParseWithLength((const char *)json->data, json->len);
    bool equal = params != NULL && members_are(params, wanted);
    cJSON_Delete(params);
    return equal;
}

static bool any_holds(wd_view *view, const cJSON *list)
{
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, list)
    {
        if (wd_view_holds(view, item)) {
            return true;
        }
    }
    return false;
}

/// One member of a condition, its value already resolved.
static bool member_holds(wd_view *view, const char *name, const cJSON *wanted)
{
    const Worldd__V1__PlanRequest *request = view->request;
    const Worldd__V1__WorldState *world = request->world;
    if (strcmp(name, "current_app") == 0) {
        return world != NULL && text_is(world->current_app, wanted);
    }
    if (strcmp(name, "current_page") == 0) {
        return world != NULL && text_is(world->current_page, wanted);
    }
    if (strcmp(name, "title") == 0) {
        return request->semantic != NULL && text_is(request->semantic->title, wanted);
    }
    if (strcmp(name, "page_params") == 0) {
        return page_params_are(view, wanted);
    }
    if (strcmp(name, "variables") == 0) {
        return members_are(variables(view), wanted);
    }
    if (strcmp(name, "task") == 0) {
        return members_are(view->params, wanted);
    }
    if (strcmp(name, "scene") == 0) {
        size_t count = 0;
        (void)wd_scene_select(request->scene, wanted, &count);
        return count > 0;
    }
    fail(view, "condition \"%s\" is unknown", name);
    return false;
}

bool wd_view_holds(wd_view *view, const cJSON *condition)
{
    if (!cJSON_IsObject(condition)) {
        fail(view, "a condition must be an object");
        return false;
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, condition)
    {
        bool holds = false;
        if (strcmp(item->string, "not") == 0) {
            holds = !wd_view_holds(view, item);
        } else if (strcmp(item->string, "any") == 0) {
            holds = any_holds(view, item);
        } else {
            cJSON *wanted = wd_view_resolve(view, item);
            holds = wanted != NULL && member_holds(view, item->string, wanted);
            cJSON_Delete(wanted);
        }
        if (!holds || view->error[0] != '\0') {
            return false;
        }
    }
    return true;
}
