#include "planner_stub/json_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE_START = 256, NUMBER_SIZE_MAX = 40 };

/// A growing text. Once memory is out it stays NULL.
typedef struct json_text {
    char *bytes;
    size_t length, capacity;
} json_text;

static void append(json_text *text, const char *bytes, size_t length)
{
    if (text->bytes != NULL && length > text->capacity - text->length) {
        text->capacity = 2 * (text->length + length);
        char *grown = realloc(text->bytes, text->capacity);
        if (grown == NULL) {
            free(text->bytes);
        }
        text->bytes = grown;
    }
    if (text->bytes != NULL) {
        memcpy(text->bytes + text->length, bytes, length);
        text->length += length;
    }
}

/// One JSON string literal.
static void append_string(json_text *text, const char *string)
{
    append(text, "\"", 1);
    while (*string != '\0') {
        size_t plain = 0;
        while ((unsigned char)string[plain] >= 0x20 && string[plain] != '"' && string[plain] != '\\') {
            plain++;
        }
        append(text, string, plain);
        string += plain;
        if (*string != '\0') {
            char escaped[8];
            int length = *string == '"' || *string == '\\'
                             ? snprintf(escaped, sizeof escaped, "\\%c", *string)
                             : snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)(unsigned char)*string);
            append(text, escaped, (size_t)length);
            string++;
        }
    }
    append(text, "\"", 1);
}

static bool append_number(json_text *text, double number)
{
    char digits[NUMBER_SIZE_MAX];
    if (!isfinite(number)) {
        return false;
    }
    bool whole = number == floor(number) && fabs(number) < 9007199254740992.0;
    append(text, digits, (size_t)snprintf(digits, sizeof digits, whole ? "%.0f" : "%.17g", number));
    return true;
}

static bool append_value(json_text *text, const cJSON *json, int depth)
{
    if (depth > WD_JSON_TEXT_DEPTH_MAX) {
        return false;
    }
    if (cJSON_IsString(json)) {
        append_string(text, json->valuestring);
        return true;
    }
    if (cJSON_IsNumber(json)) {
        return append_number(text, json->valuedouble);
    }
    if (!cJSON_IsArray(json) && !cJSON_IsObject(json)) {
        const char *word = cJSON_IsTrue(json) ? "true" : cJSON_IsFalse(json) ? "false" : "null";
        append(text, word, strlen(word));
        return true;
    }
    append(text, cJSON_IsArray(json) ? "[" : "{", 1);
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json)
    {
        if (item != json->child) {
            append(text, ",", 1);
        }
        if (cJSON_IsObject(json)) {
            append_string(text, item->string);
            append(text, ":", 1);
        }
        if (!append_value(text, item, depth + 1)) {
            return false;
        }
    }
    append(text, cJSON_IsArray(json) ? "]" : "}", 1);
    return true;
}

char *wd_json_text(const cJSON *json, size_t *ret_length)
{
    json_text text = { .bytes = malloc(TEXT_SIZE_START), .capacity = TEXT_SIZE_START };
    bool whole = append_value(&text, json, 0);
    append(&text, "", 1);  // the NUL
    if (!whole || text.bytes == NULL) {
        free(text.bytes);
        return NULL;
    }
    *ret_length = text.length - 1;
    return text.bytes;
}
