// The header frame: 8 bytes that turn a stranger away.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "proto/frame.h"

static const struct frame_case {
    const char *name, *bytes;
    size_t length;
    wd_frame_verdict verdict;
    uint16_t kind;
} frame_cases[] = {
    { "ping", "WD\1\0\4\0\0\0", 8, WD_FRAME_OK, WD_MSG_PING },
    { "a newer minor version is read", "WD\1\xff\4\0\0\0", 8, WD_FRAME_OK, WD_MSG_PING },
    { "nothing", "", 0, WD_FRAME_SHORT, 0 },
    { "one byte less", "WD\1\0\4\0\0", 7, WD_FRAME_SHORT, 0 },
    { "one byte more", "WD\1\0\4\0\0\0\0", 9, WD_FRAME_SHORT, 0 },
    { "wrong first letter", "wD\1\0\4\0\0\0", 8, WD_FRAME_STRANGER, 0 },
    { "wrong second letter", "Wd\1\0\4\0\0\0", 8, WD_FRAME_STRANGER, 0 },
    { "major 0", "WD\0\0\4\0\0\0", 8, WD_FRAME_VERSION, 0 },
    { "major 2", "WD\2\0\4\0\0\0", 8, WD_FRAME_VERSION, 0 },
    { "kind 0", "WD\1\0\0\0\0\0", 8, WD_FRAME_KIND, 0 },
    { "a kind between two", "WD\1\0\x09\0\0\0", 8, WD_FRAME_KIND, 9 },
    { "the kind's high byte counts", "WD\1\0\4\1\0\0", 8, WD_FRAME_KIND, 0x104 },
    { "the last kind", "WD\1\0\x22\0\0\0", 8, WD_FRAME_OK, WD_MSG_REPLY },
    { "a flag", "WD\1\0\4\0\1\0", 8, WD_FRAME_FLAGS, WD_MSG_PING },
    { "a high flag", "WD\1\0\4\0\0\x80", 8, WD_FRAME_FLAGS, WD_MSG_PING },
};

static void header_is_judged(void **state)
{
    const struct frame_case *row = *state;
    uint16_t kind = 0;
    assert_int_equal(wd_frame_read(row->bytes, row->length, &kind), row->verdict);
    assert_int_equal(kind, row->kind);
    assert_true(strlen(wd_frame_verdict_text(row->verdict)) > 0);
}

static void written_headers_are_read(void **state)
{
    (void)state;
    for (unsigned number = 0; number <= UINT16_MAX; number++) {
        uint8_t header[WD_FRAME_HEADER_SIZE];
        uint16_t kind = 0;
        wd_frame_write((uint16_t)number, header);
        wd_frame_verdict verdict = wd_frame_read(header, sizeof header, &kind);
        assert_int_equal(verdict, wd_msg_name((uint16_t)number) == NULL ? WD_FRAME_KIND : WD_FRAME_OK);
        assert_int_equal(kind, number);
    }
}

int main(void)
{
    enum { CASES = sizeof frame_cases / sizeof frame_cases[0] };
    struct CMUnitTest tests[CASES + 1];
    for (size_t i = 0; i < CASES; i++) {
        tests[i] = (struct CMUnitTest){ .name = frame_cases[i].name,
            .test_func = header_is_judged,
            .initial_state = (void *)(uintptr_t)&frame_cases[i] };
    }
    tests[CASES] = (struct CMUnitTest)cmocka_unit_test(written_headers_are_read);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
