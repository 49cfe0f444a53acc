// Tests sim/src/lua_library.c, lua_text.c, lua_source.c, lua_context.c, lua_value.c: expressions and what they give.
#include "pack_memory.h"

#include "tree/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const struct expression {
    const char *lua, *json;  // json NULL: an error, whose text holds:
    const char *says;
} expressions[] = {
    { "text(1.5)", "\"1.5\"", NULL },
    { "text(2.0)", "\"2.0\"", NULL },
    { "text(1e16)", "\"1e+16\"", NULL },
    { "text(null)", "\"null\"", NULL },
    { "number('12')", "12", NULL },
    { "number('1.50')", "1.5", NULL },
    { "number('x')", "null", NULL },
    { "type(ctx.state.list)", "\"list\"", NULL },
    { "type(ctx.state)", "\"record\"", NULL },
    { "type(null)", "\"null\"", NULL },
    { "type(ctx.state.absent)", "\"nil\"", NULL },
    { "ctx.state.null_member == null", "true", NULL },
    { "ctx.state.absent == nil", "true", NULL },
    { "ctx.state.list[2]", "2", NULL },
    { "#ctx.state.list", "3", NULL },
    { "ctx.state.list[4] == nil", "true", NULL },
    { "keys(ctx.state.record)", "[\"z\",\"a\"]", NULL },
    { "keys({ z = 1, a = 2, 'one' })", "[1,\"a\",\"z\"]", NULL },
    { "sum(ctx.state.list)", "6", NULL },
    { "map(ctx.state.list, function(x) return x > 1 and x * 10 or nil end)", "[20,30]", NULL },
    { "filter(range(1, 6), function(x) return x % 2 == 0 end)", "[2,4,6]", NULL },
    { "find(ctx.state.rows, 'id', 'b').n", "2", NULL },
    { "find(ctx.state.rows, function(r) return r.n == 3 end).id", "\"c\"", NULL },
    { "index_of(ctx.state.list, 3)", "3", NULL },
    { "index_of(ctx.state.list, 9) == nil", "true", NULL },
    { "slice(ctx.state.list, 2)", "[2,3]", NULL },
    { "slice(ctx.state.list, 0, 1)", "[1]", NULL },
    { "with(ctx.state.list, 4)", "[1,2,3,4]", NULL },
    { "without(ctx.state.list, 2)", "[1,3]", NULL },
    { "without({ 1 }, 1)", "[]", NULL },
    { "{}", "{}", NULL },
    { "empty()", "[]", NULL },
    { "map(sorted(ctx.state.rows, 'k'), function(r) return r.id end)", "[\"b\",\"a\",\"c\"]", NULL },
    { "map(sorted(ctx.state.rows, 'k', true), function(r) return r.id end)", "[\"a\",\"c\",\"b\"]", NULL },
    { "copy(ctx.state.record)", "{\"a\":2,\"z\":1}", NULL },
    { "same(ctx.state.record, { a = 2 })", "false", NULL },
    { "floor(-1.5)", "-2", NULL },
    { "min(2, 1) + max(2, 1)", "3", NULL },
    { "upper('aé')", "\"Aé\"", NULL },
    { "trim('  x ')", "\"x\"", NULL },
    { "contains('Wang Fang', 'wang')", "true", NULL },
    { "contains('x', '')", "true", NULL },
    { "starts('abc', 'ab')", "true", NULL },
    { "split('a/b//c', '/')", "[\"a\",\"b\",\"\",\"c\"]", NULL },
    { "join({ 'a', 1, 'b' }, '-')", "\"a-1-b\"", NULL },
    { "join(ctx.state.list, '+')", "\"1+2+3\"", NULL },
    { "length('设置a')", "3", NULL },
    { "sub('设置a', 2, 3)", "\"置a\"", NULL },
    { "sub('abc', 2)", "\"bc\"", NULL },
    { "sub('abc', 1, 0)", "\"\"", NULL },
    { "times('ab', 3)", "\"ababab\"", NULL },
    { "digits('+1 (23)')", "\"123\"", NULL },
    { "cents(1205)", "\"12.05\"", NULL },
    { "cents(-5)", "\"-0.05\"", NULL },
    { "pad(7, 3)", "\"007\"", NULL },
    { "date(1767528000000).hour", "20", NULL },
    { "date(1767528000000).weekday", "0", NULL },
    { "date(951782400000).day", "29", NULL },
    { "t('hello')", "\"你好\"", NULL },
    { "ctx.locale", "\"zh\"", NULL },
    // joined texts
    { "'a' .. 1 .. 'b'", "\"a1b\"", NULL },
    { "'a' .. 1 + 2 .. 'b'", "\"a3b\"", NULL },
    { "1 .. 2 .. ''", "\"12\"", NULL },
    { "('a' .. 'b') .. ({ 'x' })[1] .. #'abc'", "\"abx3\"", NULL },
    { "'-- no comment' .. [[ ..]] --[[ a .. b ]] .. 'z'", "\"-- no comment ..z\"", NULL },
    { "'a' .. ctx.state.record.z .. keys(ctx.state.record)[1]", "\"a1z\"", NULL },
    { "('a' .. 'b' == 'ab') and 'x' .. 1 < 'x2'", "true", NULL },
    { "'a' .. 0.5", NULL, "a number with a fraction is written by text(x)" },
    { "1 / 2 .. 'a'", NULL, "a number with a fraction is written by text(x)" },
    { "'a' .. ctx.state.half .. 'b'", NULL, "a number with a fraction is written by text(x)" },
    { "'a' .. nil", NULL, "a nil cannot be joined to a text" },
    { "'a' .. ctx.state.record", NULL, "a state value or null cannot be joined to a text" },
    // what is not there
    { "string", "null", NULL },
    { "('x'):upper()", NULL, "attempt to index a string value" },
    { "ctx.state.list.x.y", NULL, "attempt to index a nil value" },
    { "null.x", NULL, "null has no members" },
    { "ctx.unknown", NULL, "ctx has no member 'unknown'" },
    { "function() end", NULL, "a function is no value" },
    { "{ 1, x = 2 }", NULL, "a table is a list or has names only" },
    { "1 / 0", NULL, "a number must be finite" },
    { "times('x', 100000)", NULL, "the text becomes too long" },
    { "sorted({ {}, {} }, function(x) return x end)", NULL, "sorted: a key is a table" },
};

static void expression_gives_expected(void **state)
{
    const struct expression *row = *state;
    static const char *const directories[] = { "packs" };
    char lua[1024];
    snprintf(lua, sizeof lua,
        "function sum(list) local s = 0 for _, x in ipairs(list) do s = s + x end return s end\n"
        "screens['/'] = function(ctx) return screen{} end\nviews.view_it = function(ctx) return %s\nend",
        row->lua);
    const pack_memory_file files[] = {
        { "packs/demo/app.lua", lua },
        { "packs/demo/defaults.json",
            "{\"null_member\":null,\"half\":0.5,\"list\":[1,2,3],\"record\":{\"z\":1,\"a\":2},\"rows\":[{"
            "\"id\":\"a\",\"n\":1,"
            "\"k\":2},{\"id\":\"b\",\"n\":2,\"k\":1},{\"id\":\"c\",\"n\":3,\"k\":2}]}" },
        { NULL, NULL },
    };
    const wd_pack_source source = pack_memory_source(files);
    wd_packs *packs = NULL;
    wd_host *host = NULL;
    wd_device *device = NULL;
    wd_value *seen = NULL;
    wd_value *answer = NULL;
    wd_error error = { 0 };
    assert_int_equal(wd_packs_load(&source, directories, 1, &packs, &error), WD_OK);
    if (wd_packs_fault_count(packs) > 0) {
        fail_msg("%s", wd_packs_fault(packs, 0)->error.text);
    }
    assert_int_equal(wd_host_new(packs, &host, &error), WD_OK);
    assert_int_equal(wd_host_boot(host, 1, &device, &error), WD_OK);
    assert_int_equal(wd_device_state(device, &seen), WD_OK);
    const wd_status status = wd_phone_view(host, seen, "demo", "view_it", NULL, &answer, &error);
    if (row->json == NULL) {
        assert_int_equal(status, WD_ESCRIPT);
        if (strstr(error.text, row->says) == NULL || strstr(error.text, "demo/app.lua:") == NULL) {
            fail_msg("'%s' does not say '%s' and where", error.text, row->says);
        }
    } else {
        wd_buffer text = { 0 };
        if (status != WD_OK) {
            fail_msg("%s", error.text);
        }
        assert_int_equal(wd_json_write(answer, WD_JSON_COMPACT, &text), WD_OK);
        assert_string_equal(text.bytes, row->json);
        wd_buffer_done(&text);
    }
    wd_value_unref(&answer);
    wd_value_unref(&seen);
    wd_device_destroy(&device);
    wd_host_destroy(&host);
    wd_packs_unref(&packs);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(expressions)];
    for (size_t i = 0; i < WD_COUNT_OF(expressions); i++) {
        tests[i] = (struct CMUnitTest){ .name = expressions[i].lua,
            .test_func = expression_gives_expected,
            .initial_state = (void *)(uintptr_t)&expressions[i] };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
