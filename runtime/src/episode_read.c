#include "compress.h"
#include "runtime/episode.h"
#include "runtime/file.h"

#include "tree/alloc.h"

#include <stdio.h>
#include <string.h>

void wd_episode_done(wd_episode *episode)
{
    wd_value_unref(&episode->header);
    wd_value_unref(&episode->begin);
    wd_value_unref(&episode->end);
    wd_value_unref(&episode->verdict);
    wd_value_unref(&episode->scenes);
    wd_value_unref(&episode->steps);
    memset(episode, 0, sizeof *episode);
}

static wd_status check_header(const wd_value *line, wd_error *error)
{
    if (!wd_value_is_text(wd_object_get(line, "type"), "header") ||
        !wd_value_is_text(wd_object_get(line, "format"), "worldd-episode")) {
        return wd_error_set(error, WD_ECORRUPT, "line 1: no worldd episode");
    }
    int64_t version = wd_value_int_or(wd_object_get(line, "version"), 0);
    if (version != WD_EPISODE_VERSION) {
        return wd_error_set(error, WD_EVERSION, "line 1: episode version %lld, this worldd reads %d",
            (long long)version, WD_EPISODE_VERSION);
    }
    return WD_OK;
}

/// Put a line where it belongs; takes *line_p. Unknown types are of a later minor version and left out.
static wd_status take_line(wd_episode *episode, wd_value **line_p, size_t number, wd_error *error)
{
    const char *type = wd_value_string_or(wd_object_get(*line_p, "type"), "");
    wd_value **slot = strcmp(type, "begin") == 0     ? &episode->begin
                      : strcmp(type, "end") == 0     ? &episode->end
                      : strcmp(type, "verdict") == 0 ? &episode->verdict
                                                     : NULL;
    if (number == 1) {
        wd_status status = check_header(*line_p, error);
        if (status != WD_OK) {
            return status;
        }
        slot = &episode->header;
    }
    if (slot != NULL) {
        wd_value_unref(slot);
        *slot = *line_p;
        *line_p = NULL;
        return WD_OK;
    }
    if (strcmp(type, "step") == 0) {
        int64_t index = wd_value_int_or(wd_object_get(*line_p, "index"), -1);
        if (index != (int64_t)wd_array_count(episode->steps)) {
            return wd_error_set(error, WD_ECORRUPT, "line %zu: step %lld stands where step %zu should",
                number, (long long)index, wd_array_count(episode->steps));
        }
        return wd_array_append(&episode->steps, line_p);
    }
    if (strcmp(type, "scene") == 0) {
        const char *digest = wd_value_string_or(wd_object_get(*line_p, "digest"), NULL);
        if (digest == NULL) {
            return wd_error_set(error, WD_ECORRUPT, "line %zu: a scene without digest", number);
        }
        char name[WD_DIGEST_TEXT_SIZE];
        strncpy(name, digest, sizeof name - 1);
        name[sizeof name - 1] = '\0';
        return wd_object_set(&episode->scenes, name, line_p);
    }
    return WD_OK;
}

static wd_status read_lines(const char *bytes, size_t length, wd_episode *episode, wd_error *error)
{
    wd_status status = WD_OK;
    size_t number = 0;
    for (size_t at = 0; status == WD_OK && at < length;) {
        const char *end = memchr(bytes + at, '\n', length - at);
        if (end == NULL) {  // the writer was killed in the middle of this line
            episode->bytes_lost = length - at;
            break;
        }
        number += 1;
        wd_value *line = NULL;
        status = wd_json_parse(bytes + at, (size_t)(end - bytes) - at, &line, error);
        if (status != WD_OK) {
            wd_error_prefix(error, "line %zu of the episode", number);
            status = status == WD_ENOMEM ? status : WD_ECORRUPT;
        } else {
            status = take_line(episode, &line, number, error);
        }
        wd_value_unref(&line);
        at = (size_t)(end - bytes) + 1;
    }
    return status;
}

wd_status wd_episode_text(const char *path, char **ret_text, size_t *ret_length, wd_error *error)
{
    char *bytes = NULL, *text = NULL;
    size_t length = 0, text_length = 0;
    wd_status status = wd_file_read(path, &bytes, &length, error);
    if (status == WD_OK && wd_is_compressed(bytes, length)) {
        status = wd_decompress(bytes, length, WD_FILE_SIZE_MAX, &text, &text_length, error);
        if (status != WD_OK) {
            wd_error_prefix(error, "%s", path);
        }
        wd_free(bytes, length + 1);
        bytes = text;
        length = text_length;
    }
    if (status == WD_OK) {
        *ret_text = bytes;
        *ret_length = length;
    }
    return status;
}

bool wd_episode_is_own(const char *path)
{
    static const char beginning[] = "{\"type\":\"header\",\"format\":\"worldd-episode\"";
    char bytes[sizeof beginning] = "";
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    size_t length = fread(bytes, 1, sizeof beginning - 1, file);
    fclose(file);
    char *text = NULL;
    size_t text_length = 0;
    if (wd_is_compressed(bytes, length) && wd_episode_text(path, &text, &text_length, NULL) == WD_OK) {
        length = text_length < sizeof beginning - 1 ? text_length : sizeof beginning - 1;
        memcpy(bytes, text, length);
        wd_free(text, text_length + 1);
    }
    return length > 0 && strncmp(bytes, beginning, length) == 0;  // also one that was cut very early
}

wd_status wd_episode_load(const char *path, wd_episode *ret_episode, wd_error *error)
{
    char *bytes = NULL;
    size_t length = 0;
    wd_status status = wd_episode_text(path, &bytes, &length, error);
    if (status != WD_OK) {
        return status;
    }
    wd_episode episode = { .scenes = wd_value_object(), .steps = wd_value_array() };
    status = read_lines(bytes, length, &episode, error);
    wd_free(bytes, length + 1);
    if (status == WD_OK && episode.header == NULL) {
        status = wd_error_set(error, WD_ECORRUPT, "%s: no whole header", path);
    } else if (status != WD_OK) {
        wd_error_prefix(error, "%s", path);
    }
    if (status != WD_OK) {
        wd_episode_done(&episode);
        return status;
    }
    episode.cut = episode.end == NULL || episode.bytes_lost > 0;
    *ret_episode = episode;
    return WD_OK;
}
