#include "dialect_text.h"

#include "loose.h"

#include <string.h>
#include <strings.h>

// ---- spans ----------------------------------------------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

wd_span wd_span_from(wd_span span, size_t start)
{
    return (wd_span){ span.at + start, span.length - start };
}

wd_span wd_span_trim(wd_span span)
{
    static const char mark[] = "\xef\xbb\xbf";
    for (;;) {
        if (span.length > 0 && is_blank(span.at[0])) {
            span = wd_span_from(span, 1);
        } else if (span.length >= 3 && memcmp(span.at, mark, 3) == 0) {
            span = wd_span_from(span, 3);
        } else if (span.length > 0 && is_blank(span.at[span.length - 1])) {
            span.length--;
        } else {
            return span;
        }
    }
}

bool wd_span_is_nocase(wd_span span, const char *text)
{
    return span.length == strlen(text) && strncasecmp(span.at, text, span.length) == 0;
}

static bool starts(wd_span span, size_t at, const char *text)
{
    size_t length = strlen(text);
    return length <= span.length - at &&
           (span.at[at] | 0x20) == (text[0] | 0x20) &&  // the usual case, cheaply
           strncasecmp(span.at + at, text, length) == 0;
}

size_t wd_span_find(wd_span span, const char *text)
{
    size_t at = 0;
    while (at < span.length && !starts(span, at, text)) {
        at++;
    }
    return at;
}

size_t wd_span_find_last(wd_span span, const char *text)
{
    for (size_t at = span.length; at-- > 0;) {
        if (starts(span, at, text)) {
            return at;
        }
    }
    return span.length;
}

static wd_span span_between(wd_span span, size_t start, size_t end)
{
    return (wd_span){ span.at + start, end - start };
}

// ---- cleaning -------------------------------------------------------------------------------------------------

/// Length of a special token such as <|box_start|> at the start of the span; 0 when there is none.
static size_t token_length(wd_span span)
{
    enum { TOKEN_MAX = 40 };
    if (span.length < 5 || span.at[0] != '<' || span.at[1] != '|') {
        return 0;
    }
    size_t at = 2;
    while (at < span.length && at < TOKEN_MAX && (is_letter(span.at[at]) || span.at[at] == '_')) {
        at++;
    }
    return at > 2 && at + 1 < span.length && span.at[at] == '|' && span.at[at + 1] == '>' ? at + 2 : 0;
}

/// Length of the line at the start of the span if it is a code fence, newline included; 0 else.
static size_t fence_length(wd_span span)
{
    size_t at = 0;
    while (at < span.length && (span.at[at] == ' ' || span.at[at] == '\t')) {
        at++;
    }
    if (!starts(span, at, "```")) {
        return 0;
    }
    at += 3;
    while (at < span.length && (is_letter(span.at[at]) || span.at[at] == ' ' || span.at[at] == '\r')) {
        at++;
    }
    return at == span.length ? at : span.at[at] == '\n' ? at + 1 : 0;
}

/// In place: drop tokens and fence lines.
static void strip_marks(wd_buffer *buffer)
{
    wd_span rest = { buffer->bytes, buffer->length };
    size_t kept = 0;
    bool line_start = true;
    while (rest.length > 0) {
        size_t dropped = token_length(rest);
        if (dropped == 0 && line_start) {
            dropped = fence_length(rest);
        }
        if (dropped == 0) {
            line_start = rest.at[0] == '\n';
            buffer->bytes[kept++] = rest.at[0];
            dropped = 1;
        }
        rest = wd_span_from(rest, dropped);
    }
    buffer->length = kept;
}

// ---- tags -----------------------------------------------------------------------------------------------------

/// The reasoning in front: everything up to the last closing tag. An opening tag that is never closed means that
/// the reply was cut off while the model was thinking, unless an answer's tag follows.
static void split_thought(wd_reply_text *text)
{
    static const char *const names[][2] = { { "<think>", "</think>" }, { "<thinking>", "</thinking>" },
        { "<thought>", "</thought>" } };
    for (size_t i = 0; i < WD_COUNT_OF(names); i++) {
        size_t open = wd_span_find(text->body, names[i][0]);
        size_t close = wd_span_find_last(text->body, names[i][1]);
        size_t inner = open < close ? open + strlen(names[i][0]) : 0;
        if (close < text->body.length) {
            text->thought = span_between(text->body, inner, close);
            text->body = wd_span_from(text->body, close + strlen(names[i][1]));
            return;
        }
        if (open < text->body.length) {
            inner = open + strlen(names[i][0]);
            size_t answer = wd_span_find_last(text->body, "<answer>");
            if (answer == text->body.length) {
                answer = wd_span_find_last(text->body, "<tool_call>");
            }
            bool answered = answer > open && answer < text->body.length;
            text->thought = span_between(text->body, inner, answered ? answer : text->body.length);
            text->body = answered ? wd_span_from(text->body, answer) : span_between(text->body, 0, open);
            return;
        }
    }
}

/// Go inside the last <answer>, <action> or <tool_call>; what stands in front of it is reasoning.
static void enter_answer(wd_reply_text *text)
{
    static const char *const names[][2] = { { "<answer>", "</answer>" }, { "<action>", "</action>" },
        { "<tool_call>", "</tool_call>" } };
    for (size_t i = 0; i < WD_COUNT_OF(names); i++) {
        size_t open = wd_span_find_last(text->body, names[i][0]);
        if (open < text->body.length) {
            if (text->thought.length == 0) {
                text->thought = span_between(text->body, 0, open);
            }
            text->body = wd_span_from(text->body, open + strlen(names[i][0]));
        }
        size_t close = wd_span_find(text->body, names[i][1]);
        text->body.length = close;
    }
}

wd_status wd_reply_text_init(wd_reply_text *text, const char *raw, size_t length)
{
    *text = (wd_reply_text){ .thought = { "", 0 } };
    wd_status status = wd_buffer_append(&text->clean, "", 0);
    if (status == WD_OK) {
        status = wd_loose_clean(raw, length, &text->clean);
    }
    if (status != WD_OK) {
        wd_buffer_done(&text->clean);
        return status;
    }
    strip_marks(&text->clean);
    text->body = (wd_span){ text->clean.bytes, text->clean.length };
    split_thought(text);
    enter_answer(text);
    text->thought = wd_span_trim(text->thought);
    text->body = wd_span_trim(text->body);
    return WD_OK;
}

void wd_reply_text_done(wd_reply_text *text)
{
    wd_buffer_done(&text->clean);
}

// ---- labels ---------------------------------------------------------------------------------------------------

static const char *const labels[] = { "Thought", "Reason", "Observation", "Summary", "Reflection",
    "Operation", "Description", "Answer", "Action" };
enum {
    LABEL_ACTION = WD_COUNT_OF(labels) - 1,
    LABEL_REASONING = 2,  // labels below are the model's reasoning, the next one belongs to it
    LABEL_SAYS_NOTHING = 3,
};

/// The label at a line's start: "Action:", "**Action:**", "### Action ###". Returns its length, 0 when there is none.
static size_t label_length(wd_span line, size_t *ret_label)
{
    size_t at = 0;
    while (at < line.length && (line.at[at] == '#' || line.at[at] == '*' || line.at[at] == ' ')) {
        at++;
    }
    bool heading = at > 0 && line.at[0] == '#';
    for (size_t i = 0; i < WD_COUNT_OF(labels); i++) {
        if (!starts(line, at, labels[i])) {
            continue;
        }
        size_t end = at + strlen(labels[i]);
        size_t marks = end;
        while (end < line.length && strchr("*# \t", line.at[end]) != NULL && line.at[end] != '\0') {
            end++;
        }
        bool colon = end < line.length && line.at[end] == ':';
        bool closed = heading && (end == line.length || line.at[end] == '\n') && end >= marks;
        if (!colon && !closed) {
            return 0;
        }
        end += colon ? 1 : 0;
        while (end < line.length && line.at[end] == '*') {
            end++;
        }
        *ret_label = i;
        return end;
    }
    return 0;
}

/// Place of the next label at or after `at`, on a line of its own start; span.length when there is none.
static size_t next_label(wd_span span, size_t at, size_t *ret_label, size_t *ret_end)
{
    while (at < span.length) {
        size_t length = label_length(wd_span_from(span, at), ret_label);
        if (length > 0) {
            *ret_end = at + length;
            return at;
        }
        const char *newline = memchr(span.at + at, '\n', span.length - at);
        at = newline == NULL ? span.length : (size_t)(newline - span.at) + 1;
    }
    return span.length;
}

/// "Reason: ... Action: {...}" on one line: the label stands after a blank.
static size_t inline_action(wd_span span)
{
    size_t at = wd_span_find_last(span, " Action:");
    return at < span.length ? at + 1 : span.length;
}

/// What the labels of a body say: where the last action stands, where its reasoning, and how the body begins.
typedef struct label_scan {
    size_t first;                  // label at the very start, WD_COUNT_OF(labels) none
    size_t start, inner, stop;     // of the action: its label, its text, the next label
    size_t thought, thought_stop;  // of the last reasoning in front of it
} label_scan;

static label_scan scan_labels(wd_span body)
{
    label_scan scan = { WD_COUNT_OF(labels), body.length, body.length, body.length, body.length,
        body.length };
    size_t label = WD_COUNT_OF(labels);
    size_t end = 0;
    for (size_t at = next_label(body, 0, &label, &end); at < body.length;
         at = next_label(body, end, &label, &end)) {
        scan.first = at == 0 ? label : scan.first;
        if (scan.thought < body.length && scan.thought_stop == body.length) {
            scan.thought_stop = at;
        }
        if (label == LABEL_ACTION) {
            scan.start = at;
            scan.inner = end;
            scan.stop = body.length;
        } else if (scan.start < body.length && scan.stop == body.length) {
            scan.stop = at;
        }
        if (label < LABEL_REASONING) {
            scan.thought = end;
            scan.thought_stop = body.length;
        }
    }
    return scan;
}

wd_span wd_reply_action_part(wd_reply_text *text, bool *ret_labelled)
{
    wd_span body = text->body;
    label_scan scan = scan_labels(body);
    if (scan.start == body.length) {
        scan.start = inline_action(body);
        scan.inner = scan.start < body.length ? scan.start + strlen("Action:") : scan.start;
        scan.thought_stop = scan.start;
    }
    *ret_labelled = scan.start < body.length;
    if (!*ret_labelled && scan.first < LABEL_SAYS_NOTHING) {
        text->thought = text->thought.length == 0 ? body : text->thought;
        return wd_span_from(body, body.length);
    }
    if (!*ret_labelled) {
        return body;
    }
    if (text->thought.length == 0) {
        bool labelled = scan.thought < scan.start;
        size_t from = labelled ? scan.thought : 0;
        size_t to = labelled && scan.thought_stop < scan.start ? scan.thought_stop : scan.start;
        text->thought = wd_span_trim(span_between(body, from, to));
    }
    return wd_span_trim(span_between(body, scan.inner, scan.stop));
}

bool wd_reply_earlier_part(const wd_reply_text *text, wd_span *part_p)
{
    wd_span before = span_between(text->body, 0, (size_t)(part_p->at - text->body.at));
    before.length = scan_labels(before).start;  // without the label of *part_p itself
    label_scan scan = scan_labels(before);
    if (scan.start == before.length) {
        return false;
    }
    *part_p = wd_span_trim(span_between(before, scan.inner, scan.stop));
    return true;
}
