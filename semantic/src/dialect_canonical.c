#include "dialect_build.h"

#include "loose.h"

#include <string.h>

static void canonical_action(wd_builder *builder, const wd_value *object, wd_span raw)
{
    const wd_value *kind = wd_object_get(object, "kind");
    if (!wd_value_is(kind, WD_KIND_STRING)) {
        wd_build_invalid(builder, raw, "kind: a string is missing");
        return;
    }
    wd_error error = { .text = "" };
    wd_action action;
    wd_status status = wd_action_from_value(wd_value_as_string(kind, NULL), object, &action, &error);
    if (status == WD_ENOMEM) {
        builder->status = status;
    } else if (status != WD_OK) {
        wd_build_invalid(builder, raw, "%s", error.text);
    } else {
        wd_build_begin(builder, action.kind, raw);
        char *own = builder->now.raw;
        if (action.raw == NULL) {
            action.raw = own;
        } else {
            wd_action_done(&builder->now);
        }
        builder->now = action;
        wd_build_end(builder);
    }
}

void wd_dialect_canonical(wd_builder *builder, wd_reply_text *text)
{
    size_t start = 0;
    size_t end = 0;
    wd_value *value = NULL;
    wd_status status = wd_loose_parse(text->body.at, text->body.length, &value, NULL, NULL);
    if (status == WD_OK && wd_value_is(value, WD_KIND_ARRAY)) {
        for (size_t i = 0; builder->status == WD_OK && i < wd_array_count(value); i++) {
            canonical_action(builder, wd_array_at(value, i), text->body);
        }
    } else {
        wd_value_unref(&value);
        status = wd_loose_last_object(text->body.at, text->body.length, &value, &start, &end);
        if (status == WD_OK) {
            canonical_action(builder, value, (wd_span){ text->body.at + start, end - start });
        }
    }
    builder->status = status == WD_ENOMEM ? status : builder->status;
    wd_value_unref(&value);
}
