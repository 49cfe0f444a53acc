// droidrun's portal (formats.md 1.8): a tree, what the phone says of its state, and the display's bounds;
// over the content provider wrapped in a line "Row: 0 result={...}" that holds the answer as a string.
#include "json_tree.h"

#include <string.h>

static const wd_field_name fields[] = {
    { "text", WD_FIELD_TEXT },
    { "contentdescription", WD_FIELD_DESC },
    { "hint", WD_FIELD_HINT },
    { "hinttext", WD_FIELD_HINT },
    { "resourceid", WD_FIELD_RESOURCE_ID },
    { "viewidresourcename", WD_FIELD_RESOURCE_ID },
    { "classname", WD_FIELD_CLASS },
    { "packagename", WD_FIELD_PACKAGE },
    { "bounds", WD_FIELD_RECT },
    { "boundsinscreen", WD_FIELD_RECT },
    { "isclickable", WD_NODE_CLICKABLE },
    { "islongclickable", WD_NODE_LONG_CLICKABLE },
    { "ischeckable", WD_NODE_CHECKABLE },
    { "ischecked", WD_NODE_CHECKED },
    { "isscrollable", WD_NODE_SCROLLABLE },
    { "iseditable", WD_NODE_EDITABLE },
    { "isenabled", WD_NODE_ENABLED },
    { "isfocused", WD_NODE_FOCUSED },
    { "isselected", WD_NODE_SELECTED },
    { "ispassword", WD_NODE_PASSWORD },
    { "isvisibletouser", WD_NODE_VISIBLE },
};

static const wd_tree_format format = { fields, WD_COUNT_OF(fields), "children", NULL };

/// One root, or a list of them.
static wd_status read_nodes(wd_screen_draft *draft, wd_pull *pull)
{
    if (pull->token == WD_PULL_OBJECT) {
        return wd_json_tree(draft, pull, &format, -1);
    }
    wd_status status = WD_OK;
    wd_pull_scope scope = wd_pull_enter(pull);
    while (pull->token != WD_PULL_ERROR && status == WD_OK && wd_pull_more(pull, scope)) {
        if (pull->token == WD_PULL_OBJECT) {
            status = wd_json_tree(draft, pull, &format, -1);
        }
    }
    return status;
}

static wd_status read_phone_state(wd_screen_draft *draft, wd_pull *pull)
{
    wd_status status = WD_OK;
    wd_scene_info *info = &draft->info;
    wd_pull_scope scope = wd_pull_enter(pull);
    while (status == WD_OK && wd_pull_more(pull, scope)) {
        if (pull->token != WD_PULL_STRING || pull->text.length == 0) {
            continue;  // an empty text is no app
        }
        if (wd_key_is(pull->key, "packagename")) {
            status = wd_json_text(draft, pull, &info->app_package);
            info->app_source = "phone_state";
        } else if (wd_key_is(pull->key, "currentapp")) {
            status = wd_json_text(draft, pull, &info->app_label);
        } else if (wd_key_is(pull->key, "activity") || wd_key_is(pull->key, "activityname")) {
            status = wd_json_text(draft, pull, &info->activity);
            info->activity_source = "phone_state";
        }
    }
    return status;
}

static void read_context(wd_screen_draft *draft, wd_pull *pull)
{
    wd_pull_scope scope = wd_pull_enter(pull);
    while (wd_pull_more(pull, scope)) {
        wd_rect rect;
        if (wd_key_is(pull->key, "screenbounds") && wd_json_rect(pull, &rect) && rect.right > 0 &&
            rect.bottom > 0) {
            draft->info.width = rect.right;
            draft->info.height = rect.bottom;
            draft->size_is_given = true;
        }
    }
}

static wd_status read_answer(wd_screen_draft *draft, wd_span text, bool may_wrap);

/// {"a11y_tree", "phone_state", "device_context"}; {"status", "result" or "data": the answer, or its text}; a
/// node.
static wd_status read_members(wd_screen_draft *draft, wd_pull *pull, bool may_wrap)
{
    wd_status status = WD_OK;
    wd_pull_scope scope = wd_pull_enter(pull);
    while (status == WD_OK && wd_pull_more(pull, scope)) {
        bool container = pull->token == WD_PULL_OBJECT || pull->token == WD_PULL_ARRAY;
        if (container && wd_key_is(pull->key, "a11ytree")) {
            status = read_nodes(draft, pull);
        } else if (pull->token == WD_PULL_OBJECT && wd_key_is(pull->key, "phonestate")) {
            status = read_phone_state(draft, pull);
        } else if (pull->token == WD_PULL_OBJECT && wd_key_is(pull->key, "devicecontext")) {
            read_context(draft, pull);
        } else if (pull->token == WD_PULL_STRING && may_wrap &&
                   (strcmp(pull->key, "result") == 0 || strcmp(pull->key, "data") == 0)) {
            status = read_answer(draft, pull->text, false);
        }
    }
    return status;
}

static bool contains(wd_span text, const char *part)
{
    return memmem(text.at, text.length, part, strlen(part)) != NULL;
}

/// A whole answer. A string inside it may be an answer again, once: the reader does not follow deeper.
static wd_status read_answer(wd_screen_draft *draft, wd_span text, bool may_wrap)
{
    wd_pull pull;
    wd_pull_init(&pull, text, draft->error);
    wd_status status = WD_OK;
    bool answer = contains(text, "a11y_tree") || contains(text, "phone_state") ||
                  (may_wrap && (contains(text, "\"result\"") || contains(text, "\"data\"")));
    wd_pull_token token = wd_pull_next(&pull);
    if (token == WD_PULL_OBJECT && answer) {
        status = read_members(draft, &pull, may_wrap);
    } else if (token == WD_PULL_OBJECT || token == WD_PULL_ARRAY) {
        status = read_nodes(draft, &pull);
    } else if (pull.status == WD_OK) {
        status = wd_error_set(draft->error, WD_ECORRUPT, "an object expected");
    }
    status = status == WD_OK ? wd_pull_finish(&pull) : status;
    status = status == WD_OK ? wd_json_end(draft, &pull) : status;
    wd_pull_done(&pull);
    return status;
}

wd_status wd_read_droidrun(wd_screen_draft *draft, const char *bytes, size_t length)
{
    wd_span text = wd_span_trim_invisible((wd_span){ bytes, length });
    const char *result = memmem(text.at, text.length < 64 ? text.length : 64, "result=", 7);
    if (wd_span_starts(text, "Row: ") && result != NULL) {
        size_t used = (size_t)(result - text.at) + 7;
        text = (wd_span){ text.at + used, text.length - used };
    }
    return read_answer(draft, text, true);
}
