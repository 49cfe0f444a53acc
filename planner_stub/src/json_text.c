#include "planner_stub/json_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/// Writes one JSON string literal.
static void print_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\') {
            fprintf(out, "\\%c", *at);
        } else if (*at < 0x20) {
            fprintf(out, "\\u%04x", *at);
        } else {
            fputc(*at, out);
        }
    }
    fputc('"', out);
}

static bool print_number(FILE *out, double number)
{
    if (!isfinite(number)) {
        return false;
    }
    bool whole = number == floor(number) && fabs(number) < 9007199254740992.0;
    fprintf(out, whole ? "%.0f" : "%.17g", number);
    return true;
}

static bool print_value(FILE *out, const cJSON *json, int depth)
{
    if (depth > WD_JSON_TEXT_DEPTH_MAX) {
        return false;
    }
    if (cJSON_IsString(json)) {
        print_string(out, json->valuestring);
        return true;
    }
    if (cJSON_IsNumber(json)) {
        return print_number(out, json->valuedouble);
    }
    if (!cJSON_IsArray(json) && !cJSON_IsObject(json)) {
        fputs(cJSON_IsTrue(json) ? "true" : cJSON_IsFalse(json) ? "false" : "null", out);
        return true;
    }
    fputc(cJSON_IsArray(json) ? '[' : '{', out);
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json)
    {
        if (item != json->child) {
            fputc(',', out);
        }
        if (cJSON_IsObject(json)) {
            print_string(out, item->string);
            fputc(':', out);
        }
        if (!print_value(out, item, depth + 1)) {
            return false;
        }
    }
    fputc(cJSON_IsArray(json) ? ']' : '}', out);
    return true;
}

char *wd_json_text(const cJSON *json, size_t *ret_length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, ret_length);
    if (out == NULL) {
        return NULL;
    }
    bool whole = print_value(out, json, 0);
    if (fclose(out) != 0 || !whole) {
        free(text);
        return NULL;
    }
    return text;
}
