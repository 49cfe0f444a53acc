/// rows.h - a test per row of a table, under the row's name. A file that uses it has `tests`, an array with room, and `count`.
#ifndef TESTS_SUPPORT_ROWS_H
#define TESTS_SUPPORT_ROWS_H

#define ADD_ROWS(rows, function)                                                                             \
    for (size_t i = 0; i < WD_COUNT_OF(rows); i++) {                                                         \
        tests[count++] = (struct CMUnitTest){ .name = (rows)[i].name,                                        \
            .test_func = (function),                                                                         \
            .initial_state = (void *)(uintptr_t) & (rows)[i] };                                              \
    }

#endif
