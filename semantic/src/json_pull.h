/// json_pull.h - foreign JSON, token by token: no tree, no recursion, memory of the longest text and the
/// depth.
///
/// Lenient where other tools' files are: Python's True, False, None and quotes, lone surrogates and bytes
/// that are no UTF-8 (U+FFFD each, counted), trailing commas. Not lenient about structure: what is cut off is
/// an error.
#ifndef SEMANTIC_JSON_PULL_H
#define SEMANTIC_JSON_PULL_H

#include "text_util.h"
#include "tree/status.h"

typedef enum wd_pull_token {
    WD_PULL_ERROR,  // `status` says what; also memory
    WD_PULL_DONE,   // the whole value was read
    WD_PULL_OBJECT,
    WD_PULL_OBJECT_END,
    WD_PULL_ARRAY,
    WD_PULL_ARRAY_END,
    WD_PULL_STRING,  // `text`, decoded
    WD_PULL_NUMBER,  // `number`; NaN and infinities are null
    WD_PULL_TRUE,
    WD_PULL_FALSE,
    WD_PULL_NULL,
} wd_pull_token;

enum {
    WD_PULL_DEPTH_MAX = 1000 * 1000,
    WD_PULL_KEY_MAX = 64,  // bytes kept of a member's name; the names we know are shorter
};

typedef struct wd_pull {
    const char *start, *at, *end;
    wd_pull_token token;
    char key[WD_PULL_KEY_MAX];  // of the member whose value the token is or begins; "" in an array
    wd_span text;               // valid until the next token
    double number;
    size_t depth;     // open containers
    size_t replaced;  // characters that became U+FFFD
    wd_status status;
    wd_error *error;
    // private
    char *scratch;
    size_t scratch_size;
    unsigned char *is_array;  // a bit per open container
    size_t is_array_size;
} wd_pull;

/// `text` is borrowed until wd_pull_done(). `error` may be NULL.
void wd_pull_init(wd_pull *pull, wd_span text, wd_error *error);
void wd_pull_done(wd_pull *pull);

wd_pull_token wd_pull_next(wd_pull *pull);

/// Inside the container whose opening token was read last: `while (wd_pull_more(&pull, scope))` gives its
/// members or elements one by one, skipping what was not read of the one before. Ends at the closing token or
/// an error.
typedef struct wd_pull_scope {
    size_t depth;
} wd_pull_scope;
wd_pull_scope wd_pull_enter(const wd_pull *pull);
bool wd_pull_more(wd_pull *pull, wd_pull_scope scope);

/// Read to the end of the value that was begun, and let nothing but blanks follow.
/// @retval WD_ECORRUPT, WD_ENOMEM  as in `status`.
wd_status wd_pull_finish(wd_pull *pull);

/// A string literal at `pull->at` (on the quote), for readers of Python text. False: an error.
bool wd_pull_literal(wd_pull *pull);

/// Is the current token an int32 (fractions cut)?
bool wd_pull_int(const wd_pull *pull, int32_t *ret_number);

#endif
