#include "scene_select.h"

#include <stdbool.h>
#include <string.h>

/// In the order of the bits of Node.flags_yes (worldd.proto).
static const char *const flag_names[] = { "clickable", "long_clickable", "checkable", "checked", "scrollable",
    "editable", "enabled", "focused", "selected", "password", "visible" };

enum { FLAG_CHECKED = 3, FLAG_COUNT = sizeof flag_names / sizeof flag_names[0] };

static bool id_matches(const char *id, const char *wanted)
{
    const char *short_id = strstr(id, ":id/");
    return strcmp(id, wanted) == 0 || (short_id != NULL && strcmp(short_id + 4, wanted) == 0);
}

/// Equal but for blanks at both ends.
static bool text_matches(const char *text, const char *wanted)
{
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    wanted += strspn(wanted, blanks);
    size_t length = strlen(text), wanted_length = strlen(wanted);
    while (length > 0 && strchr(blanks, text[length - 1]) != NULL) {
        length--;
    }
    while (wanted_length > 0 && strchr(blanks, wanted[wanted_length - 1]) != NULL) {
        wanted_length--;
    }
    return length == wanted_length && memcmp(text, wanted, length) == 0;
}

static bool node_matches(const Worldd__V1__Node *node, const cJSON *selector)
{
    const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(selector, "resource_id"));
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(selector, "text"));
    const char *role = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(selector, "role"));
    const cJSON *checked = cJSON_GetObjectItemCaseSensitive(selector, "checked");
    bool is_checked = (node->flags_yes >> FLAG_CHECKED & 1) != 0;
    return !node->system_ui && (id == NULL || id_matches(node->resource_id, id)) &&
           (text == NULL || text_matches(node->text, text) || text_matches(node->desc, text)) &&
           (role == NULL || strcmp(node->role, role) == 0) &&
           (!cJSON_IsBool(checked) || cJSON_IsTrue(checked) == is_checked);
}

const Worldd__V1__Node *wd_scene_select(
    const Worldd__V1__Scene *scene, const cJSON *selector, size_t *ret_count)
{
    const cJSON *ordinal = cJSON_GetObjectItemCaseSensitive(selector, "ordinal");
    const Worldd__V1__Node *found = NULL;
    *ret_count = 0;
    for (size_t i = 0; scene != NULL && i < scene->n_nodes; i++) {
        if (node_matches(scene->nodes[i], selector)) {
            if (cJSON_IsNumber(ordinal) ? ordinal->valuedouble == (double)*ret_count : *ret_count == 0) {
                found = scene->nodes[i];
            }
            *ret_count += 1;
        }
    }
    return cJSON_IsNumber(ordinal) || *ret_count == 1 ? found : NULL;
}

cJSON *wd_node_take(const Worldd__V1__Node *node, const char *what)
{
    for (unsigned flag = 0; flag < FLAG_COUNT; flag++) {
        if (strcmp(what, flag_names[flag]) == 0) {
            bool known = (node->flags_known >> flag & 1) != 0;
            return known ? cJSON_CreateBool((node->flags_yes >> flag & 1) != 0) : cJSON_CreateNull();
        }
    }
    const char *label = node->text[0] != '\0' ? node->text : node->desc[0] != '\0' ? node->desc : node->hint;
    const struct {
        const char *name, *text;
    } texts[] = { { "text", node->text }, { "desc", node->desc }, { "hint", node->hint }, { "label", label },
        { "resource_id", node->resource_id }, { "role", node->role } };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(what, texts[i].name) == 0) {
            return cJSON_CreateString(texts[i].text);
        }
    }
    return strcmp(what, "id") == 0 ? cJSON_CreateNumber(node->id) : NULL;
}
