#include "ctl.h"

#include "runtime/file.h"
#include "tree/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ctl_fault(const wd_error *error)
{
    fprintf(stderr, "worldctl: %s\n", error->text);
    return CTL_FAULT;
}

void ctl_print(const wd_value *value, wd_json_style style)
{
    wd_buffer text = { 0 };
    if (wd_json_write(value, style, &text) == WD_OK) {
        fwrite(text.bytes, 1, text.length, stdout);
        putchar('\n');
    }
    wd_buffer_done(&text);
}

void ctl_print_thought(const wd_value *event)
{
    const char *text = wd_value_string_or(wd_object_get(event, "text"), "");
    printf("%s%s thinks: ", ctl_paint(CTL_DIM), wd_value_string_or(wd_object_get(event, "planner"), "?"));
    for (; *text != '\0'; text++) {
        putchar(
            (unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text);  // a peer's words steer no terminal
    }
    fputs(ctl_paint(CTL_PLAIN), stdout);
}

static wd_status read_stdin(wd_value **ret_value, wd_error *error)
{
    wd_buffer text = { 0 };
    char part[65536];
    wd_status status = WD_OK;
    for (size_t got; status == WD_OK && (got = fread(part, 1, sizeof part, stdin)) > 0;) {
        status = text.length + got > WD_FILE_SIZE_MAX
                     ? wd_error_set(error, WD_ELIMIT, "standard input: over %d bytes", WD_FILE_SIZE_MAX)
                     : wd_buffer_append(&text, part, got);
    }
    if (status == WD_OK) {
        status = wd_json_parse(text.bytes == NULL ? "" : text.bytes, text.length, ret_value, error);
        if (status != WD_OK) {
            wd_error_prefix(error, "standard input");
        }
    }
    wd_buffer_done(&text);
    return status;
}

wd_status ctl_read_json(const char *path, wd_value **ret_value, wd_error *error)
{
    return strcmp(path, "-") == 0 ? read_stdin(ret_value, error) : wd_file_read_json(path, ret_value, error);
}

wd_status ctl_config(wd_config *ret_config, wd_error *error)
{
    extern char **environ;
    wd_config_default(ret_config);
    const char *file = getenv("WORLDD_CONFIG");
    if (file != NULL && wd_config_read_file(file, ret_config, NULL, stderr) != WD_OK) {
        return wd_error_set(error, WD_EINVAL, "%s: faults in the settings", file);
    }
    if (wd_config_read_environment(environ, ret_config, NULL, stderr) != WD_OK) {
        return wd_error_set(error, WD_EINVAL, "faults in the environment's settings");
    }
    return wd_config_finish(ret_config, error);
}

wd_status ctl_add_param(wd_value **object_p, const char *assignment, wd_error *error)
{
    const char *equals = strchr(assignment, '=');
    if (equals == NULL || equals == assignment) {
        return wd_error_set(error, WD_EINVAL, "\"%s\" is not name=value", assignment);
    }
    wd_value *value = NULL;
    wd_status status = wd_json_parse(equals + 1, strlen(equals + 1), &value, NULL);
    if (status != WD_OK) {
        status = wd_value_text(equals + 1, &value);
    }
    if (status == WD_OK) {
        status = wd_object_set_n(object_p, assignment, (size_t)(equals - assignment), &value);
    }
    wd_value_unref(&value);
    return status == WD_OK ? WD_OK
                           : wd_error_set(error, status, "%s: %s", assignment, wd_status_text(status));
}

const char *ctl_paint(ctl_colour colour)
{
    static const char *const codes[] = { "\033[0m", "\033[1m", "\033[2m", "\033[32m", "\033[31m", "\033[33m",
        "\033[36m" };
    static int allowed = -1;
    if (allowed < 0) {
        allowed = isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL;
    }
    return allowed ? codes[colour] : "";
}

error_t ctl_one_argument(int key, char *value, struct argp_state *state, const char **slot)
{
    switch (key) {
    case ARGP_KEY_ARG:
        if (*slot != NULL) {
            argp_error(state, "one argument at a time; unexpected \"%s\"", value);
        }
        *slot = value;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void ctl_place_argument(char *value, struct argp_state *state, const char **const slots[], size_t count)
{
    if (state->arg_num >= count) {
        argp_error(state, "unexpected argument \"%s\"", value);
    }
    *slots[state->arg_num] = value;
}

void ctl_parse(int argc, char **argv, const struct argp_option *options, argp_parser_t parser,
    const char *args, const char *doc, void *input)
{
    const struct argp command = { options, parser, args, doc, NULL, NULL, NULL };
    argp_parse(&command, argc, argv, 0, NULL, input);
}

wd_status ctl_connect(const char *endpoint, wd_control_client **ret_client, wd_error *error)
{
    enum { WAIT_MS = 3000 };
    wd_config config;
    char found[WD_CONFIG_TEXT_MAX];
    wd_status status = ctl_config(&config, error);
    if (status == WD_OK) {
        status = wd_control_endpoint(endpoint, config.directory, found, sizeof found, error);
    }
    return status == WD_OK ? wd_control_client_new(found, "worldctl", WAIT_MS, ret_client, error) : status;
}
