"""A record keeps no secret, and can be read back whatever is one."""

import json
import string
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import import_module
from pkgutil import iter_modules

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import openkoi_hookspecs
from openkoi_base.random_id import RandomId
from openkoi_base.redact import MASK, Redactor, Secret
from openkoi_hookspecs import (
    Cost,
    Decision,
    Event,
    Hit,
    Learning,
    NextAction,
    Passage,
    Recall,
    Record,
    ToolCall,
    ToolResult,
    Usage,
    events,
)
from openkoi_runlog import add_checksum, read_line, redact_json, write_line

PRINTABLE = st.text(string.printable, min_size=6, max_size=40)
DIGITS = st.text("0123456789", min_size=6, max_size=12)
SECRETS = (PRINTABLE | st.text(min_size=6, max_size=20) | DIGITS).filter(lambda text: Secret(text, "").is_maskable)
TEXTS = st.text(max_size=20)
many = settings(max_examples=60, deadline=None)


def logged(event: Event, redactor: Redactor) -> str:
    return write_line(Record("id", "at", "run", event), redactor)


@many
@given(SECRETS, TEXTS, TEXTS)
@example("123456", "", "")
@example("nsecret1", "\n", "")
@example('","type":"', "", "")
def test_a_line_of_the_log_holds_no_secret_and_is_json_still(secret: str, before: str, after: str) -> None:
    call = ToolCall("1", "run", {"command": before + secret + after, "n": 123456, "list": [json.dumps({"k": secret})]})
    line = logged(events.ToolCallStarted(call, progress_text=secret), Redactor([secret]))
    data = json.loads(line)["data"]

    assert json.loads(add_checksum(line))
    assert secret not in str(data.get("doing", "")).replace(MASK, "")
    assert 123456 == next(number for number in values(data) if isinstance(number, int))


def values(value: object) -> list[object]:
    """Everything in plain JSON values that is neither a list nor an object."""
    if isinstance(value, dict):
        return [one for item in value.values() for one in values(item)]
    return [one for item in value for one in values(item)] if isinstance(value, list) else [value]


HOSTILE = st.lists(
    st.sampled_from(["://a:b@", "bearer ", "-----BEGIN PRIVATE KEY-----", "-----END", "\\", '"', "\n", "sk-", "x" * 20])
    | st.text(max_size=4),
    max_size=10,
).map("".join)


@pytest.mark.parametrize("before", ["", "\n", "\t", "key=", "\u2026", "(", "“"])
def test_a_key_at_the_start_of_a_line_is_kept_out_of_the_log(before: str) -> None:
    text = f"first{before}" + "ghp_" + "a" * 36
    line = logged(events.ToolCallFinished(ToolResult(text if before else text.removeprefix("first"))), Redactor())

    assert "aaaa" not in line
    assert "aaaa" not in Redactor()(json.dumps(text)) or not before


def words() -> set[str]:
    """Every word that the contract's facts are built of: values of enumerations, names of classes and fields."""
    found: set[str] = set()
    for module in iter_modules(openkoi_hookspecs.__path__, "openkoi_hookspecs."):
        for kind in vars(import_module(module.name)).values():
            if isinstance(kind, type) and issubclass(kind, Enum):
                found |= {str(word) for word in kind}
            if isinstance(kind, type) and is_dataclass(kind):
                found |= {kind.__name__, getattr(kind, "name", ""), *(field.name for field in fields(kind))}
    return {word for word in found if isinstance(word, str)}


MANY_KINDS: list[Event] = [
    events.RecallFinished(Recall((Hit(Learning("x", "anti_pattern", "y"), 1.0), Hit(Passage("x", "y"), 0.5)))),
    events.ToolCallStarted(ToolCall("1", "run", {"is": "ToolCall"})),
    events.DecisionMade(0, Decision(NextAction.ABORT_REGRESSION, "worse"), Cost()),
    events.RunCompleted(Decision(NextAction.ABORT_REGRESSION, "worse"), Cost(tokens=1)),
]


@pytest.mark.parametrize("event", MANY_KINDS, ids=lambda event: event.name)
def test_a_record_can_be_read_back_whatever_word_of_ours_is_a_secret(event: Event) -> None:
    redactor = Redactor(words())

    assert event == read_line(add_checksum(logged(event, redactor))).event


def test_a_result_keeps_its_decision_whatever_is_a_secret() -> None:
    result = {"decision": NextAction.ABORT_REGRESSION, "iterations": [{"decision": NextAction.ACCEPT}]}

    assert result == redact_json(result, Redactor(["accept", "abort_regression"]))


def test_numbers_and_truth_are_no_texts() -> None:
    assert {"n": 123456, MASK: [True, None, MASK]} == redact_json(
        {"n": 123456, "k123456": [True, None, "a123456"]}, Redactor(["k123456", "a123456"])
    )


@pytest.mark.parametrize(("lease", "count"), [(RandomId("0123456789abcdef"), 0), ("0123456789abcdef", 1)])
def test_an_id_that_was_drawn_is_logged_without_a_search_for_secrets(lease: str, count: int) -> None:
    searched: list[str] = []

    def redact(text: str) -> str:
        searched.append(text)
        return text

    line = write_line(Record("r", "t", "run", events.ModelRequest("m", Usage(), 0.0, lease=lease)), redact)

    assert '"lease":"0123456789abcdef"' in line
    assert count == searched.count(lease)
