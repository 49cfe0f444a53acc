"""CURVE keys, for connections over tcp: files in the format of `worldctl key new` (czmq's zcert)."""
from __future__ import annotations

import os
import pathlib
import re
from typing import Any, NamedTuple, Optional, Union

from .errors import NotReachable

KeyFile = Union[str, "os.PathLike[str]"]


class Keys(NamedTuple):
    """What a client needs: its own pair, and the server's public half; each 40 characters of Z85."""
    public: bytes
    secret: bytes
    server: bytes

    def apply(self, socket: Any) -> None:
        """Set them on a socket that is not connected yet."""
        socket.curve_serverkey, socket.curve_publickey, socket.curve_secretkey = self.server, self.public, self.secret


def read_key(path: KeyFile, half: str = "public") -> bytes:
    """The public or the secret half in a key file. Raises NotReachable when it holds none."""
    try:
        text = pathlib.Path(path).read_text(encoding="ascii")
    except (OSError, ValueError) as error:
        raise NotReachable(f"{path}: {error}") from None
    found = re.search(rf'^curve$.*?^[ \t]+{half}-key = "(\S{{40}})"', text, re.S | re.M)
    if found is None:
        raise NotReachable(f"{path}: holds no {half}-key")
    return found.group(1).encode()


def load_keys(key: Optional[KeyFile] = None, server_key: Optional[KeyFile] = None) -> Optional[Keys]:
    """Keys from a client's NAME.key_secret and the server's server.key (a file, or its 40 characters); without arguments
    from $WORLDD_KEY and $WORLDD_SERVER_KEY; None when neither is set."""
    key = key if key is not None else os.environ.get("WORLDD_KEY")
    server_key = server_key if server_key is not None else os.environ.get("WORLDD_SERVER_KEY")
    if key is None and server_key is None:
        return None
    if key is None or server_key is None:
        raise NotReachable("CURVE needs both: one's own key (WORLDD_KEY) and the server's (WORLDD_SERVER_KEY)")
    is_text = isinstance(server_key, str) and len(server_key) == 40 and not os.path.exists(server_key)
    server = str(server_key).encode() if is_text else read_key(server_key)
    return Keys(read_key(key), read_key(key, "secret"), server)
