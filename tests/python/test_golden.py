"""Golden bytes, read by Python: every file of proto/golden/, every kind."""
import re

import pytest

import golden
from golden import ROOT, body_class, lines, wire


def sections():
    for path in sorted((ROOT / "proto/golden").glob("v*.txt")):
        for text in re.split(r"\n\n+", path.read_text(encoding="utf-8").strip())[1:]:
            kind, header, body, *said = text.split("\n")
            yield pytest.param(kind, bytes.fromhex(header.split(" ")[1]), bytes.fromhex(body.partition(" ")[2]), said,
                               id=f"{path.stem} {kind}")


@pytest.mark.parametrize("kind, header, body, said", sections())
def test_decodes_to_what_it_says(kind, header, body, said):
    assert wire.read_header(header) == kind
    message = body_class(kind).FromString(body)
    assert list(lines(message)) == said
    assert message.SerializeToString(deterministic=True) == body


def test_every_kind_is_there():
    text = (ROOT / "proto/golden/v1.0.txt").read_text(encoding="utf-8")
    assert set(golden.SAMPLES) == set(wire.KINDS)
    assert all(f"\n{kind}\n" in text for kind in wire.KINDS)


def test_every_field_is_there():
    """A sample that leaves a field out would prove nothing about it."""
    def check(descriptor, sample, path):
        for field in descriptor.fields:
            if path + field.name == "HELLO.max_minor" or path + field.name == "WELCOME.minor":
                continue         # 0 in this version, so not on the wire
            assert field.name in sample, path + field.name
            if field.type == field.TYPE_MESSAGE:
                values = sample[field.name] if field.label == field.LABEL_REPEATED else [sample[field.name]]
                check(field.message_type, {k: v for value in values for k, v in value.items()}, path + field.name + ".")
    for kind, sample in golden.SAMPLES.items():
        check(body_class(kind).DESCRIPTOR, sample, kind + ".")
