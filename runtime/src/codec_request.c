// Packing a PlanRequest and an EnrichRequest. Field numbers are those of proto/worldd.proto, message by message in its order.
#include "runtime/codec.h"

#include "codec_writer.h"

enum {
    SIZE_BASE = 4096,
    SIZE_OF_NODE = 192
};  // what the buffer starts with: most requests then never grow it

static void put_rect(wd_wire_writer *writer, uint32_t field, const wd_rect *rect)
{
    size_t began = wd_wire_begin(writer, field);
    wd_wire_sint(writer, 1, rect->left);
    wd_wire_sint(writer, 2, rect->top);
    wd_wire_sint(writer, 3, rect->right);
    wd_wire_sint(writer, 4, rect->bottom);
    wd_wire_end(writer, began);
}

static void put_node(wd_wire_writer *writer, uint32_t field, const wd_node *node)
{
    size_t began = wd_wire_begin(writer, field);
    wd_wire_int(writer, 1, node->id);
    wd_wire_sint(writer, 2, node->parent);
    wd_wire_sint(writer, 3, node->window);
    wd_wire_text(writer, 4, node->class_name);
    wd_wire_text(writer, 5, node->package);
    wd_wire_text(writer, 6, node->resource_id);
    wd_wire_text(writer, 7, node->text);
    wd_wire_text(writer, 8, node->desc);
    wd_wire_text(writer, 9, node->hint);
    wd_wire_text(writer, 10, node->role);
    wd_wire_text(writer, 11, node->purpose);
    if (node->rect_state != WD_RECT_UNKNOWN) {
        put_rect(writer, 12, &node->rect);
    }
    wd_wire_uint(writer, 13, node->flags_yes);
    wd_wire_uint(writer, 14, node->flags_known);
    wd_wire_uint(writer, 15, node->system_ui);
    wd_wire_end(writer, began);
}

static void put_intent(wd_wire_writer *writer, uint32_t field, const wd_scene_intent *intent)
{
    size_t began = wd_wire_begin(writer, field);
    wd_wire_text(writer, 1, intent->text);
    wd_wire_sint(writer, 2, intent->node);
    wd_wire_end(writer, began);
}

static void put_scene(wd_wire_writer *writer, uint32_t field, const wd_scene *scene)
{
    const wd_scene_info *info = wd_scene_info_of(scene);
    size_t began = wd_wire_begin(writer, field);
    wd_wire_digest(writer, 1, wd_scene_digest(scene));
    wd_wire_text(writer, 2, info->source_format);
    wd_wire_uint(writer, 3, info->width > 0 ? (uint32_t)info->width : 0);
    wd_wire_uint(writer, 4, info->height > 0 ? (uint32_t)info->height : 0);
    wd_wire_text(writer, 5, info->app_package);
    wd_wire_text(writer, 6, info->activity);
    wd_wire_text(writer, 7, info->route);
    wd_wire_text(writer, 8, info->page);
    wd_wire_text(writer, 9, wd_page_kind_name(info->page_kind));
    for (size_t i = 0; i < wd_scene_node_count(scene); i++) {
        put_node(writer, 10, wd_scene_node(scene, i));
    }
    for (size_t i = 0; i < wd_scene_intent_count(scene); i++) {
        put_intent(writer, 11, wd_scene_intent_at(scene, i));
    }
    wd_wire_json(writer, 12, info->page_params);
    for (size_t i = 0; i < wd_scene_warning_count(scene); i++) {
        wd_wire_element(writer, 13, wd_scene_warning(scene, i));
    }
    wd_wire_text(writer, 14, wd_parse_status_name(info->parse_status));
    wd_wire_end(writer, began);
}

static void put_widget(wd_wire_writer *writer, uint32_t field, const wd_widget *widget)
{
    size_t began = wd_wire_begin(writer, field);
    wd_wire_int(writer, 1, widget->node);
    wd_wire_text(writer, 2, widget->purpose);
    wd_wire_text(writer, 3, widget->label);
    wd_wire_end(writer, began);
}

static void put_semantic(wd_wire_writer *writer, uint32_t field, const wd_semantic *semantic)
{
    const wd_semantic_init *init = wd_semantic_get(semantic);
    const wd_page_identity *page = &init->page;
    size_t began = wd_wire_begin(writer, field);
    wd_wire_text(writer, 1, page->app);
    wd_wire_text(writer, 2, page->id);
    wd_wire_text(writer, 3, page->title);
    wd_wire_text(writer, 4, page->source);
    wd_wire_double(writer, 5, page->confidence);
    wd_wire_text(writer, 6, wd_page_kind_name(page->kind));
    wd_wire_text(writer, 7, page->background_app);
    wd_wire_json(writer, 8, page->params);
    wd_wire_digest(writer, 9, page->key);
    for (size_t i = 0; i < init->intent_count; i++) {
        put_intent(writer, 10, &init->intents[i]);
    }
    for (size_t i = 0; i < init->widget_count; i++) {
        put_widget(writer, 11, &init->widgets[i]);
    }
    wd_wire_text(writer, 12, init->enricher);
    wd_wire_end(writer, began);
}

static void put_event(wd_wire_writer *writer, uint32_t field, const wd_world_event *event)
{
    size_t began = wd_wire_begin(writer, field);
    wd_wire_uint(writer, 1, event->step_index);
    wd_wire_text(writer, 2, event->app);
    wd_wire_text(writer, 3, event->page);
    if (event->scene != NULL) {
        wd_wire_digest(writer, 4, wd_scene_digest(event->scene));
    }
    wd_wire_text(writer, 5, wd_action_kind_name(event->action.kind));
    wd_wire_json(writer, 6, event->args);
    wd_wire_text(writer, 7, wd_outcome_name(event->outcome));
    wd_wire_text(writer, 8, event->code);
    wd_wire_end(writer, began);
}

static void put_signals(wd_wire_writer *writer, uint32_t field, const wd_signals *signals)
{
    wd_value *value = NULL;
    wd_status status = wd_signals_to_value(signals, &value);
    if (status != WD_OK) {
        writer->status = status;
    }
    wd_wire_json(writer, field, value);
    wd_value_unref(&value);
}

static void put_world(wd_wire_writer *writer, uint32_t field, const wd_world_state *world)
{
    size_t began = wd_wire_begin(writer, field);
    wd_wire_text(writer, 1, world->current_app);
    wd_wire_text(writer, 2, world->current_app_source);
    wd_wire_text(writer, 3, world->current_page);
    wd_wire_text(writer, 4, world->current_page_source);
    wd_wire_uint(writer, 5, world->stale);
    wd_wire_json(writer, 6, world->variables);
    for (size_t i = 0; i < wd_history_count(world->history); i++) {
        put_event(writer, 7, wd_history_at(world->history, i));
    }
    wd_wire_uint(writer, 8, world->step_index);
    wd_wire_uint(writer, 9, world->repeat_count);
    wd_wire_text(writer, 10, world->last_change);
    put_signals(writer, 11, &world->signals);
    wd_wire_end(writer, began);
}

static void put_report(wd_wire_writer *writer, uint32_t field, const wd_observe_report *report)
{
    size_t began = wd_wire_begin(writer, field);
    wd_wire_uint(writer, 1, report->step_index);
    wd_wire_texts(writer, 2, report->remembered);
    wd_wire_texts(writer, 3, report->forgotten);
    wd_wire_text(writer, 4, report->refused);
    wd_wire_uint(writer, 5, report->app_changed);
    wd_wire_uint(writer, 6, report->page_changed);
    wd_wire_text(writer, 7, report->last_change);
    wd_wire_end(writer, began);
}

static void put_result(wd_wire_writer *writer, uint32_t field, const wd_plan_result *result)
{
    size_t began = wd_wire_begin(writer, field);
    wd_wire_uint(writer, 1, result->step_index);
    wd_wire_text(writer, 2, wd_action_kind_name(result->kind));
    wd_wire_json(writer, 3, result->args);
    wd_wire_text(writer, 4, wd_outcome_name(result->result.outcome));
    wd_wire_text(writer, 5, result->result.code);
    wd_wire_text(writer, 6, result->result.text);
    if (result->report != NULL) {
        put_report(writer, 7, result->report);
    }
    wd_wire_end(writer, began);
}

static void put_task(wd_wire_writer *writer, uint32_t field, const wd_plan_request *request)
{
    size_t began = wd_wire_begin(writer, field);
    wd_wire_text(writer, 1, request->task_id);
    wd_wire_text(writer, 2, request->instruction);
    wd_wire_json(writer, 3, request->params);
    wd_wire_texts(writer, 4, request->apps);
    wd_wire_end(writer, began);
}

wd_status wd_codec_pack_plan_request(const wd_plan_request *request, uint8_t **ret_body, size_t *ret_length)
{
    wd_assert(request != NULL);
    wd_assert(request->result_count == 0 || request->results != NULL);

    wd_wire_writer writer;
    size_t node_count = request->scene == NULL ? 0 : wd_scene_node_count(request->scene);
    wd_wire_init(&writer, SIZE_BASE + node_count * SIZE_OF_NODE);
    wd_wire_text(&writer, 2, request->run_id);
    put_task(&writer, 5, request);
    wd_wire_uint(&writer, 6, request->step_index);
    wd_wire_uint(&writer, 7, request->steps_left);
    if (request->scene != NULL) {
        put_scene(&writer, 8, request->scene);
    }
    if (request->semantic != NULL) {
        put_semantic(&writer, 9, request->semantic);
    }
    if (request->world != NULL) {
        put_world(&writer, 10, request->world);
    }
    size_t dropped =
        request->result_count > WD_PLAN_RESULTS_MAX ? request->result_count - WD_PLAN_RESULTS_MAX : 0;
    for (size_t i = dropped; i < request->result_count; i++) {
        put_result(&writer, 11, &request->results[i]);
    }
    wd_wire_text(&writer, 12, request->user_reply);
    wd_wire_uint(&writer, 13, request->imagine_left);
    return wd_wire_finish(&writer, ret_body, ret_length);  // never empty: the task is always there
}

wd_status wd_codec_pack_enrich_request(
    const wd_enrich_request *request, uint8_t **ret_body, size_t *ret_length)
{
    wd_assert(request != NULL && request->scene != NULL && request->suggestion != NULL);

    wd_wire_writer writer;
    wd_wire_init(&writer, SIZE_BASE + wd_scene_node_count(request->scene) * SIZE_OF_NODE);
    wd_wire_text(&writer, 2, request->run_id);
    wd_wire_text(&writer, 5, request->instruction);
    put_scene(&writer, 6, request->scene);
    put_semantic(&writer, 7, request->suggestion);
    return wd_wire_finish(&writer, ret_body, ret_length);
}
