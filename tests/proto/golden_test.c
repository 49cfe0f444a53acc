// Golden bytes, read by C: every file of proto/golden/, every kind; packing what was read gives the same bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/frame.h"
#include "proto/worldd.pb-c.h"

enum { GOLDEN_COUNT_MAX = 64, GOLDEN_LINE_MAX = 8192, GOLDEN_SAID_MAX = 32 * 1024, GOLDEN_BODY_MAX = 4096 };

/// One message of the file.
typedef struct golden_message {
    char name[64];
    uint8_t header[16], body[GOLDEN_BODY_MAX];
    size_t header_length, body_length;
    char said[GOLDEN_SAID_MAX];  // the file's own lines
} golden_message;

static golden_message *goldens;
static size_t golden_count;

static const ProtobufCMessageDescriptor *body_of(uint16_t kind)
{
    switch (kind) {
    case WD_MSG_HELLO:
        return &worldd__v1__hello__descriptor;
    case WD_MSG_WELCOME:
        return &worldd__v1__welcome__descriptor;
    case WD_MSG_REJECT:
        return &worldd__v1__reject__descriptor;
    case WD_MSG_PING:
    case WD_MSG_PONG:
        return &worldd__v1__ping__descriptor;
    case WD_MSG_WHO_ARE_YOU:
        return &worldd__v1__who_are_you__descriptor;
    case WD_MSG_GOODBYE:
        return &worldd__v1__goodbye__descriptor;
    case WD_MSG_ERROR:
        return &worldd__v1__error__descriptor;
    case WD_MSG_PLAN_REQUEST:
        return &worldd__v1__plan_request__descriptor;
    case WD_MSG_PLAN_REPLY:
        return &worldd__v1__plan_reply__descriptor;
    case WD_MSG_PLAN_ERROR:
    case WD_MSG_ENRICH_ERROR:
    case WD_MSG_EXECUTOR_ERROR:
        return &worldd__v1__plan_error__descriptor;
    case WD_MSG_PLAN_CANCEL:
    case WD_MSG_ENRICH_CANCEL:
    case WD_MSG_EXECUTOR_CANCEL:
        return &worldd__v1__plan_cancel__descriptor;
    case WD_MSG_ENRICH_REQUEST:
        return &worldd__v1__enrich_request__descriptor;
    case WD_MSG_ENRICH_REPLY:
        return &worldd__v1__enrich_reply__descriptor;
    case WD_MSG_OBSERVE_REQUEST:
        return &worldd__v1__observe_request__descriptor;
    case WD_MSG_OBSERVE_REPLY:
        return &worldd__v1__observe_reply__descriptor;
    case WD_MSG_EXECUTE_REQUEST:
        return &worldd__v1__execute_request__descriptor;
    case WD_MSG_EXECUTE_REPLY:
        return &worldd__v1__execute_reply__descriptor;
    case WD_MSG_PLAN_THOUGHT:
        return &worldd__v1__plan_thought__descriptor;
    case WD_MSG_CONTROL:
        return &worldd__v1__control__descriptor;
    case WD_MSG_PROGRESS:
        return &worldd__v1__progress__descriptor;
    case WD_MSG_REPLY:
        return &worldd__v1__reply__descriptor;
    case WD_MSG_ENV_BATCH:
        return &worldd__v1__env_batch__descriptor;
    case WD_MSG_ENV_BATCH_REPLY:
        return &worldd__v1__env_batch_reply__descriptor;
    case WD_MSG_IMAGINE:
        return &worldd__v1__imagine__descriptor;
    case WD_MSG_IMAGINE_REPLY:
        return &worldd__v1__imagine_reply__descriptor;
    default:
        return NULL;
    }
}

// ---- saying what a message holds, as golden.py does ---------------------------------------------------------------

static void say_message(FILE *out, const ProtobufCMessage *message, const char *path);

/// One value of a field; `at` points to it.
static void say_value(FILE *out, const ProtobufCFieldDescriptor *field, const uint8_t *at, const char *name)
{
    char path[256];
    ProtobufCBinaryData bytes;
    ProtobufCMessage *message;
    char *text;
    union {
        int32_t i32;
        uint32_t u32;
        uint64_t u64;
        double real;
        protobuf_c_boolean flag;
    } number;
    memcpy(&number, at, 4);
    switch (field->type) {
    case PROTOBUF_C_TYPE_MESSAGE:
        memcpy(&message, at, sizeof message);
        snprintf(path, sizeof path, "%s.", name);
        say_message(out, message, path);
        return;
    case PROTOBUF_C_TYPE_STRING:
        memcpy(&text, at, sizeof text);
        fprintf(out, "%s = \"%s\"\n", name, text);
        return;
    case PROTOBUF_C_TYPE_BYTES:
        memcpy(&bytes, at, sizeof bytes);
        fprintf(out, "%s = ", name);
        for (size_t i = 0; i < bytes.len; i++) {
            fprintf(out, "%02x", bytes.data[i]);
        }
        fputc('\n', out);
        return;
    case PROTOBUF_C_TYPE_BOOL:
        fprintf(out, "%s = %s\n", name, number.flag ? "true" : "false");
        return;
    case PROTOBUF_C_TYPE_DOUBLE:
        memcpy(&number, at, 8);
        fprintf(out, "%s = %.17g\n", name, number.real);
        return;
    case PROTOBUF_C_TYPE_UINT64:
        memcpy(&number, at, 8);
        fprintf(out, "%s = %llu\n", name, (unsigned long long)number.u64);
        return;
    case PROTOBUF_C_TYPE_UINT32:
        fprintf(out, "%s = %u\n", name, number.u32);
        return;
    default:
        assert_true(field->type == PROTOBUF_C_TYPE_INT32 || field->type == PROTOBUF_C_TYPE_SINT32);
        fprintf(out, "%s = %d\n", name, number.i32);
    }
}

static size_t value_size(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_MESSAGE:
    case PROTOBUF_C_TYPE_STRING:
        return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_UINT64:
        return 8;
    case PROTOBUF_C_TYPE_BOOL:
        return sizeof(protobuf_c_boolean);
    default:
        return 4;
    }
}

/// proto3 leaves zeros and empty texts off the wire, so they are not said.
static bool is_absent(const ProtobufCFieldDescriptor *field, const uint8_t *at)
{
    static const uint8_t zeros[sizeof(ProtobufCBinaryData)];
    char *text;
    if (field->type == PROTOBUF_C_TYPE_STRING) {
        memcpy(&text, at, sizeof text);
        return text[0] == '\0';
    }
    size_t size = field->type == PROTOBUF_C_TYPE_BYTES ? sizeof(size_t) : value_size(field->type);
    return memcmp(at, zeros, size) == 0;
}

static void say_message(FILE *out, const ProtobufCMessage *message, const char *path)
{
    const uint8_t *bytes = (const uint8_t *)message;
    for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
        const uint8_t *at = bytes + field->offset;
        char name[256];
        if (field->label != PROTOBUF_C_LABEL_REPEATED) {
            snprintf(name, sizeof name, "%s%s", path, field->name);
            if (!is_absent(field, at)) {
                say_value(out, field, at, name);
            }
            continue;
        }
        size_t count = 0;
        const uint8_t *list = NULL;
        memcpy(&count, bytes + field->quantifier_offset, sizeof count);
        memcpy(&list, at, sizeof list);
        for (size_t item = 0; item < count; item++) {
            snprintf(name, sizeof name, "%s%s[%zu]", path, field->name, item);
            say_value(out, field, list + item * value_size(field->type), name);
        }
    }
}

// ---- the tests ------------------------------------------------------------------------------------------------------

static void decodes_to_what_it_says(void **state)
{
    const golden_message *golden = *state;
    uint16_t kind = 0;
    assert_int_equal(wd_frame_read(golden->header, golden->header_length, &kind), WD_FRAME_OK);
    assert_string_equal(wd_msg_name(kind), golden->name);
    ProtobufCMessage *message =
        protobuf_c_message_unpack(body_of(kind), NULL, golden->body_length, golden->body);
    assert_non_null(message);
    char *said = NULL;
    size_t said_length = 0;
    FILE *out = open_memstream(&said, &said_length);
    say_message(out, message, "");
    fclose(out);
    assert_string_equal(said, golden->said);
    free(said);

    uint8_t again[GOLDEN_BODY_MAX], header[WD_FRAME_HEADER_SIZE];
    assert_int_equal(protobuf_c_message_get_packed_size(message), golden->body_length);
    protobuf_c_message_pack(message, again);
    assert_memory_equal(again, golden->body, golden->body_length);
    wd_frame_write(kind, header);
    assert_memory_equal(header, golden->header, sizeof header);
    protobuf_c_message_free_unpacked(message, NULL);
}

static void every_kind_has_a_body_and_a_golden(void **state)
{
    (void)state;
    size_t kinds = 0;
    for (unsigned kind = 0; kind <= UINT16_MAX; kind++) {
        const char *name = wd_msg_name((uint16_t)kind);
        assert_true((name == NULL) == (body_of((uint16_t)kind) == NULL));
        bool found = name == NULL;
        for (size_t i = 0; i < golden_count && !found; i++) {
            found = strcmp(goldens[i].name, name) == 0;
        }
        assert_true(found);
        kinds += name != NULL;
    }
    assert_int_equal(kinds, 30);
}

static size_t read_hex(const char *text, uint8_t *ret_bytes, size_t size)
{
    size_t length = 0;
    unsigned byte = 0;
    for (; sscanf(text + 2 * length, "%2x", &byte) == 1; length++) {
        assert_true(length < size);
        ret_bytes[length] = (uint8_t)byte;
    }
    return length;
}

static void read_goldens(const char *path)
{
    static char line[GOLDEN_LINE_MAX];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    golden_message *golden = NULL;
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#' || line[0] == '\n') {
            golden = NULL;
        } else if (golden == NULL) {
            assert_true(golden_count < GOLDEN_COUNT_MAX);
            golden = &goldens[golden_count++];
            assert_int_equal(sscanf(line, "%63s", golden->name), 1);
        } else if (golden->header_length == 0) {
            golden->header_length = read_hex(line + strlen("header "), golden->header, sizeof golden->header);
        } else if (strncmp(line, "body ", 5) == 0) {
            golden->body_length = read_hex(line + strlen("body "), golden->body, sizeof golden->body);
        } else {
            assert_true(strlen(golden->said) + strlen(line) < sizeof golden->said);
            strcat(golden->said, line);
        }
    }
    fclose(file);
}

int main(void)
{
    static struct CMUnitTest tests[GOLDEN_COUNT_MAX + 1];
    goldens = calloc(GOLDEN_COUNT_MAX, sizeof *goldens);
    read_goldens(WD_SOURCE_DIR "/proto/golden/v1.0.txt");
    for (size_t i = 0; i < golden_count; i++) {
        tests[i] = (struct CMUnitTest){
            .name = goldens[i].name, .test_func = decodes_to_what_it_says, .initial_state = &goldens[i]
        };
    }
    tests[golden_count] = (struct CMUnitTest)cmocka_unit_test(every_kind_has_a_body_and_a_golden);
    int failed = _cmocka_run_group_tests("golden", tests, golden_count + 1, NULL, NULL);
    free(goldens);
    return failed;
}
