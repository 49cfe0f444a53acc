#include "lines.h"

#include <stdlib.h>
#include <string.h>

static void answer(ctl_line_function function, const char *text, size_t length)
{
    wd_value *line = NULL, *result = NULL;
    wd_error error = { .text = "out of memory" };
    wd_status status = wd_json_parse(text, length, &line, &error);
    if (status == WD_OK) {
        status = function(line, &result, &error);
    }
    if (status != WD_OK) {
        status = wd_value_pack(&result, "{s:s}", "error", error.text);
    }
    if (status == WD_OK) {
        ctl_print(result, WD_JSON_COMPACT);
    } else {
        puts("{\"error\":\"out of memory\"}");
    }
    fflush(stdout);
    wd_value_unref(&line);
    wd_value_unref(&result);
}

int ctl_each_line(ctl_line_function function)
{
    char *text = NULL;
    size_t capacity = 0;
    ssize_t length;
    while ((length = getline(&text, &capacity, stdin)) >= 0) {
        if (length > 0 && text[length - 1] == '\n') {
            length -= 1;
        }
        if (length > 0) {
            answer(function, text, (size_t)length);
        }
    }
    free(text);
    return CTL_OK;
}
