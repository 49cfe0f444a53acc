"""Load for a running worldd, drawn from seeds: batches of steps, walks of envs that can be taken again, and a client that
keeps count of what it asked and what it was answered."""
import collections
import json
import os
import random

from peers import PATIENCE, Peer, wire

APPS = ("settings", "contacts", "messages", "notes", "shop", "wallet", "forum")
SCREEN = (1080, 2400)


# ---- batches ----------------------------------------------------------------------------------------------------------

def batch(client, envs, actions, args=(), observe="", request_id=None, deadline_ms=0):
    """Send an EnvBatch; its request id."""
    if request_id is None:
        client.request_id += 1
        request_id = client.request_id
    message = wire.SCHEMA["EnvBatch"](request_id=request_id, env_ids=b"".join(map(bytes.fromhex, envs)),
                                      actions=actions, args_json=[json.dumps(a).encode() for a in args],
                                      observe=observe, deadline_ms=deadline_ms)
    client.send("ENV_BATCH", message)
    return request_id


def batch_reply(client, request_id):
    while True:
        kind, message = client.receive("ENV_BATCH_REPLY", "ERROR")
        if message.request_id == request_id:
            return kind, message


def answers_of(client, ids):
    """The answers to these requests, in whatever order they come; each comes once."""
    by_id = {}
    while not set(ids) <= set(by_id):
        kind, message = client.receive("ENV_BATCH_REPLY", "REPLY", "ERROR")
        assert message.request_id not in by_id
        by_id[message.request_id] = (kind, message)
    return by_id


def digests(message):
    return [message.digests[i:i + 16].hex() for i in range(0, len(message.digests), 16)]


def create(client, **arguments):
    return client.control("env_create", **arguments)["env"]


def error_of(client, verb, **arguments):
    request = client.ask(verb, **arguments)
    kind, message = client.receive("ERROR", "REPLY")
    assert kind == "ERROR" and message.request_id == request
    return message.text


# ---- walks ------------------------------------------------------------------------------------------------------------

def draw_action(source):
    """(kind, arguments) of one action, drawn from a random.Random."""
    kind = source.choice(("launch_app", "launch_app", "back", "home", "type", "scroll", "tap", "tap", "tap", "tap"))
    if kind == "launch_app":
        return kind, {"app": source.choice(APPS)}
    if kind == "type":
        return kind, {"text": f"w{source.randrange(100)}"}
    if kind == "scroll":
        return kind, {"direction": source.choice(("up", "down"))}
    if kind == "tap":
        return kind, {"x": source.randrange(SCREEN[0]), "y": source.randrange(SCREEN[1])}
    return kind, {}


class Walk:
    """The way of one env: its seed, its actions, and the digests it was told after each."""

    def __init__(self, seed):
        self.seed, self.actions, self.digests = seed, [], []

    def copy(self):
        other = Walk(self.seed)
        other.actions, other.digests = list(self.actions), list(self.digests)
        return other

    def took(self, action, digest):
        self.actions.append(action)
        self.digests.append(digest)


def step_walks(client, envs, walks, actions, observe=""):
    """One step of each env; every slot must be good. The reply."""
    request = batch(client, envs, [kind for kind, _ in actions], [args for _, args in actions], observe)
    kind, reply = batch_reply(client, request)
    assert kind == "ENV_BATCH_REPLY", reply.text
    assert not any(reply.status), [text for text in reply.text if text]
    for walk, action, digest in zip(walks, actions, digests(reply)):
        walk.took(action, digest)
    return reply


def walked_alone(client, walk):
    """The digests of the same way taken by an env that nobody disturbs."""
    env = create(client, seed=walk.seed)
    again = Walk(walk.seed)
    for action in walk.actions:
        step_walks(client, [env], [again], [action])
    client.control("env_close", env=env)
    return again.digests


def bystander(client, seed, steps=6):
    """Make an env and draw its way: (env, a function that takes the next step, the walk)."""
    env, walk, source = create(client, seed=seed), Walk(seed), random.Random(seed)
    planned = [draw_action(source) for _ in range(steps)]

    def step():
        step_walks(client, [env], [walk], [planned[len(walk.actions) % steps]])
    return env, step, walk


# ---- counting ---------------------------------------------------------------------------------------------------------

ANSWERS = ("REPLY", "ENV_BATCH_REPLY", "ERROR")
ANY = ANSWERS + ("PROGRESS", "PONG", "WELCOME", "REJECT", "WHO_ARE_YOU", "GOODBYE")


class Counted(Peer):
    """A client that keeps count: each request is answered, never more often than it was sent, and always with the same
    bytes. (A repeated request that is still open is answered once for all.)"""

    def __init__(self, context, endpoint, name, instance=None, **options):
        super().__init__(context, endpoint, "client", name, **options)
        self.instance = instance or os.urandom(16)
        self.asked, self.answered = collections.Counter(), collections.Counter()
        self.answers = {}            # request id -> (kind, message)

    def send(self, kind, body=b""):
        if kind in ("CONTROL", "ENV_BATCH"):
            self.asked[body.request_id] += 1
        super().send(kind, body)

    def receive(self, *kinds, patience=PATIENCE):
        while True:
            kind, message = super().receive(*ANY, patience=patience)
            if kind in ANSWERS and message.request_id:
                self._count(kind, message)
            if kind in kinds or (not kinds and kind != "PONG"):
                return kind, message

    def _count(self, kind, message):
        number = message.request_id
        self.answered[number] += 1
        assert self.answered[number] <= self.asked[number], f"{self.name}: request {number} was answered twice"
        first = self.answers.setdefault(number, (kind, message))
        assert first == (kind, message), f"{self.name}: request {number} was answered differently"

    def answer(self, request_id):
        while request_id not in self.answers:
            self.receive(*ANSWERS)
        kind, message = self.answers[request_id]
        assert kind == "REPLY", message.text
        return json.loads(message.result_json)

    def forget_before(self, number):
        """The answers of earlier requests need not be kept any longer."""
        for old in [known for known in self.answers if known < number]:
            del self.answers[old]

    def settled(self):
        """Take what is still to come: all is answered now."""
        while self.asked.keys() - self.answered.keys():
            self.receive(*ANSWERS)
        self.in_step(self.request_id)
