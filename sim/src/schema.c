/// schema.c - the JSON Schema of the visible state, written in data/state_schema.json and embedded.
#include "machine.h"

#include "tree/json.h"

extern const char wd_state_schema_text[];
extern const size_t wd_state_schema_text_length;

wd_status wd_device_state_schema(wd_value **ret_schema)
{
    wd_status status = wd_json_parse(wd_state_schema_text, wd_state_schema_text_length, ret_schema, NULL);
    wd_assert(status == WD_OK || status == WD_ENOMEM);
    return status;
}
