// Tests sim/src/ui_layout.c and ui_text.c: widths by the table, lines, and where elements come to stand.
#include "ui_element.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct width_case {
    const char *name, *text;
    int32_t size, width;
} widths[] = {
    { "nothing", "", 42, 0 },
    { "narrow letters", "ill", 100, 72 },
    { "a blank counts", "a a", 100, 133 },
    { "CJK is one em", "设置", 42, 84 },
    { "other letters", "é", 100, 60 },
    { "a pictograph", "😀", 42, 42 },
    { "rounded up", "i", 42, 11 },
};

static void width_is(void **state)
{
    const struct width_case *row = *state;
    assert_int_equal(wd_ui_text_width(row->text, strlen(row->text), row->size), row->width);
}

static const struct line_case {
    const char *name, *text;
    int32_t width, lines;
} lines[] = {
    { "empty is one line", "", 100, 1 },
    { "fits", "aaaa", 216, 1 },
    { "one past it", "aaaa", 215, 2 },
    { "breaks at a blank", "aaa aaa", 250, 2 },
    { "a long word breaks anywhere", "aaaaaaaa", 216, 2 },
    { "line feeds", "a\nb\n", 1000, 3 },
    { "CJK breaks anywhere", "设置设置", 200, 2 },
};

static void lines_are(void **state)
{
    const struct line_case *row = *state;
    assert_int_equal(wd_ui_text_lines(row->text, 100, row->width), row->lines);
}

static wd_ui_element *add(wd_ui_arena *arena, wd_ui_element *parent, wd_ui_kind kind, const char *text)
{
    wd_ui_element *element = wd_ui_element_new(arena, parent, kind);
    assert_non_null(element);
    element->text = text;
    return element;
}

static void assert_rect(
    const wd_ui_element *element, int32_t left, int32_t top, int32_t right, int32_t bottom)
{
    assert_int_equal(element->rect.left, left);
    assert_int_equal(element->rect.top, top);
    assert_int_equal(element->rect.right, right);
    assert_int_equal(element->rect.bottom, bottom);
}

static void column_stacks(void **state)
{
    (void)state;
    wd_ui_arena arena = { 0 };
    wd_ui_element *column = add(&arena, NULL, WD_UI_COLUMN, NULL);
    column->pad = 10;
    column->gap = 5;
    wd_ui_element *first = add(&arena, column, WD_UI_BUTTON, "x");
    wd_ui_element *second = add(&arena, column, WD_UI_ITEM, "y");
    wd_ui_layout(column, 100, 200, 500);
    assert_rect(first, 110, 210, 590, 342);
    assert_rect(second, 110, 347, 590, 515);
    assert_rect(column, 100, 200, 600, 525);
    wd_ui_arena_done(&arena);
}

static void row_shares_by_weight(void **state)
{
    (void)state;
    wd_ui_arena arena = { 0 };
    wd_ui_element *row = add(&arena, NULL, WD_UI_ROW, NULL);
    row->gap = 10;
    wd_ui_element *icon = add(&arena, row, WD_UI_ICON, NULL);
    wd_ui_element *one = add(&arena, row, WD_UI_FIELD, NULL);
    wd_ui_element *two = add(&arena, row, WD_UI_FIELD, NULL);
    two->weight = 2;
    wd_ui_layout(row, 0, 0, 1000);
    assert_rect(icon, 0, 0, 144, 144);
    assert_rect(one, 154, 0, 154 + 278 + 2, 144);  // 836 = 3 * 278 + 2: the first takes what is left
    assert_rect(two, 444, 0, 1000, 144);
    wd_ui_arena_done(&arena);
}

static void grid_fills_lines(void **state)
{
    (void)state;
    wd_ui_arena arena = { 0 };
    wd_ui_element *grid = add(&arena, NULL, WD_UI_GRID, NULL);
    grid->columns = 2;
    grid->gap = 6;
    wd_ui_element *cells[3];
    for (size_t i = 0; i < WD_COUNT_OF(cells); i++) {
        cells[i] = add(&arena, grid, WD_UI_BUTTON, "x");
    }
    wd_ui_layout(grid, 0, 0, 400);
    assert_rect(cells[1], 200, 0, 400, 132);
    assert_rect(cells[2], 0, 138, 200, 270);
    assert_rect(grid, 0, 0, 400, 270);
    wd_ui_arena_done(&arena);
}

static void body_scrolls_within_its_content(void **state)
{
    (void)state;
    static const struct {
        int32_t offset, wanted;
    } cases[] = { { -5, 0 }, { 0, 0 }, { 100, 100 }, { 680, 680 }, { 681, 680 }, { 100000, 680 } };
    const wd_rect area = { 0, 100, 500, 1100 };
    for (size_t i = 0; i < WD_COUNT_OF(cases); i++) {
        wd_ui_arena arena = { 0 };
        wd_ui_element *body = add(&arena, NULL, WD_UI_COLUMN, NULL);
        body->scroll = true;
        wd_ui_element *first = NULL;
        for (int j = 0; j < 10; j++) {
            wd_ui_element *item = add(&arena, body, WD_UI_ITEM, "x");
            first = first != NULL ? first : item;
        }
        wd_ui_layout_body(body, area, cases[i].offset);
        assert_int_equal(body->content_height, 1680);
        assert_int_equal(body->scroll_offset, cases[i].wanted);
        assert_int_equal(first->rect.top, 100 - cases[i].wanted);
        wd_ui_arena_done(&arena);
    }
}

static void a_windowed_list_keeps_its_height(void **state)
{
    (void)state;
    wd_ui_arena arena = { 0 };
    wd_ui_element *list = add(&arena, NULL, WD_UI_LIST, NULL);
    list->count = 1000;
    list->row_height = 200;
    list->first_row = 40;
    wd_ui_element *item = add(&arena, list, WD_UI_ITEM, "x");
    wd_ui_layout(list, 0, -8000, 500);
    assert_int_equal(list->rect.bottom - list->rect.top, 200000);
    assert_rect(item, 0, 0, 500, 168);
    wd_ui_arena_done(&arena);
}

static void nesting_costs_no_powers(void **state)
{
    (void)state;
    wd_ui_arena arena = { 0 };
    wd_ui_element *outer = add(&arena, NULL, WD_UI_COLUMN, NULL);
    wd_ui_element *inner = outer;
    for (int i = 0; i < WD_UI_DEPTH_MAX; i++) {
        inner = add(&arena, inner, i % 2 == 0 ? WD_UI_ROW : WD_UI_COLUMN, NULL);
    }
    (void)add(&arena, inner, WD_UI_BUTTON, "x");
    wd_ui_layout(outer, 0, 0, 1000);  // without remembered heights this would take 2^64 steps
    assert_int_equal(outer->rect.bottom, 132);
    wd_ui_arena_done(&arena);
}

int main(void)
{
    enum { OTHERS = 6 };
    struct CMUnitTest tests[WD_COUNT_OF(widths) + WD_COUNT_OF(lines) + OTHERS] = {
        cmocka_unit_test(column_stacks),
        cmocka_unit_test(row_shares_by_weight),
        cmocka_unit_test(grid_fills_lines),
        cmocka_unit_test(body_scrolls_within_its_content),
        cmocka_unit_test(a_windowed_list_keeps_its_height),
        cmocka_unit_test(nesting_costs_no_powers),
    };
    size_t count = OTHERS;
    for (size_t i = 0; i < WD_COUNT_OF(widths); i++) {
        tests[count++] = (struct CMUnitTest){
            .name = widths[i].name, .test_func = width_is, .initial_state = (void *)(uintptr_t)&widths[i]
        };
    }
    for (size_t i = 0; i < WD_COUNT_OF(lines); i++) {
        tests[count++] = (struct CMUnitTest){
            .name = lines[i].name, .test_func = lines_are, .initial_state = (void *)(uintptr_t)&lines[i]
        };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
