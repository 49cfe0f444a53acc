/// op_rows.h - tests of a device as tables: a row is a sequence of operations on a fresh phone with the
/// fixture apps.
///
/// A step's op is the name of an operation, or "@inject" (args: the patch), "@advance" (args: {"ms"}),
/// "@reload", "@state" and "@machine" (args: {"path"}: answers that part of the visible state, or of the
/// machine), "@events" (answers what happened since). `answer` NULL is not compared; "null" also means no
/// answer. A step that is refused must leave the digest what it was.
#ifndef SIM_OP_ROWS_H
#define SIM_OP_ROWS_H

#include "sim/device.h"
#include "tree/json.h"
#include "tree/path.h"

typedef struct op_step {
    const char *op, *args, *answer;
    wd_status status;
} op_step;

enum { OP_STEPS_MAX = 12 };
typedef struct op_row {
    const char *name;
    op_step steps[OP_STEPS_MAX];
} op_row;

// Steps of a row: done, asked for an answer, refused; what happened since.
#define DO(name, a)                                                                                          \
    {                                                                                                        \
        .op = name, .args = a                                                                                \
    }
#define ASK(name, a, v)                                                                                      \
    {                                                                                                        \
        .op = name, .args = a, .answer = v                                                                   \
    }
#define REFUSED(name, a, why)                                                                                \
    {                                                                                                        \
        .op = name, .args = a, .status = why                                                                 \
    }
#define EVENTS(v)                                                                                            \
    {                                                                                                        \
        .op = "@events", .answer = v                                                                         \
    }

/// A booted phone with the apps of tests/vectors/fixture-apps.json.
wd_device *op_phone(void);
/// Do what `op` says, whatever comes of it.
wd_status op_do_value(
    wd_device *device, const char *op, const wd_value *args, wd_value **ret_answer, wd_error *error);
/// A test for cmocka: *state is the row.
void op_row_holds(void **state);
/// Run rows as tests under their own names; returns the number of failures.
int op_rows_run(const char *group, const op_row *rows, size_t count);

#endif
