"""A chat endpoint that answers as a test tells it to, failures included."""
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def call(name, **arguments):
    """A turn: the model calls a tool."""
    return {"calls": [(name, json.dumps(arguments))]}


class FakeModel:
    """Each request takes the next turn. A turn is a function of the messages, or a dict: text, calls [(name, arguments text)], status, headers, body (raw
    bytes instead), cut (bytes sent of what was promised), drip (seconds between bytes until the client leaves), finish."""

    def __init__(self, *turns):
        self.turns, self.requests, self.keys = list(turns), [], []
        self.left = threading.Event()
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                fake.requests.append(json.loads(body))
                fake.keys.append(self.headers.get("Authorization"))
                turn = fake.turns.pop(0) if fake.turns else {"status": 500}
                fake.answer(self, self.path, turn(fake.requests[-1]["messages"]) if callable(turn) else turn)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()

    def close(self):
        self.left.set()
        self.server.shutdown()
        self.server.server_close()

    def answer(self, handler, path, turn):
        events = turn.get("events")              # server-sent, texts: the stream ends as it is told to
        body = turn.get("body", self.completion(turn)) if events is None else "".join(f"data: {row}\n\n" for row in events).encode()
        handler.send_response(turn.get("status", 200) if path == "/v1/chat/completions" else 404)
        handler.send_header("Content-Length", str(len(body)))
        if events is not None:
            handler.send_header("Content-Type", "text/event-stream")
        for name, value in turn.get("headers", {}).items():
            handler.send_header(name, value)
        handler.end_headers()
        if "drip" in turn:
            for at in range(len(body)):
                if self.left.wait(turn["drip"]):
                    break
                try:
                    handler.wfile.write(body[at:at + 1])
                    handler.wfile.flush()
                except OSError:
                    break
        else:
            handler.wfile.write(body[:turn.get("cut", len(body))])
        handler.close_connection = True

    @staticmethod
    def completion(turn):
        message = {"role": "assistant", "content": turn.get("text"), "reasoning_content": turn.get("reasoning")}
        if "calls" in turn:
            message["tool_calls"] = [{"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": text}}
                                     for at, (name, text) in enumerate(turn["calls"])]
        return json.dumps({"model": "fake-1-2026", "choices": [{"message": message,
                                                                "finish_reason": turn.get("finish", "stop")}],
                           "usage": {"prompt_tokens": 100, "completion_tokens": 10}}).encode()
