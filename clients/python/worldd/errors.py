"""What can go wrong between a program and worldd: one tree of exceptions, `WorlddError` at its root.

    WorlddError
      NotReachable        no daemon there, or it does not answer Hello
      ConnectionLost      it was there and is gone, or was restarted; the request may have been carried out or not
      DeadlineExceeded    no answer in the time given (also a TimeoutError)
      Rejected            Hello was refused; the text names the field
      Superseded          a newer instance of the same planner's name took over
      OutOfStep           what changed on a screen refers to one that was told to somebody else
      DaemonFailed        a private daemon did not start, or died
      RequestError        worldd answered with an error: `.status` ("ENOENT"), `.code` (7), `.text`
        InvalidRequest    EINVAL, EPARSE, EUTF8, ETYPE: an argument is wrong; the text names it (also a ValueError)
        NotFound          ENOENT (also a LookupError)
        LimitExceeded     ELIMIT
          BudgetExceeded  the steps that a run allows a planner to imagine do not suffice
        NotPermitted      EDENIED
        Unsupported       EUNSUPPORTED: this worldd does not know the verb
"""
from __future__ import annotations

# tree/status.h: fixed numbers.
STATUS = {0: "OK", 1: "ENOMEM", 2: "EINVAL", 3: "EPARSE", 4: "EUTF8", 5: "ETYPE", 6: "ELIMIT", 7: "ENOENT", 8: "EEXIST",
          9: "ESTATE", 10: "EIO", 11: "ECORRUPT", 12: "EVERSION", 13: "EPROTO", 14: "EDENIED", 15: "EBUSY",
          16: "ETIMEOUT", 17: "ECANCELED", 18: "EGONE", 19: "EAMBIGUOUS", 20: "EUNSUPPORTED", 21: "ESCRIPT",
          22: "ENOPEER", 23: "EPEERLOST", 24: "EOUTDATED"}


class WorlddError(Exception):
    """The root of all below."""


class NotReachable(WorlddError):
    """Nobody answers Hello: not running, not authorised, or not worldd."""


class ConnectionLost(WorlddError):
    """worldd is gone or was restarted while a request was open. The next request connects again."""


class DeadlineExceeded(WorlddError, TimeoutError):
    """No answer in the time that the caller gave. worldd may still be at work on the request."""


class Rejected(WorlddError):
    """worldd refused the Hello; the text names the field."""


class Superseded(WorlddError):
    """A newer instance of the same name has taken over; going on would only start a quarrel."""


class OutOfStep(WorlddError):
    """What changed on a screen (observe="changed") refers to one that was told to somebody else; ask for it as a whole."""


class DaemonFailed(WorlddError):
    """A private daemon did not come up, or died; the text holds the end of its log."""


class RequestError(WorlddError):
    """worldd answered a request with an error."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{STATUS.get(code, str(code))} {text}")
        self.code = code
        self.status = STATUS.get(code, "EUNKNOWN")
        self.text = text

    def __reduce__(self) -> tuple[type[RequestError], tuple[int, str]]:
        return type(self), (self.code, self.text)


class InvalidRequest(RequestError, ValueError):
    """An argument is wrong; the text begins with its name: `args.params.contact: ...`."""


class NotFound(RequestError, LookupError):
    """What was named does not exist."""


class LimitExceeded(RequestError):
    """A named bound of worldd's was hit."""


class BudgetExceeded(LimitExceeded):
    """What a run allows its planner to imagine does not suffice; the text says how much was asked for, used and allowed."""


class NotPermitted(RequestError):
    """This client may not do that."""


class Unsupported(RequestError):
    """This worldd does not know the verb, or a part of what was asked."""


_KINDS: dict[str, type[RequestError]] = {
    "EINVAL": InvalidRequest, "EPARSE": InvalidRequest, "EUTF8": InvalidRequest, "ETYPE": InvalidRequest,
    "ENOENT": NotFound, "ELIMIT": LimitExceeded, "EDENIED": NotPermitted, "EUNSUPPORTED": Unsupported}


def request_error(code: int, text: str) -> RequestError:
    """The exception for a status number that worldd sent."""
    return _KINDS.get(STATUS.get(code, ""), RequestError)(code, text)
