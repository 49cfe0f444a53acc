"""Connections to worldd's sockets byte by byte: peers that speak ZMTP 3.0 themselves, and break its rules at will."""
import socket
import struct
import time


class Raw:
    """A connection to one of a daemon's sockets ("planner", "control"), byte by byte."""

    def __init__(self, daemon, door):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(daemon.directory / f"{door}.sock"))     # waits when the listener's queue is full
        self.socket.settimeout(10)
        self.unread = b""

    def until(self, seen):
        """Read until these bytes have come. (libzmq cuts off a peer that does not wait for its half of a handshake.)"""
        while seen not in self.unread:
            part = self.socket.recv(4096)
            assert part != b"", self.unread  # it was cut off
            self.unread += part
        self.unread = self.unread[self.unread.index(seen) + len(seen):]
        return self

    def greet(self, mechanism=b"NULL"):
        self.socket.sendall(b"\xff" + 8 * b"\0" + b"\x7f\x03\x00" + mechanism.ljust(20, b"\0") + 32 * b"\0")
        return self

    def ready(self, identity=b"", kind=b"DEALER"):
        properties = b""
        for name, value in ((b"Socket-Type", kind), (b"Identity", identity)):
            properties += bytes([len(name)]) + name + struct.pack(">I", len(value)) + value
        self.until(b"NULL" + 48 * b"\0")
        self.frame(b"\x05READY" + properties, command=True)
        return self.until(b"\x05READY") if kind == b"DEALER" and len(identity) <= 255 else self

    def frame(self, body, more=False, command=False):
        flags = (4 if command else 0) | (2 if len(body) > 255 else 0) | (1 if more else 0)
        size = struct.pack(">Q", len(body)) if len(body) > 255 else bytes([len(body)])
        try:
            self.socket.sendall(bytes([flags]) + size + body)
        except ConnectionError:
            pass                             # it was cut off already: what is tested is that worldd lives

    def message(self, *frames):
        for index, frame in enumerate(frames):
            self.frame(frame, more=index + 1 < len(frames))

    def closed(self, seconds):
        """worldd closes the connection within so long."""
        end = time.monotonic() + seconds
        self.socket.settimeout(seconds)
        try:
            while time.monotonic() < end:
                if self.socket.recv(4096) == b"":
                    return True
        except ConnectionError:
            return True
        except socket.timeout:
            pass
        return False

    def close(self):
        self.socket.close()
