// Recordings of other tools: the first byte chooses the format, the rest is the main file, cut at NUL bytes into the
// files of a small folder. A recording is read with all its scenes, or refused with a reason.
#include "semantic/episode.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILES = 5 };

// Names that the formats look for, so that every part of them is reached.
static const char *const names[][FILES] = {
    { "log.txt", "ui.txt", "steps.json", "history.json", "record.txt" },
    { "meta.json", "results.jsonl", "trajectory/a/meta.json", "trajectory/a/step_001_response.txt",
        "trajectory/a/trajectory.json" },
    { "events/event_2020-01-02_030405.json", "events/event_2020-01-02_030406.json",
        "states/state_2020-01-02_030405.json", "states/state_2020-01-02_030406.json", "utg.js" },
    { "a.xml", "b.xml", "c.json", "d.jsonl", "e.txt" },
};

typedef struct folder {
    const char *const *names;
    const char *bytes[FILES];
    size_t lengths[FILES];
} folder;

static wd_status read_file(void *context, const char *name, wd_buffer *buffer, wd_error *error)
{
    const folder *files = context;
    for (size_t i = 0; i < FILES; i++) {
        if (strcmp(files->names[i], name) == 0) {
            return wd_buffer_append(buffer, files->bytes[i], files->lengths[i]);
        }
    }
    return wd_error_set(error, WD_EIO, "no such file");
}

static void read_all(const wd_recording *recording)
{
    for (size_t e = 0; e < wd_recording_count(recording); e++) {
        const wd_episode_header *header = wd_recording_header(recording, e);
        for (size_t i = 0; i < header->step_count; i++) {
            const wd_episode_step *step = wd_recording_step(recording, e, i);
            for (size_t n = 0; n < step->action_count; n++) {
                wd_value *value = NULL;
                wd_assert(wd_action_to_value(&step->actions[n], &value) == WD_OK);
                wd_value_unref(&value);
            }
            for (int after = 0; after < 2; after++) {
                wd_scene *scene = NULL;
                wd_error error = { .text = "" };
                wd_status status = wd_recording_scene(recording, e, i, after != 0, NULL, &scene, &error);
                wd_assert((status == WD_OK) == (scene != NULL));
                wd_assert(status == WD_OK || status == WD_ENOENT || error.text[0] != '\0');
                wd_scene_unref(&scene);
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) {
        return 0;
    }
    const char *rest = (const char *)data + 1;
    size_t left = size - 1;
    folder files = { .names = names[data[0] / WD_EPISODE_FORMAT_COUNT % WD_COUNT_OF(names)] };
    for (size_t i = 0; i < FILES; i++) {
        const char *nul = i == FILES - 1 || left == 0 ? NULL : memchr(rest, '\0', left);
        files.bytes[i] = rest;
        files.lengths[i] = nul == NULL ? left : (size_t)(nul - rest);
        left -= files.lengths[i] + (nul == NULL ? 0 : 1);
        rest += files.lengths[i] + (nul == NULL ? 0 : 1);
    }
    wd_file_source source = { .context = &files, .names = files.names, .count = FILES, .read = read_file };
    wd_recording *recording = NULL;
    wd_error error = { .text = "" };
    wd_episode_format format = (wd_episode_format)(data[0] % WD_EPISODE_FORMAT_COUNT);
    wd_status status = wd_recording_open(&source, format, NULL, &recording, &error);
    wd_assert((status == WD_OK) == (recording != NULL));
    wd_assert(status == WD_OK || error.text[0] != '\0');
    if (recording != NULL) {
        read_all(recording);
    }
    wd_recording_close(&recording);
    return 0;
}
