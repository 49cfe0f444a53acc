// Element lists as JSON: an array, an object that holds one, or lines "UI element 3: {...}" with JSON keys
// and Python booleans, as run histories have them.
#include "androidworld.h"

#include <string.h>

/// [x_min, x_max, y_min, y_max]: the pair of x comes first.
static void read_box_array(wd_pull *pull, wd_element_box *box)
{
    static const char *const order[] = { "xmin", "xmax", "ymin", "ymax" };
    wd_pull_scope scope = wd_pull_enter(pull);
    for (size_t i = 0; wd_pull_more(pull, scope); i++) {
        if (i < WD_COUNT_OF(order) && pull->token == WD_PULL_NUMBER) {
            wd_element_side(box, order[i], pull->number);
        } else {
            box->sides += WD_COUNT_OF(order) + 1;  // something else: no box
        }
    }
}

static void read_box(wd_pull *pull, wd_element_box *box)
{
    if (pull->token == WD_PULL_ARRAY) {
        read_box_array(pull, box);
    }
    if (pull->token != WD_PULL_OBJECT) {
        return;
    }
    wd_pull_scope scope = wd_pull_enter(pull);
    while (wd_pull_more(pull, scope)) {
        if (pull->token == WD_PULL_NUMBER) {
            wd_element_side(box, pull->key, pull->number);
        }
    }
}

static wd_status read_element(wd_screen_draft *draft, wd_pull *pull)
{
    wd_element element;
    wd_element_init(&element);
    wd_status status = WD_OK;
    wd_pull_scope scope = wd_pull_enter(pull);
    while (status == WD_OK && wd_pull_more(pull, scope)) {
        int field = wd_element_field(pull->key);
        if (field == WD_ELEMENT_BOX) {
            read_box(pull, &element.box);
        } else if (field == WD_ELEMENT_BOX_PIXELS) {
            read_box(pull, &element.box_pixels);
        } else if (field == WD_ELEMENT_RESOURCE_NAME) {
            status = wd_json_text(draft, pull, &element.resource_name);
        } else {
            status = wd_json_set(draft, pull, field, &element.node);
        }
    }
    return status == WD_OK && pull->status == WD_OK ? wd_element_add(draft, &element)
           : status != WD_OK                        ? status
                                                    : pull->status;
}

static wd_status read_elements(wd_screen_draft *draft, wd_pull *pull)
{
    wd_status status = WD_OK;
    wd_pull_scope scope = wd_pull_enter(pull);
    while (status == WD_OK && wd_pull_more(pull, scope)) {
        if (pull->token == WD_PULL_OBJECT) {
            status = read_element(draft, pull);
        }
    }
    return status == WD_OK ? pull->status : status;
}

/// {"ui_elements": [...]} under whatever name.
static wd_status read_holder(wd_screen_draft *draft, wd_pull *pull)
{
    wd_status status = WD_OK;
    wd_pull_scope scope = wd_pull_enter(pull);
    while (status == WD_OK && wd_pull_more(pull, scope)) {
        if (pull->token == WD_PULL_ARRAY) {
            status = read_elements(draft, pull);
        }
    }
    return status == WD_OK ? pull->status : status;
}

static wd_status read_value(wd_screen_draft *draft, wd_span text)
{
    wd_pull pull;
    wd_pull_init(&pull, text, draft->error);
    wd_pull_token token = wd_pull_next(&pull);
    wd_status status = token == WD_PULL_ARRAY    ? read_elements(draft, &pull)
                       : token == WD_PULL_OBJECT ? read_holder(draft, &pull)
                       : pull.status != WD_OK    ? pull.status
                                                 : wd_error_set(draft->error, WD_ECORRUPT, "a list expected");
    status = status == WD_OK ? wd_pull_finish(&pull) : status;
    status = status == WD_OK ? wd_json_end(draft, &pull) : status;
    wd_pull_done(&pull);
    return status;
}

/// "UI element 3: {...}": the object after each heading.
static wd_status read_headings(wd_screen_draft *draft, wd_span text)
{
    wd_status status = WD_OK;
    size_t replaced = 0;
    while (status == WD_OK) {
        const char *brace = memchr(text.at, '{', text.length);
        if (brace == NULL) {
            break;
        }
        wd_pull pull;
        wd_pull_init(&pull, (wd_span){ brace, (size_t)(text.at + text.length - brace) }, draft->error);
        (void)wd_pull_next(&pull);
        status = read_element(draft, &pull);
        replaced += pull.replaced;
        text = (wd_span){ pull.at, (size_t)(pull.end - pull.at) };
        wd_pull_done(&pull);
    }
    if (status == WD_OK && replaced > 0) {
        status = wd_draft_recovered(draft, "%zu illegal characters replaced by U+FFFD", replaced);
    }
    return status;
}

wd_status wd_read_androidworld_json(wd_screen_draft *draft, const char *bytes, size_t length)
{
    wd_span text = wd_span_trim_invisible((wd_span){ bytes, length });
    if (wd_span_starts(text, "{") || wd_span_starts(text, "[")) {
        return read_value(draft, text);
    }
    return read_headings(draft, text);
}
