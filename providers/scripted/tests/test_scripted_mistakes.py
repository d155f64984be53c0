"""Test the errors for invalid scripts, which name the file, the line, the key and what is expected."""

import asyncio
from pathlib import Path

import pytest

from openkoi_hookspecs import Message, Request, RequestRejectedError
from openkoi_scripted import ScriptedProvider
from openkoi_scripted.yaml_node import load_yaml

MISTAKES = [
    ("", "is empty. It needs a list of turns"),
    ("turns: [", "line 1: invalid YAML"),
    ("turns:\n- says: &a a\n- says: *a", "line 3: invalid YAML: references (*) are not supported"),
    ("turns: []\n---\nturns: []", "invalid YAML: expected a single document in the stream, but found another document"),
    ("[]", "line 1: the file must be a table with context, output, price, can, turns, not a list"),
    ("context: 3", "line 1: the file has no turns"),
    ("turns: 3", "line 1: turns must be a list, not '3'"),
    ("turns: [hello]", "line 1: turns[1] must be a table with when, says"),
    ("turns:\n- says: a\n  sayz: b", "line 3: turns[1].sayz is not a valid key. Valid keys: when, says, thinks"),
    ("turns:\n- says: a\n  says: b", "line 3: turns[1].says is a duplicate key"),
    ("turns:\n- thinks: a", "line 2: turns[1] needs `says`, `calls` or `fails`"),
    ("turns:\n- says: 3", "line 2: turns[1].says must be text (in quotes), not '3'"),
    ("turns:\n- says: a\n  when: {after: -1}", "line 3: turns[1].when.after must be a whole number, zero or more"),
    ("turns:\n- says: a\n  when: {tools: 1}", "line 3: turns[1].when.tools must be true or false"),
    ("turns:\n- says: a\n  when: {last: [1]}", "line 3: turns[1].when.last[1] must be text"),
    ("turns:\n- says: a\n  usage: {input: 1.5}", "turns[1].usage.input must be a whole number"),
    ("turns:\n- says: a\n  usage: {input: true}", "turns[1].usage.input must be a whole number"),
    ("turns:\n- says: a\n  delay: .inf", "turns[1].delay must be a number, zero or more"),
    ("turns:\n- says: a\n  stop: now", "turns[1].stop must be one of end, tools, length, refused, not 'now'"),
    ("turns:\n- calls: [{arguments: {}}]", "turns[1].calls[1] has no tool"),
    ("turns:\n- calls: [{tool: t, arguments: [1]}]", "turns[1].calls[1].arguments must be a table of arguments"),
    ("turns:\n- calls: [{tool: t, arguments: {day: 2026-01-01}}]", "turns[1].calls[1].arguments must be text"),
    ("turns:\n- fails: {retry_after: 1}", "turns[1].fails must have exactly one of unavailable, refused, cut"),
    ("turns:\n- fails: {refused: a, cut: true}", "turns[1].fails must have exactly one of unavailable, refused, cut"),
    ("turns:\n- fails: {refused: a, retry_after: 1}", "retry_after is only valid with `unavailable`"),
    ("turns:\n- fails: {cut: false}", "turns[1].fails.cut must be true"),
    ("turns: !!python/object:os.system [a]", "line 1"),
    ("price: {input: free}\nturns: []", "line 1: price.input must be a number, zero or more, not 'free'"),
]


@pytest.mark.parametrize(("text", "report"), MISTAKES, ids=[report[:40] for _, report in MISTAKES])
def test_a_mistake_is_pointed_at(text: str, report: str, tmp_path: Path) -> None:
    file = tmp_path / "part.yaml"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(RequestRejectedError) as caught:
        asyncio.run(ask(file))

    assert str(file) in str(caught.value)
    assert report in str(caught.value)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "part.yaml"
    file.write_bytes(b"turns:\n- says: h\xe4")

    with pytest.raises(RequestRejectedError, match=r"part\.yaml, line 2: not valid UTF-8"):
        asyncio.run(ask(file))


def test_a_folder_is_named_once(tmp_path: Path) -> None:
    with pytest.raises(RequestRejectedError) as caught:
        load_yaml(tmp_path)

    assert f"Cannot read the script {tmp_path}: Is a directory." == str(caught.value)


async def ask(file: Path) -> None:
    async for _ in ScriptedProvider().chat(Request([Message.user("Go")], model=str(file))):
        pass
