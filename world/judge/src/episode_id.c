/// episode_id.c - seeds and names that do not depend on the machine.
#include "judge/episode_id.h"

#include "sha256.h"

#include <stdio.h>
#include <string.h>

enum { DIR_TEXT_MAX = 64 };

/// The sum over what came before and bytes[0..length).
static uint32_t crc32_go_on(uint32_t before, const char *bytes, size_t length)
{
    uint32_t sum = ~before;
    for (size_t i = 0; i < length; i++) {
        sum ^= (uint8_t)bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320u : 0);
        }
    }
    return ~sum;
}

uint32_t wd_crc32(const char *bytes, size_t length)
{
    return crc32_go_on(0, bytes, length);
}

uint32_t wd_instance_seed(const char *task_id, uint64_t instance, uint32_t run_seed)
{
    char suffix[32];
    int length = snprintf(suffix, sizeof suffix, ":%llu", (unsigned long long)instance);
    return run_seed ^ crc32_go_on(wd_crc32(task_id, strlen(task_id)), suffix, (size_t)length);
}

size_t wd_base_task_id(const char *task_id)
{
    size_t length = strlen(task_id);
    size_t at = length;
    while (at > 0 && task_id[at - 1] >= '0' && task_id[at - 1] <= '9') {
        at -= 1;
    }
    bool suffix = at < length && at >= 2 && task_id[at - 1] == 'i' && task_id[at - 2] == '_';
    return suffix ? at - 2 : length;
}

wd_status wd_result_key(const char *task_id, int64_t trial, wd_buffer *buffer)
{
    return wd_buffer_format(buffer, "%s__t%lld", task_id, (long long)trial);
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

static bool is_edge(char c)
{
    return c == '.' || c == '_';
}

wd_status wd_episode_dir(const char *key, wd_buffer *buffer)
{
    wd_buffer text = { 0 };
    wd_buffer json = { 0 };
    wd_status status = wd_buffer_text(&text, "");
    for (const char *c = key; status == WD_OK && *c != '\0'; c++) {
        if (is_plain(*c)) {
            status = wd_buffer_append(&text, c, 1);
        } else if (c == key || is_plain(c[-1])) {
            status = wd_buffer_append(&text, "_", 1);  // one for a whole run of others
        }
    }
    status = status == WD_OK ? wd_json_write_string(key, strlen(key), &json) : status;
    if (status == WD_OK) {
        size_t start = 0, end = text.length;
        while (start < end && is_edge(text.bytes[start])) {
            start += 1;
        }
        end = end - start > DIR_TEXT_MAX ? start + DIR_TEXT_MAX : end;
        while (end > start && is_edge(text.bytes[end - 1])) {
            end -= 1;
        }
        uint8_t digest[32];
        wd_sha256(json.bytes, json.length, digest);
        bool named = end > start;
        status = wd_buffer_format(buffer, "%.*s_%02x%02x%02x%02x", named ? (int)(end - start) : 7,
            named ? text.bytes + start : "episode", digest[0], digest[1], digest[2], digest[3]);
    }
    wd_buffer_done(&text);
    wd_buffer_done(&json);
    return status;
}
