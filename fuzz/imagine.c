// imagine.c - a planner's question what if: refused with a reason, or decoded whole; so are the arguments in it.
#include "fuzz.h"

#include "imagine.h"
#include "proto/worldd.pb-c.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t imagine_id = 0, request_id = 0;
    wd_value *args = NULL;
    wd_error error = { WD_OK, "" };
    wd_status status = wd_codec_unpack_imagine(data, size, &imagine_id, &request_id, &args, &error);
    wd_assert((status == WD_OK) == (args != NULL));
    wd_assert((status == WD_OK) == (error.text[0] == '\0'));
    if (status == WD_OK) {
        Worldd__V1__Imagine *message = worldd__v1__imagine__unpack(NULL, size, data);
        wd_assert(message != NULL && message->imagine_id == imagine_id && imagine_id != 0);
        worldd__v1__imagine__free_unpacked(message, NULL);
        wd_imagine_order order;
        status = wd_imagine_read(args, &order, &error);
        wd_assert((status == WD_OK) == (error.text[0] == '\0'));
        wd_assert(status != WD_OK || order.cost <= WD_IMAGINE_STEPS_ALL_MAX);
    }
    wd_value_unref(&args);
    return 0;
}
