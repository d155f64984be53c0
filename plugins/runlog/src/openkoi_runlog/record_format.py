"""Define the format of the run log, which is JSONL: a record is a line of JSON with a checksum.

The four kinds that people read (``task_start``, ``recall``, ``iteration``, ``task_complete``) carry their plain fields
beside the event's own ``data``; every other kind is spelled by the event's dotted name.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import lru_cache
from json.encoder import encode_basestring_ascii as quote
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from openkoi_base.redact import Redactor
from openkoi_hookspecs import EvaluationMode, Event, Learning, Record, events
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .blobs import MARK, NO_BLOBS, use_blob_folder
from .codec import decode, encode, encode_fact, encode_mapping
from .json_redactor import JsonRedactor, redact_json

FILE_NAMES = {"task.start": "task_start", "run.completed": "task_complete"}
WITH_PLAIN_FIELDS = frozenset({*FILE_NAMES, "recall", "iteration"})
EVENT_NAMES = {spelled: name for name, spelled in FILE_NAMES.items()}
LINE_START = lazy_pattern(rb'\{"ts":"([^"]*)","type":"([^"]*)","id":"([^"]*)","run":"([^"]*)"')
ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)  # encoded facts are trees
C_ENCODER = getattr(json.encoder, "c_make_encoder", None)  # which ENCODER makes for each value again, in 1 microsecond
ENCODE = C_ENCODER and C_ENCODER(None, ENCODER.default, quote, None, ":", ",", False, False, False)


class CorruptLineError(ValueError):
    """A line whose content differs from what was written."""


class Head(NamedTuple):
    """The start of a line: its time, the kind of its event as the log spells it, its id and its run."""

    at: bytes
    kind: bytes
    id: bytes
    run: bytes


def encode_kind(kind: type[Event]) -> bytes:
    """Return a kind of events as lines spell it."""
    return quote(FILE_NAMES.get(kind.name, kind.name))[1:-1].encode()


def parse_head(line: bytes) -> Head | None:
    """Return the start of a line; None if it is damaged there."""
    found = LINE_START.match(line)
    return Head(*found.groups()) if found else None


def parse_kind(line: bytes) -> bytes | None:
    """Return the kind of event alone, in half the time; None if the line is damaged there."""
    found = LINE_START.match(line)
    return found[2] if found else None


def write_line(record: Record, redact: Callable[[str], str] = str, blobs: dict[str, bytes] | None = None) -> str:
    """Return a record as ASCII JSON, redacted, without checksum and line end.

    The line contains only digests of bytes, which are added to ``blobs``.
    """
    return encode_record(record, JsonRedactor(redact, blobs))


def encode_record(record: Record, mask: JsonRedactor) -> str:
    """Return a record as ASCII JSON, masked, without checksum and line end."""
    event = record.event
    kind = FILE_NAMES.get(event.name, event.name)
    if isinstance(event, events.UnknownEvent):
        fields = {"ts": record.at, "type": kind, "id": record.id, "run": record.run}
        return dumps(fields | encode(event.data, mask))
    head = f'{{"ts":{quote(record.at)},"type":{quote(kind)},"id":{quote(record.id)},"run":{quote(record.run)},'
    if event.name in WITH_PLAIN_FIELDS:
        head += f"{dumps(encode_mapping(plain_fields(event), mask))[1:-1]},"
    return f'{head}"data":{dumps(encode_fact(event, mask))}}}'


def redact_record(record: Record, redact: Redactor) -> Record:
    """Return the record without secrets, for views that shorten texts and could cut a secret in half."""
    event = record.event
    plain = event.data if isinstance(event, events.UnknownEvent) else encode(event)
    clean = redact_json(plain, redact)
    if clean == plain:
        return record
    return replace(
        record,
        event=events.UnknownEvent(clean) if isinstance(event, events.UnknownEvent) else decode(type(event), clean),
    )


def dumps(value: object) -> str:
    return "".join(ENCODE(value, 0)) if ENCODE else ENCODER.encode(value)


def add_checksum(line: str) -> bytes:
    """Return the bytes to write: the line, its checksum, its end."""
    body = line[:-1].encode("ascii")
    return b'%b,"crc":"%08x"}\n' % (body, crc32(body))


def parse_line(line: bytes) -> dict[str, Any]:
    """Parse a line; raise CorruptLineError unless every byte is as written."""
    body, found, seal = line.rpartition(b',"crc":"')
    if not found or seal != b'%08x"}\n' % crc32(body):
        raise CorruptLineError("the checksum does not match")
    values = json.loads(body + b"}")
    if not isinstance(values, dict):
        raise CorruptLineError("it is not an object")
    return values


def read_line(line: bytes, segment: str = "", end: int = 0, blobs: Path = NO_BLOBS) -> Record:
    """Return the record in a line; an unknown event becomes UnknownEvent.

    ``blobs`` is the folder of the bytes it refers to.
    """
    values = parse_line(line)
    at, kind, record_id, run = (str(values.pop(key, "")) for key in ("ts", "type", "id", "run"))
    with use_blob_folder(blobs) if MARK in line else nullcontext():
        event = read_event(kind, values)
    return Record(record_id, at, run, event, segment=segment, end=end)


def read_event(kind: str, values: dict[str, Any]) -> Event:
    known = find_kind(EVENT_NAMES.get(kind, kind))
    try:
        if known is not None:
            event: Event = decode(known, values["data"])
            return event
    except (KeyError, TypeError, ValueError):
        pass
    return events.UnknownEvent({"type": kind, **values})


def find_kind(name: str) -> type[Event] | None:
    """Return the kind of event with a name; search again if new kinds were defined."""
    return cached_catalogue(tuple(Event.__subclasses__())).get(name) or build_catalogue().get(name)


@lru_cache(maxsize=1)
def cached_catalogue(kinds: tuple[type[Event], ...]) -> Mapping[str, type[Event]]:
    """Return the catalogue, cached until the direct subclasses of Event change."""
    return build_catalogue()


def build_catalogue() -> dict[str, type[Event]]:
    """Return all kinds of events, including plugins' own."""
    return {kind.name: kind for kind in iterate_subclasses(Event) if kind.name}


def iterate_subclasses(kind: type[Event]) -> Iterator[type[Event]]:
    for child in kind.__subclasses__():
        yield child
        yield from iterate_subclasses(child)


def plain_fields(event: Event) -> dict[str, object]:
    """Return the fields for people who read the file."""
    match event:
        case events.TaskStarted(task=task, model=model):
            return {"description": task.text, "model": model}
        case events.RecallFinished(recall=recall):
            memos = [hit.item for hit in recall.hits]
            traps = sum(isinstance(memo, Learning) and memo.kind == "anti_pattern" for memo in memos)
            learnings = sum(isinstance(memo, Learning) for memo in memos) - traps
            return {"anti_patterns": traps, "learnings": learnings, "tokens": sum(len(m.text) for m in memos) // 4}
        case events.IterationFinished(iteration=n, score=score, cost=spent, mode=mode):
            values: dict[str, object] = {
                "n": n + 1,
                "score": score,
                "tokens": spent.tokens,
                "duration_ms": round(spent.seconds * 1000),
            }
            return values if mode is EvaluationMode.FULL else {**values, "eval": str(mode)}
        case events.RunCompleted(cost=spent, iterations=iterations):
            return {"iterations": iterations, "total_tokens": spent.tokens, "cost_usd": round(spent.usd, 6)}
        case _:
            return {}
