#include "scene_private.h"
#include "value_fields.h"

#include <limits.h>

// ---- writing ----------------------------------------------------------------------------------------------

static wd_status put_rect(wd_value **object_p, const char *name, wd_rect rect)
{
    const int32_t sides[] = { rect.left, rect.top, rect.right, rect.bottom };
    wd_value *array = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; i < WD_COUNT_OF(sides) && status == WD_OK; i++) {
        wd_value *side = NULL;
        status = wd_value_int(sides[i], &side);
        TRY(status, wd_append_taken(&array, &side));
    }
    TRY(status, wd_object_set(object_p, name, &array));
    wd_value_unref(&array);
    return status;
}

static wd_status put_tristate(wd_value **object_p, const char *name, wd_tristate value)
{
    return value == WD_UNKNOWN ? WD_OK : wd_put_bool(object_p, name, value == WD_YES);
}

static wd_status put_flags(wd_value **object_p, const wd_node *node)
{
    if (node->flags_known == 0) {
        return WD_OK;
    }
    wd_value *flags = wd_value_object();
    wd_status status = WD_OK;
    for (int flag = 0; flag < WD_NODE_FLAG_COUNT; flag++) {
        TRY(status, put_tristate(&flags, wd_scene_flag_names[flag], wd_node_get(node, (wd_node_flag)flag)));
    }
    TRY(status, wd_object_set(object_p, "flags", &flags));
    wd_value_unref(&flags);
    return status;
}

wd_status wd_node_to_value(const wd_node *node, wd_value **ret_value)
{
    wd_value *object = wd_value_object();
    wd_status status = wd_put_int(&object, "id", node->id);
    TRY(status, wd_put_int(&object, "parent", node->parent));
    TRY(status, wd_put_int(&object, "window", node->window));
#define X(field) TRY(status, wd_put_text(&object, #field, node->field));
    WD_NODE_NAMES(X)
    WD_NODE_TEXTS(X)
#undef X
    if (node->rect_state != WD_RECT_UNKNOWN) {
        TRY(status, put_rect(&object, "rect", node->rect));
    }
    if (node->rect_state != WD_RECT_OK) {
        TRY(status, wd_put_text(&object, "rect_state", wd_scene_rect_state_names[node->rect_state]));
    }
    TRY(status, put_flags(&object, node));
    if (node->system_ui) {
        TRY(status, wd_put_bool(&object, "system_ui", true));
    }
    if (status != WD_OK) {
        wd_value_unref(&object);
        return status;
    }
    *ret_value = object;
    return WD_OK;
}

static wd_status window_to_value(const wd_window *window, wd_value **ret_value)
{
    wd_value *object = wd_value_object();
    wd_status status = wd_put_text(&object, "package", window->package);
    TRY(status, wd_put_text(&object, "title", window->title));
    TRY(status, wd_put_text(&object, "type", wd_scene_window_type_names[window->type]));
    TRY(status, wd_put_int(&object, "layer", window->layer));
    TRY(status, wd_put_int(&object, "display_id", window->display_id));
    TRY(status, put_tristate(&object, "focused", window->focused));
    TRY(status, put_tristate(&object, "active", window->active));
    TRY(status, put_rect(&object, "bounds", window->bounds));
    if (status != WD_OK) {
        wd_value_unref(&object);
        return status;
    }
    *ret_value = object;
    return WD_OK;
}

static wd_status put_count(wd_value **object_p, const char *name, int64_t number)
{
    return number == 0 ? WD_OK : wd_put_int(object_p, name, number);
}

static wd_status put_info(wd_value **object_p, const wd_scene_info *info)
{
    wd_status status = WD_OK;
#define X(field) TRY(status, wd_put_text(object_p, #field, info->field));
    WD_INFO_TEXTS(X)
#undef X
    TRY(status, put_count(object_p, "captured_at_ms", info->captured_at_ms));
    TRY(status, put_count(object_p, "display_id", info->display_id));
    TRY(status, put_count(object_p, "width", info->width));
    TRY(status, put_count(object_p, "height", info->height));
    if (info->page_confidence > 0) {
        TRY(status, wd_put_double(object_p, "page_confidence", info->page_confidence));
    }
    TRY(status, wd_put_value(object_p, "page_params", info->page_params));
    if (info->page_kind != WD_PAGE_UNKNOWN) {
        TRY(status, wd_put_text(object_p, "page_kind", wd_page_kind_name(info->page_kind)));
    }
    if (info->stale_suspect) {
        TRY(status, wd_put_bool(object_p, "stale_suspect", true));
    }
    TRY(status, wd_put_text(object_p, "parse_status", wd_parse_status_name(info->parse_status)));
    return status;
}

static wd_status put_windows(wd_value **object_p, const wd_scene *scene)
{
    wd_value *windows = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; i < scene->window_count && status == WD_OK; i++) {
        wd_value *window = NULL;
        status = window_to_value(&scene->windows[i], &window);
        TRY(status, wd_append_taken(&windows, &window));
    }
    TRY(status, wd_object_set(object_p, "windows", &windows));
    wd_value_unref(&windows);
    return status;
}

static wd_status put_nodes(wd_value **object_p, const wd_scene *scene)
{
    wd_value *nodes = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; i < scene->node_count && status == WD_OK; i++) {
        wd_value *node = NULL;
        status = wd_node_to_value(&scene->nodes[i], &node);
        TRY(status, wd_append_taken(&nodes, &node));
    }
    TRY(status, wd_object_set(object_p, "nodes", &nodes));
    wd_value_unref(&nodes);
    return status;
}

static wd_status put_warnings(wd_value **object_p, const wd_scene *scene)
{
    wd_value *warnings = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; i < scene->warning_count && status == WD_OK; i++) {
        wd_value *warning = NULL;
        status = wd_value_text(scene->warnings[i], &warning);
        TRY(status, wd_append_taken(&warnings, &warning));
    }
    TRY(status, wd_object_set(object_p, "warnings", &warnings));
    wd_value_unref(&warnings);
    return status;
}

static wd_status scene_to_value(const wd_scene *scene, bool nodes, wd_value **ret_value)
{
    wd_value *object = wd_value_object();
    wd_status status = put_info(&object, &scene->info);
    TRY(status, put_windows(&object, scene));
    TRY(status, nodes ? put_nodes(&object, scene) : WD_OK);
    TRY(status, wd_put_intents(&object, scene->intents, scene->intent_count));
    TRY(status, put_warnings(&object, scene));
    if (status != WD_OK) {
        wd_value_unref(&object);
        return status;
    }
    *ret_value = object;
    return WD_OK;
}

wd_status wd_scene_to_value(const wd_scene *scene, wd_value **ret_value)
{
    return scene_to_value(scene, true, ret_value);
}

wd_status wd_scene_head_to_value(const wd_scene *scene, wd_value **ret_value)
{
    return scene_to_value(scene, false, ret_value);
}

// ---- reading ----------------------------------------------------------------------------------------------

static wd_rect read_rect(wd_field_reader *reader, const char *name)
{
    wd_rect rect = { 0, 0, 0, 0 };
    const wd_value *array = wd_read_kind(reader, name, WD_KIND_ARRAY);
    if (array == NULL) {
        return rect;
    }
    int32_t *const sides[] = { &rect.left, &rect.top, &rect.right, &rect.bottom };
    bool four = wd_array_count(array) == WD_COUNT_OF(sides);
    for (size_t i = 0; four && i < WD_COUNT_OF(sides); i++) {
        int64_t side = wd_value_int_or(wd_array_at(array, i), INT64_MAX);
        four = side >= INT32_MIN && side <= INT32_MAX;
        *sides[i] = four ? (int32_t)side : 0;
    }
    if (!four) {
        wd_read_refuse(reader, "%s: [left, top, right, bottom] expected, four 32-bit integers", name);
    }
    return rect;
}

static wd_tristate read_tristate(wd_field_reader *reader, const char *name)
{
    const wd_value *value = wd_read_kind(reader, name, WD_KIND_BOOL);
    return value == NULL ? WD_UNKNOWN : wd_value_as_bool(value) ? WD_YES : WD_NO;
}

static void read_flags(wd_field_reader *reader, wd_node *node)
{
    wd_field_reader flags = { .object = wd_read_kind(reader, "flags", WD_KIND_OBJECT),
        .error = reader->error };
    for (int flag = 0; flags.object != NULL && flag < WD_NODE_FLAG_COUNT; flag++) {
        wd_node_set(node, (wd_node_flag)flag, read_tristate(&flags, wd_scene_flag_names[flag]));
    }
    if (flags.status != WD_OK) {
        wd_error_prefix(reader->error, "flags");
        reader->status = flags.status;
    }
}

static wd_status read_node(
    const wd_value *value, size_t id, size_t window_count, wd_scene_builder *builder, wd_error *error)
{
    wd_field_reader reader = { .object = value, .error = error };
    wd_node node = { 0 };
    if (!wd_value_is(value, WD_KIND_OBJECT)) {
        wd_read_refuse(&reader, "object expected");
    }
    (void)wd_read_int(&reader, "id", (int64_t)id, (int64_t)id, (int64_t)id);
    node.parent = (int32_t)wd_read_int(&reader, "parent", -1, (int64_t)id - 1, -1);
    node.window = (int32_t)wd_read_int(&reader, "window", -1, (int64_t)window_count - 1, -1);
#define X(field) node.field = wd_read_text(&reader, #field);
    WD_NODE_NAMES(X)
    WD_NODE_TEXTS(X)
#undef X
    bool has_rect = wd_object_get(value, "rect") != NULL;
    node.rect = read_rect(&reader, "rect");
    node.rect_state = (wd_rect_state)wd_read_name(&reader, "rect_state", wd_scene_rect_state_names,
        WD_COUNT_OF(wd_scene_rect_state_names), has_rect ? WD_RECT_OK : WD_RECT_UNKNOWN);
    read_flags(&reader, &node);
    node.system_ui = wd_read_bool(&reader, "system_ui", false);
    return reader.status == WD_OK ? wd_scene_builder_node(builder, &node, NULL) : reader.status;
}

static wd_status read_window(const wd_value *value, wd_scene_builder *builder, wd_error *error)
{
    wd_field_reader reader = { .object = value, .error = error };
    if (!wd_value_is(value, WD_KIND_OBJECT)) {
        wd_read_refuse(&reader, "object expected");
    }
    wd_window window = {
        .package = wd_read_text(&reader, "package"),
        .title = wd_read_text(&reader, "title"),
        .type = (wd_window_type)wd_read_name(&reader, "type", wd_scene_window_type_names,
            WD_COUNT_OF(wd_scene_window_type_names), WD_WINDOW_UNKNOWN),
        .layer = (int32_t)wd_read_int(&reader, "layer", INT32_MIN, INT32_MAX, 0),
        .display_id = (int32_t)wd_read_int(&reader, "display_id", INT32_MIN, INT32_MAX, 0),
        .focused = read_tristate(&reader, "focused"),
        .active = read_tristate(&reader, "active"),
        .bounds = read_rect(&reader, "bounds"),
    };
    return reader.status == WD_OK ? wd_scene_builder_window(builder, &window) : reader.status;
}

static void read_info(wd_field_reader *reader, wd_scene_info *info)
{
#define X(field) info->field = wd_read_text(reader, #field);
    WD_INFO_TEXTS(X)
#undef X
    info->captured_at_ms = wd_read_int(reader, "captured_at_ms", INT64_MIN, INT64_MAX, 0);
    info->display_id = (int32_t)wd_read_int(reader, "display_id", INT32_MIN, INT32_MAX, 0);
    info->width = (int32_t)wd_read_int(reader, "width", 0, INT32_MAX, 0);
    info->height = (int32_t)wd_read_int(reader, "height", 0, INT32_MAX, 0);
    info->page_confidence = wd_read_double(reader, "page_confidence", 0, 1, 0);
    const wd_value *params = wd_read_kind(reader, "page_params", WD_KIND_OBJECT);
    info->page_params = (wd_value *)(uintptr_t)params;  // borrowed; the builder takes its own reference
    info->page_kind = (wd_page_kind)wd_read_name(
        reader, "page_kind", wd_scene_page_kind_names, WD_PAGE_KIND_COUNT, WD_PAGE_UNKNOWN);
    info->stale_suspect = wd_read_bool(reader, "stale_suspect", false);
    info->parse_status = (wd_parse_status)wd_read_name(reader, "parse_status", wd_scene_parse_status_names,
        WD_COUNT_OF(wd_scene_parse_status_names), WD_PARSE_OK);
}

static wd_status read_lists(
    wd_field_reader *reader, wd_scene_builder *builder, const wd_value *windows, const wd_value *nodes)
{
    wd_status status = WD_OK;
    for (size_t i = 0; i < wd_array_count(windows) && status == WD_OK; i++) {
        status = read_window(wd_array_at(windows, i), builder, reader->error);
        if (status != WD_OK) {
            wd_error_prefix(reader->error, "windows[%zu]", i);
        }
    }
    for (size_t i = 0; i < wd_array_count(nodes) && status == WD_OK; i++) {
        status = read_node(wd_array_at(nodes, i), i, wd_array_count(windows), builder, reader->error);
        if (status != WD_OK) {
            wd_error_prefix(reader->error, "nodes[%zu]", i);
        }
    }
    return status;
}

static wd_status read_scene(wd_field_reader *reader, wd_scene_builder *builder, wd_scene **ret_scene)
{
    wd_scene_info info = { 0 };
    read_info(reader, &info);
    const wd_value *windows = wd_read_kind(reader, "windows", WD_KIND_ARRAY);
    const wd_value *nodes = wd_read_kind(reader, "nodes", WD_KIND_ARRAY);
    const wd_value *warnings = wd_read_kind(reader, "warnings", WD_KIND_ARRAY);
    wd_status status = reader->status;
    TRY(status, read_lists(reader, builder, windows, nodes));

    wd_scene_intent intents[WD_SCENE_INTENTS_MAX];
    size_t intent_count = 0;
    TRY(status, wd_read_intents(reader, (int64_t)wd_array_count(nodes), intents, &intent_count));
    for (size_t i = 0; i < intent_count && status == WD_OK; i++) {
        status = wd_scene_builder_intent(builder, &intents[i]);
    }
    for (size_t i = 0; i < wd_array_count(warnings) && status == WD_OK; i++) {
        status = wd_scene_builder_warning(builder, "%s", wd_value_string_or(wd_array_at(warnings, i), ""));
    }
    TRY(status, wd_scene_builder_finish(builder, &info, ret_scene));
    return status;
}

wd_status wd_scene_from_value(const wd_value *value, wd_scene **ret_scene, wd_error *error)
{
    if (!wd_value_is(value, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_EINVAL, "scene: object expected");
    }
    wd_scene_builder *builder = NULL;
    wd_status status = wd_scene_builder_new(&builder);
    wd_error place = { .status = WD_OK };
    if (status == WD_OK) {
        wd_field_reader reader = { .object = value, .error = &place };
        status = read_scene(&reader, builder, ret_scene);
    }
    wd_scene_builder_destroy(&builder);
    if (status == WD_OK) {
        return WD_OK;
    }
    return wd_error_set(error, status, "%s", place.status != WD_OK ? place.text : wd_status_text(status));
}
