"""A record as a line of the log, and back: plain JSON that jq reads, closed by a checksum. Knows no file.

The four kinds that people read (``task_start``, ``recall``, ``iteration``, ``task_complete``) carry their plain fields
beside the event's own ``data``; every other kind is spelled by the event's dotted name.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from zlib import crc32

from openkoi_base.redact import Redactor
from openkoi_hookspecs import EvaluationMode, Event, Learning, Record, events

from .blobs import MARK, NOWHERE, reading, writing
from .codec import decode, encode
from .masked import masked

SPELLED = {"task.start": "task_start", "run.completed": "task_complete"}
NAMED = {spelled: name for name, spelled in SPELLED.items()}
ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


class Damaged(ValueError):
    """A line that is not what was written."""


def write_line(record: Record, redact: Callable[[str], str] = str, blobs: dict[str, bytes] | None = None) -> str:
    """One line of ASCII JSON without its end and checksum; ``sealed`` closes it. Every text in it is redacted.

    Bytes do not stand in it, only their digests: they are added to ``blobs``.
    """
    with writing(redact, blobs):
        return write_json(record, redact)


def write_json(record: Record, redact: Callable[[str], str]) -> str:
    event = record.event
    said = {"ts": record.at, "type": SPELLED.get(event.name, event.name), "id": record.id, "run": record.run}
    told = event.data if isinstance(event, events.UnknownEvent) else {**plain_fields(event), "data": event}
    return dumps({**said, **masked(encode(told), redact)})


def redacted(record: Record, redact: Redactor) -> Record:
    """The record without secrets, for views that shorten texts: half a secret would not be found any more."""
    event = record.event
    plain = event.data if isinstance(event, events.UnknownEvent) else encode(event)
    clean = masked(plain, redact)
    if clean == plain:
        return record
    return replace(
        record,
        event=events.UnknownEvent(clean) if isinstance(event, events.UnknownEvent) else decode(type(event), clean),
    )


def dumps(value: object) -> str:
    return ENCODER.encode(value)


def sealed(line: str) -> bytes:
    """The bytes that are written: the line, its checksum, its end."""
    body = line[:-1].encode("ascii")
    return b'%b,"crc":"%08x"}\n' % (body, crc32(body))


def opened(line: bytes) -> dict[str, Any]:
    """Read a line; raises Damaged unless every byte is as it was written."""
    body, found, seal = line.rpartition(b',"crc":"')
    if not found or seal != b'%08x"}\n' % crc32(body):
        raise Damaged("the checksum does not fit")
    said = json.loads(body + b"}")
    if not isinstance(said, dict):
        raise Damaged("it is no object")
    return said


def read_line(line: bytes, segment: str = "", end: int = 0, blobs: Path = NOWHERE) -> Record:
    """The record in a line. An event that nobody here knows becomes Unknown, with all it holds.

    ``blobs`` is the folder of the bytes that it refers to.
    """
    said = opened(line)
    at, kind, id, run = (str(said.pop(key, "")) for key in ("ts", "type", "id", "run"))
    with reading(blobs) if MARK in line else nullcontext():
        event = read_event(kind, said)
    return Record(id, at, run, event, segment=segment, end=end)


def read_event(kind: str, said: dict[str, Any]) -> Event:
    known = kind_named(NAMED.get(kind, kind))
    try:
        if known is not None:
            event: Event = decode(known, said["data"])
            return event
    except (KeyError, TypeError, ValueError):
        pass
    return events.UnknownEvent({"type": kind, **said})


def kind_named(name: str) -> type[Event] | None:
    """The kind of event of that name, looked for anew where those that were there last do not have it."""
    return catalogue_with(tuple(Event.__subclasses__())).get(name) or catalogue().get(name)


@lru_cache(maxsize=1)
def catalogue_with(kinds: tuple[type[Event], ...]) -> Mapping[str, type[Event]]:
    """The catalogue, found once for as long as the events that are there directly stay the same."""
    return catalogue()


def catalogue() -> dict[str, type[Event]]:
    """Every kind of event there is by now, plugins' own included."""
    return {kind.name: kind for kind in family(Event) if kind.name}


def family(kind: type[Event]) -> Iterator[type[Event]]:
    for child in kind.__subclasses__():
        yield child
        yield from family(child)


def plain_fields(event: Event) -> dict[str, object]:
    """What a reader of the file sees at a glance."""
    match event:
        case events.TaskStarted(task=task, model=model):
            return {"description": task.text, "model": model}
        case events.RecallFinished(recall=recall):
            memos = [hit.item for hit in recall.hits]
            traps = sum(isinstance(memo, Learning) and memo.kind == "anti_pattern" for memo in memos)
            learnings = sum(isinstance(memo, Learning) for memo in memos) - traps
            return {"anti_patterns": traps, "learnings": learnings, "tokens": sum(len(m.text) for m in memos) // 4}
        case events.IterationFinished(iteration=n, score=score, cost=spent, mode=mode):
            said: dict[str, object] = {
                "n": n + 1,
                "score": score,
                "tokens": spent.tokens,
                "duration_ms": round(spent.seconds * 1000),
            }
            return said if mode is EvaluationMode.FULL else {**said, "eval": str(mode)}
        case events.RunCompleted(cost=spent, iterations=iterations):
            return {"iterations": iterations, "total_tokens": spent.tokens, "cost_usd": round(spent.usd, 6)}
        case _:
            return {}
