// What-if of planners in mid-plan: as far as their run allows it.
#include "imagine.h"
#include "service_internal.h"

#include "broker_internal.h"
#include "proto/frame.h"
#include "tree/alloc.h"

/// The run that waits for this plan; NULL: none.
static wd_service_run *run_of(const wd_service *service, uint64_t request_id)
{
    for (size_t i = 0; i < service->run_count; i++) {
        if (service->runs[i]->request == request_id) {
            return service->runs[i];
        }
    }
    return NULL;
}

/// Take the steps from the run's budget, all or none.
static wd_status spend(wd_service_run *run, const wd_imagine_order *order, wd_error *error)
{
    uint32_t allowed = wd_run_imagine_allowed(run->run), left = wd_run_imagine_left(run->run);
    if (allowed == 0) {
        return wd_error_set(error, WD_EDENIED, "imagine: this run allows none (options.imagine)");
    }
    if (order->cost > left) {
        return wd_error_set(error, WD_ELIMIT, "imagine: %u steps are asked for, %u of the run's %u are used",
            order->cost, allowed - left, allowed);
    }
    wd_run_imagined(run->run, order->cost);
    return WD_OK;
}

static wd_status add_budget(const wd_run *run, wd_value **result_p)
{
    uint32_t allowed = wd_run_imagine_allowed(run);
    wd_value *budget = NULL;
    wd_status status = wd_value_pack(&budget, "{s:i,s:i}", "used",
        (int64_t)(allowed - wd_run_imagine_left(run)), "allowed", (int64_t)allowed);
    status = status == WD_OK ? wd_object_set(result_p, "budget", &budget) : status;
    wd_value_unref(&budget);
    return status;
}

static wd_status answer(
    const wd_service *service, const wd_broker_imagine *asked, wd_value **ret_result, wd_error *error)
{
    wd_imagine_order order;
    wd_service_run *run = run_of(service, asked->request_id);
    if (run == NULL) {
        return wd_error_set(error, WD_ENOENT, "request_id: no run waits for this plan");
    }
    if (run->device == NULL) {
        return wd_service_imagine(run, NULL, ret_result, error);
    }
    wd_status status = wd_imagine_read(asked->args, &order, error);
    status = status == WD_OK ? spend(run, &order, error) : status;
    if (status == WD_OK) {
        order.planner = &asked->hello;
        status = wd_service_imagine(run, &order, ret_result, error);
    }
    if (status == WD_OK && add_budget(run->run, ret_result) != WD_OK) {
        status = wd_error_set(error, WD_ENOMEM, "imagine: out of memory");
    }
    return status;
}

/// Pack the answer; one that is too long for the planner's frames is an error.
static wd_status pack(const wd_broker_imagine *asked, const wd_value *result, wd_error *error,
    uint16_t *ret_kind, uint8_t **ret_body, size_t *ret_length)
{
    uint8_t *body = NULL;
    size_t length = 0;
    if (result != NULL) {
        wd_status status = wd_codec_pack_imagine_reply(asked->imagine_id, result, &body, &length);
        if (status != WD_OK) {
            return status;
        }
        if (asked->hello.max_frame == 0 || length <= asked->hello.max_frame) {
            *ret_kind = WD_MSG_IMAGINE_REPLY;
            *ret_body = body;
            *ret_length = length;
            return WD_OK;
        }
        wd_error_set(error, WD_ELIMIT, "imagine: the answer has %zu bytes and the planner's max_frame is %u",
            length, asked->hello.max_frame);
        wd_free(body, length);
    }
    *ret_kind = WD_MSG_ERROR;
    return wd_codec_pack_imagine_error(asked->imagine_id, asked->request_id, error, ret_body, ret_length);
}

wd_status wd_service_take_imagines(wd_service *service, wd_service_outbox *outbox)
{
    wd_broker_outbox *planners = &outbox->planner;
    wd_status status = broker_outbox_reserve(planners, planners->imagine_count, 0);
    for (size_t i = 0; i < planners->imagine_count; i++) {
        wd_broker_imagine *asked = &planners->imagines[i];
        wd_error error = { WD_OK, "" };
        wd_value *result = NULL;
        uint8_t *body = NULL;
        size_t length = 0;
        uint16_t kind = 0;
        if (status == WD_OK && answer(service, asked, &result, &error) != WD_OK) {
            wd_value_unref(&result);
        }
        status = status == WD_OK ? pack(asked, result, &error, &kind, &body, &length) : status;
        if (status == WD_OK) {
            broker_outbox_send(planners, &asked->peer, kind, body, length);
        }
        wd_value_unref(&result);
        wd_value_unref(&asked->args);
    }
    planners->imagine_count = 0;
    return status;
}
