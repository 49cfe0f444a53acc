/// dialect_build.h - what the dialects have in common when they turn arguments into actions, and their table.
#ifndef SEMANTIC_DIALECT_BUILD_H
#define SEMANTIC_DIALECT_BUILD_H

#include "dialect_text.h"
#include "semantic/dialect.h"

/// Collects the actions of a reply. Between wd_build_begin() and wd_build_end() the setters below fill `now`; the
/// first thing that is wrong with it makes it invalid, and the setters after that do nothing. `status` holds
/// WD_ENOMEM once memory was short.
typedef struct wd_builder {
    wd_reply *reply;
    const wd_dialect_options *options;
    wd_space space;
    bool recorded;  // arguments of a log, not of a model's reply: typed text is taken as it stands
    wd_status status;
    wd_action now;
    bool refused;
} wd_builder;

void wd_build_begin(wd_builder *builder, wd_action_kind kind, wd_span raw);
void wd_build_end(wd_builder *builder);
/// An action of this kind without arguments.
void wd_build_plain(wd_builder *builder, wd_action_kind kind, wd_span raw);
/// An invalid action: nothing in `raw` that could be executed, because of ...
void wd_build_invalid(wd_builder *builder, wd_span raw, const char *format, ...) WD_PRINTF(3, 4);
/// The action under way is wrong, because of ...
void wd_build_refuse(wd_builder *builder, const char *format, ...) WD_PRINTF(2, 3);

// Setters. `value` is the argument as it was read, NULL when it was not given. `name` is what errors call it.

/// [x, y], [x1, y1, x2, y2] (a box: its centre), "x,y", "<point>x y</point>", "(x,y)", {"x":..,"y":..}.
void wd_build_point(wd_builder *builder, const char *name, const wd_value *value);
void wd_build_point2(wd_builder *builder, const char *name, const wd_value *value);
/// Two numbers, or texts of numbers.
void wd_build_xy(wd_builder *builder, const wd_value *x, const wd_value *y);
void wd_build_xy2(wd_builder *builder, const wd_value *x, const wd_value *y);
/// A whole number from `low` on, or its text.
void wd_build_index(wd_builder *builder, const char *name, const wd_value *value, int32_t low);
/// Text that must be there. A scalar that is no string counts as its text.
void wd_build_text(wd_builder *builder, const char *name, const wd_value *value, char **field);
/// The same, but its absence is fine.
void wd_build_text_maybe(wd_builder *builder, const char *name, const wd_value *value, char **field);
/// Text to type: newlines at its end mean that enter is pressed afterwards.
void wd_build_typed(wd_builder *builder, const char *name, const wd_value *value);
void wd_build_string(wd_builder *builder, wd_span text, char **field);
/// Seconds as a number, or as a text that may name its unit ("2 seconds", "500 ms"). Absence is fine.
void wd_build_seconds(wd_builder *builder, const char *name, const wd_value *value);
void wd_build_ms(wd_builder *builder, const char *name, const wd_value *value);
void wd_build_direction(
    wd_builder *builder, const char *name, const wd_value *value, wd_direction_of direction_of);

/// Numbers of a text such as "(197,525)" or "<point>200 300</point>": digits, blanks, commas, brackets and tags,
/// nothing else. @return how many there are (at most 4), -1 when the text is something else.
int wd_span_numbers(wd_span span, double ret_numbers[4]);
/// First member of the object that is there and not null.
const wd_value *wd_first_of(const wd_value *object, const char *const *names, size_t count);
#define WD_FIRST_OF(object, ...)                                                                             \
    wd_first_of(                                                                                             \
        object, (const char *const[]){ __VA_ARGS__ }, WD_COUNT_OF(((const char *const[]){ __VA_ARGS__ })))
/// The name, lower case, without blanks, '_', '-' and '.': "Long Press" and "long_press" are the same.
enum { WD_NAME_SIZE = 48 };
void wd_plain_name(const char *name, char ret_plain[WD_NAME_SIZE]);

// ---- table ----------------------------------------------------------------------------------------------------

typedef struct wd_name_kind {
    const char *name;  // as wd_plain_name() gives it
    wd_action_kind kind;
} wd_name_kind;
/// @return WD_ACTION_KIND_COUNT when the name is not in the table.
wd_action_kind wd_kind_of(const wd_name_kind *table, size_t count, const char *name);

/// A press of a named key: back, home, recents and enter are actions of their own, the rest is `key`.
void wd_build_key(wd_builder *builder, const char *name, wd_span raw);

// One per dialect: append the actions of the reply.
void wd_dialect_androidworld(wd_builder *builder, wd_reply_text *text);
void wd_dialect_uitars(wd_builder *builder, wd_reply_text *text);
void wd_dialect_venus(wd_builder *builder, wd_reply_text *text);
void wd_dialect_autoglm(wd_builder *builder, wd_reply_text *text);
void wd_dialect_qwen(wd_builder *builder, wd_reply_text *text);
void wd_dialect_agentcpm(wd_builder *builder, wd_reply_text *text);
void wd_dialect_gelab(wd_builder *builder, wd_reply_text *text);
void wd_dialect_mobilegym(wd_builder *builder, wd_reply_text *text);
void wd_dialect_appagent(wd_builder *builder, wd_reply_text *text);
void wd_dialect_mobileagent_v2(wd_builder *builder, wd_reply_text *text);
void wd_dialect_mobileagent_e(wd_builder *builder, wd_reply_text *text);
void wd_dialect_anthropic(wd_builder *builder, wd_reply_text *text);
void wd_dialect_openai(wd_builder *builder, wd_reply_text *text);
void wd_dialect_canonical(wd_builder *builder, wd_reply_text *text);

// The same from an object that is read already, for episodes.
void wd_androidworld_action(wd_builder *builder, const wd_value *object, wd_span raw);
void wd_qwen_action(wd_builder *builder, const wd_value *object, wd_span raw);
void wd_mobilegym_action(wd_builder *builder, const char *type, const wd_value *data, wd_span raw);
/// `shortcuts`: learned ones by name, as the log holds them; NULL when there are none.
void wd_mobileagent_e_action(
    wd_builder *builder, const wd_value *object, const wd_value *shortcuts, wd_span raw);

#endif
