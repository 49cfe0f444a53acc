/// dialect_text.h - a model's reply taken apart: reasoning on one side, what is to be done on the other.
#ifndef SEMANTIC_DIALECT_TEXT_H
#define SEMANTIC_DIALECT_TEXT_H

#include "text_util.h"

#include "tree/json.h"

wd_span wd_span_trim(wd_span span);                      // blanks, newlines, U+FEFF at both ends
bool wd_span_is_nocase(wd_span span, const char *text);  // equal but for ASCII case
/// Part of `span` from `start` (at most its length).
wd_span wd_span_from(wd_span span, size_t start);
/// First and last place of `text`, ASCII case ignored; span.length when it is not there.
size_t wd_span_find(wd_span span, const char *text);
size_t wd_span_find_last(wd_span span, const char *text);

/// A reply taken apart. `body` is what follows the reasoning: tags (<think>, <answer>, <action>, <tool_call>), code
/// fences, special tokens (<|begin_of_box|>) and a byte order mark are gone.
typedef struct wd_reply_text {
    wd_buffer clean;  // owns what the spans point to
    wd_span thought;  // length 0: none
    wd_span body;
} wd_reply_text;

/// @retval WD_ENOMEM  nothing to clean up.
WD_NODISCARD wd_status wd_reply_text_init(wd_reply_text *text, const char *raw, size_t length);
void wd_reply_text_done(wd_reply_text *text);

/// The labelled parts "Thought: ... Action: ..." (also "Reason:", "Observation:", "### Action ###"). Gives the text
/// after the last label "Action" up to the next known label. *ret_labelled says whether there is such a label at
/// all; without one the body is given, unless it begins as reasoning ("Thought: ..."): then nothing is.
/// `thought` becomes the reasoning in front of it where there was none yet.
wd_span wd_reply_action_part(wd_reply_text *text, bool *ret_labelled);
/// The labelled action in front of *part_p, for when there is nothing complete in that one (a reply cut off while it
/// went on to a next turn). False when there is none.
bool wd_reply_earlier_part(const wd_reply_text *text, wd_span *part_p);
enum { WD_REPLY_EARLIER_MAX = 8 };  // parts worth looking at

#endif
