"""Whatever is written to the log is read back as it was, and what was changed on the way is noticed."""

import json
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openkoi_base.redact import Redactor
from openkoi_hookspecs import (
    Baseline,
    Blob,
    Cost,
    Decision,
    Evaluation,
    EvaluationMode,
    Event,
    Hit,
    Learning,
    Limits,
    NextAction,
    Passage,
    Recall,
    Record,
    Score,
    Task,
    ToolCall,
    events,
)
from openkoi_runlog.record_format import (
    CorruptLineError,
    add_checksum,
    build_catalogue,
    dumps,
    parse_line,
    read_line,
    write_line,
)

AT = "2026-11-21T10:00:00.000000Z"
TEXTS = st.text(max_size=6) | st.sampled_from(["\ud800", "\u2028", '"', "\\", '","crc":"00000000"}\n'])
FLOATS = st.floats(-1e9, 1e9)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
SIMPLE: Mapping[object, st.SearchStrategy[Any]] = {
    str: TEXTS,
    int: st.integers(),
    float: FLOATS,
    bool: st.booleans(),
    bytes: st.binary(max_size=6),
    bytes | Blob: st.binary(max_size=6).map(lambda data: Blob(sha256(data).hexdigest(), len(data), Path("anywhere"))),
    type(None): st.none(),
    Any: JSON,
    get_type_hints(Baseline)["state"]: JSON,
}
KNOWN = [kind for kind in vars(events).values() if isinstance(kind, type) and issubclass(kind, Event) and kind.name]
some = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


def anything(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a field's type."""
    if hint in SIMPLE:
        return SIMPLE[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(anything, arguments))
    if origin is Mapping or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return st.dictionaries(TEXTS, JSON, max_size=2)
    if origin is tuple or (isinstance(origin, type) and issubclass(origin, Sequence)):
        return st.lists(anything(arguments[0]), max_size=2).map(tuple)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(hint)
    return st.deferred(lambda: facts(hint))


@cache
def facts(kind: Any) -> st.SearchStrategy[Any]:
    """Instances of a fact's class with values in every field."""
    hints = get_type_hints(kind)
    return st.builds(kind, **{field.name: anything(hints[field.name]) for field in fields(kind)})


def record(event: Event) -> Record:
    return Record("a1b2", AT, "run-1", event)


def line(event: Event) -> bytes:
    return add_checksum(write_line(record(event)))


def plain(event: Event) -> dict[str, Any]:
    """What stands in the file beside the event's own data."""
    reply = parse_line(line(event))
    return {key: value for key, value in reply.items() if key not in ("ts", "id", "run", "data")}


@pytest.mark.parametrize("kind", KNOWN, ids=lambda kind: kind.__name__)
@some
@given(st.data())
def test_every_event_is_read_back_as_it_was_written(kind: type[Event], data: st.DataObject) -> None:
    event = data.draw(facts(cast(Any, kind)))

    assert record(event) == read_line(line(event))
    assert write_line(record(event)) == write_line(record(event), Redactor(["something secret"]))


@pytest.mark.parametrize("value", [float("inf"), float("-inf")])
def test_numbers_without_end_are_read_back(value: float) -> None:
    event = events.EvaluationFinished(Evaluation(scores=(Score("x", value),)))

    assert record(event) == read_line(line(event))


def test_what_is_not_a_number_is_written_all_the_same() -> None:
    reply = read_line(line(events.IterationFinished(0, float("nan"), Cost(usd=float("nan")))))

    assert isinstance(reply.event, events.IterationFinished)
    assert reply.event.score != reply.event.score


def test_an_answer_of_a_plugin_is_written_as_plain_values() -> None:
    event = events.HookReturned("before_plan", "soul", 12, (Score("x", 0.5), object, b"raw"))
    reply = read_line(line(event)).event

    assert isinstance(reply, events.HookReturned)
    assert [{"dimension": "x", "value": 0.5}, "<class 'object'>", "cmF3"] == reply.answer


def test_a_line_is_ascii_and_ends_once() -> None:
    reply = line(events.ModelDelta("häfen\n\u2028\ud800"))

    assert reply.isascii()
    assert [len(reply) - 1] == [place for place, byte in enumerate(reply) if byte == ord("\n")]
    assert "häfen\n\u2028\ud800" == json.loads(reply)["data"]["text"]


def test_where_a_record_stands_is_told_when_it_is_read() -> None:
    record = read_line(line(events.ModelDelta("a")), "s.jsonl", 99)

    assert ("s.jsonl", 99) == (record.segment, record.end)


# Damage.


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.integers(0, 10**9), st.integers(1, 255))
def test_one_changed_byte_anywhere_is_noticed(text: str, place: int, change: int) -> None:
    whole = bytearray(line(events.ModelDelta(text)))
    whole[place % len(whole)] ^= change

    with pytest.raises(CorruptLineError):
        read_line(bytes(whole))


@settings(max_examples=50, deadline=None)
@given(TEXTS, st.integers(0, 10**9))
def test_a_line_that_was_cut_off_is_noticed(text: str, length: int) -> None:
    whole = line(events.ModelDelta(text))

    with pytest.raises(CorruptLineError):
        read_line(whole[: length % len(whole)])


@pytest.mark.parametrize("whole", [b"", b"\n", b"{}\n", b"\0" * 64, add_checksum("[1]"), b'{"type":"a"}\n'])
def test_what_is_no_record_is_noticed(whole: bytes) -> None:
    with pytest.raises((CorruptLineError, ValueError)):
        read_line(whole)


# Events that nobody here knows.


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(TEXTS.filter(lambda key: key not in ("ts", "type", "id", "run")), JSON, max_size=3))
def test_an_unknown_event_is_kept_and_written_again_unchanged(more: dict[str, Any]) -> None:
    reply = {"ts": AT, "type": "acme.happened", "id": "a1b2", "run": "run-1", **more}
    whole = add_checksum(json.dumps(reply, separators=(",", ":")))
    record = read_line(whole)

    assert events.UnknownEvent({"type": "acme.happened", **more}) == record.event
    assert whole == add_checksum(write_line(record))


@pytest.mark.parametrize(
    "reply",
    [
        {"type": "task_start", "description": "mend it", "model": "claude-sonnet-4-5"},
        {"type": "decision", "data": {"iteration": 0, "ruling": {"decision": "dance", "reason": "why not"}}},
        {"type": "iteration", "data": ["no", "object"]},
        {"type": "usage", "data": {"kind": "Task", "description": "d", "field_of_tomorrow": 1, "channel": "cli"}},
    ],
    ids=["of the documents", "a decision of tomorrow", "no object", "a field of tomorrow"],
)
def test_an_event_of_another_version_is_never_lost(reply: dict[str, Any]) -> None:
    whole = add_checksum(json.dumps({"ts": AT, **reply, "id": "a1b2", "run": "r"}, separators=(",", ":")))
    record = read_line(whole)

    assert isinstance(record.event, events.UnknownEvent) or "usage" == reply["type"]
    assert reply["type"] in write_line(record)


@dataclass(frozen=True, slots=True)
class Danced(Event):
    """An event that a plugin adds."""

    name = "dance.danced"
    steps: tuple[str, ...] = ()
    call: ToolCall | None = None


def test_a_plugins_own_event_is_read_back() -> None:
    event = Danced(("left", "right"), ToolCall("1", "turn", {"is": "Text", "by": 90}))

    assert "dance.danced" in build_catalogue()
    assert record(event) == read_line(line(event))


@pytest.mark.parametrize(
    "data", [{"steps": "left"}, {"steps": [{"left": 1}]}, {"steps": [None]}, {"call": {"id": 3}}, {"call": ["id"]}, []]
)
def test_an_event_whose_data_has_wrong_types_is_an_unknown_event(data: object) -> None:
    """An export of another machine may contain anything: views read only events as they are defined."""
    written = add_checksum(dumps({"type": Danced.name, "id": "1", "data": data}))

    assert events.UnknownEvent({"type": Danced.name, "data": data}) == read_line(written).event


def test_an_event_that_a_plugin_defines_later_is_read_from_then_on() -> None:
    sung, hummed = (
        add_checksum(dumps({"type": name, "id": "1", "data": {"song": "la"}})) for name in ("song.sung", "song.hummed")
    )
    assert isinstance(read_line(sung).event, events.UnknownEvent)

    @dataclass(frozen=True, slots=True)
    class Sung(Event):
        name = "song.sung"
        song: str

    assert Sung("la") == read_line(sung).event
    assert isinstance(read_line(hummed).event, events.UnknownEvent)

    @dataclass(frozen=True, slots=True)
    class Hummed(Sung):
        name = "song.hummed"

    assert Hummed("la") == read_line(hummed).event


def test_an_event_that_is_defined_anew_takes_the_place_of_the_old_one() -> None:
    reply = add_checksum(dumps({"type": "walk.walked", "id": "1", "data": {"miles": 3}}))
    read = []

    for _ in range(2):

        @dataclass(frozen=True, slots=True)
        class Walked(Event):
            name = "walk.walked"
            miles: int

        read.append(type(read_line(reply).event) is Walked)

    assert [True, True] == read


# What people and jq see.


@pytest.mark.row("C77", "OBS-03")
def test_the_start_of_a_task_has_its_printed_fields() -> None:
    event = events.TaskStarted(Task("Add rate limiting", limits=Limits(usd=0.5)), model="anthropic/claude-sonnet-4-5")

    assert {
        "type": "task_start",
        "description": "Add rate limiting",
        "model": "anthropic/claude-sonnet-4-5",
    } == plain(event)


@pytest.mark.row("C77", "OBS-03")
def test_a_recall_has_its_printed_fields() -> None:
    hits = (
        Hit(Learning("1", "anti_pattern", "a" * 40), 0.9),
        Hit(Learning("2", "heuristic", "b" * 40), 0.8),
        Hit(Learning("3", "fact", "c" * 40), 0.7),
        Hit(Passage("4", "d" * 40), 0.6),
    )

    assert {"type": "recall", "anti_patterns": 1, "learnings": 2, "tokens": 40} == plain(
        events.RecallFinished(Recall(hits))
    )


@pytest.mark.row("C77", "C65", "OBS-03")
def test_an_iteration_has_its_printed_fields_and_is_counted_from_one() -> None:
    first = events.IterationFinished(0, 0.73, Cost(tokens=12_400, seconds=3.2))
    second = events.IterationFinished(1, 0.89, Cost(tokens=8_100, seconds=2.8), EvaluationMode.INCREMENTAL)

    assert {"type": "iteration", "n": 1, "score": 0.73, "tokens": 12_400, "duration_ms": 3_200} == plain(first)
    assert {
        "type": "iteration",
        "n": 2,
        "score": 0.89,
        "tokens": 8_100,
        "duration_ms": 2_800,
        "eval": "incremental",
    } == plain(second)


@pytest.mark.row("C77", "OBS-03")
def test_the_end_of_a_task_has_its_printed_fields() -> None:
    decision = Decision(NextAction.ACCEPT, "the score 0.89 is good enough")
    event = events.RunCompleted(decision, Cost(tokens=20_900, usd=0.32), best=1, iterations=2)

    assert {"type": "task_complete", "iterations": 2, "total_tokens": 20_900, "cost_usd": 0.32} == plain(event)


@pytest.mark.row("C30")
def test_every_other_kind_is_spelled_by_its_dotted_name() -> None:
    dotted = [kind for kind in KNOWN if kind not in (events.TaskStarted, events.RunCompleted)]

    assert {kind.name: kind for kind in KNOWN}.items() <= build_catalogue().items()
    assert "cycle.start" == plain(events.CycleStarted(0, 30))["type"]
    assert len(dotted) == len({kind.name for kind in dotted})


# The words of written logs stay.


VOTED = {
    "rubric": "house",
    "votes": [[{"dimension": "walls", "value": 0.5}]],
    "mode": "incremental",
    "carried": ["roof"],
    "calls": 2,
    "asked": 20,
    "whole": 80,
    "aside": 7,
    "proof": "sound",
}


@pytest.mark.parametrize(
    ("name", "data", "event"),
    [
        (
            "judge.voted",
            VOTED,
            events.JudgeVoted(
                "house",
                ((Score("walls", 0.5),),),
                mode=EvaluationMode.INCREMENTAL,
                carried_over=("roof",),
                calls=2,
                characters=20,
                full_characters=80,
                control_characters=7,
                control=events.ControlOutcome.SOUND,
            ),
        ),
        (
            "checkpoints.moved",
            {"ref": "HEAD", "before": "a", "after": "", "current": True},
            events.GitRefChanged("HEAD", "a", "", current=True),
        ),
        ("checkpoints.wrote_outside", {"path": "/etc/x"}, events.OutsideFileWritten("/etc/x")),
        ("checkpoints.wrote_passed", {"path": "node_modules"}, events.SkippedFolderChanged("node_modules")),
    ],
    ids=["votes", "a ref", "a file outside", "a skipped folder"],
)
def test_what_other_plugins_read_keeps_the_words_of_written_logs(name: str, data: object, event: Event) -> None:
    content = add_checksum(dumps({"ts": AT, "type": name, "id": "a1b2", "run": "run-1", "data": data}))

    assert content == line(event)
    assert record(event) == read_line(content)


def test_a_vote_that_cannot_be_read_is_kept_as_it_is() -> None:
    data = {"rubric": "house", "votes": [[{"value": 1}]]}

    assert (
        events.UnknownEvent({"type": "judge.voted", "data": data})
        == read_line(add_checksum(dumps({"ts": AT, "type": "judge.voted", "id": "1", "run": "r", "data": data}))).event
    )
