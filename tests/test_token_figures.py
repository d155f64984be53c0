"""A task's tokens are one figure, wherever they are read: all of them as vendors count, cached ones too."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell, logged_records, shell

from openkoi_runlog.report import format_tokens

USAGE = "usage: {input: 200, output: 40, cache_read: 500, cache_write: 60}"  # less than a request of each role can be
JUDGED = '{"scores": {"clarity": 1.0, "accuracy": 1.0, "tone": 1.0, "structure": 1.0, "other_task": 0}, "findings": []}'
TURNS = f"""\
price: {{input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 3.75}}
turns:
  - when: {{tools: true, last: note}}
    calls: [{{tool: write_file, arguments: {{path: note.md, content: Koi swim.}}}}]
    {USAGE}
  - when: {{tools: true}}
    says: Written.
    {USAGE}
    repeat: true
  - when: {{tools: false}}
    says: '{JUDGED}'
    {USAGE}
    repeat: true
"""
A_CALL = 200 + 40 + 500 + 60
CONFIG = "[hooks.learning]\nreflect = false\n"


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(CONFIG)
    return openkoi


def run_task(openkoi: Shell) -> dict[str, Any]:
    """Do a task of several calls, most of whose tokens come out of a cache; return its result."""
    (openkoi.folder / "script.yaml").write_text(TURNS)
    result = openkoi("-m", "scripted/script.yaml", "--format", "json", "Write a note about koi")
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.row("TOK-01", "SAFE-04", "C47")
def test_all_figures_of_a_run_agree(openkoi: Shell, tmp_path: Path) -> None:
    result = run_task(openkoi)
    total = result["usage"]["total"]
    calls = sum(cost["calls"] for cost in result["costs"]["by_phase"].values())
    text = openkoi("replay")
    costs = openkoi("status", "--costs").stdout
    openkoi("export", "--output", str(tmp_path / "out"))
    exported = [json.loads(line) for file in (tmp_path / "out").rglob("*.json*") for line in texts(file)]

    assert calls >= 3
    assert calls * A_CALL == total
    assert total == sum(one["usage"]["total"] for one in result["iterations"])
    assert {total} == {sum(cost["tokens"] for cost in part.values()) for part in result["costs"].values()}
    assert f", {format_tokens(total)} tokens, " in next(one for one in text.stderr.splitlines() if "[done]" in one)
    assert [f"{format_tokens(total)} tokens"] * 3 == re.findall(r"\S+ tokens(?=\))", costs)
    assert format_tokens(total) == re.findall(r"(\S+) +\S+ +Write a note", costs)[0]
    assert [total] == [one["total_tokens"] for one in log(openkoi) if one["type"] == "task_complete"]
    assert total in figures(exported)


@pytest.mark.row("TOK-01")
def test_what_is_learned_from_a_result_changes_none_of_its_figures(openkoi: Shell) -> None:
    (openkoi.home / "config.toml").write_text("[hooks.learning]\nfirst_tries = 1\n")
    result = run_task(openkoi)
    replayed = json.loads(openkoi("replay", "--format", "json").stdout)

    assert A_CALL == replayed["costs"]["by_phase"]["learn"]["tokens"]
    assert [result[key] for key in ("usage", "cost_usd", "iterations")] == [
        replayed[key] for key in ("usage", "cost_usd", "iterations")
    ]
    assert f"{format_tokens(result['usage']['total'] + A_CALL)} tokens" in openkoi("status", "--costs").stdout


@pytest.mark.parametrize("reply", ["NONE", "1. Name the fish in the first line of a note."])
def test_what_learning_cost_is_said_and_makes_all_figures_agree_with_the_log(openkoi: Shell, reply: str) -> None:
    (openkoi.home / "config.toml").write_text("[hooks.learning]\nfirst_tries = 1\n")
    judged = f"  - when: {{tools: false}}\n    says: '{JUDGED}'\n"
    learned = f"  - when: {{tools: false, last: 'Ended: accept'}}\n    says: '{reply}'\n    {USAGE}\n"
    (openkoi.folder / "script.yaml").write_text(TURNS.replace(judged, learned + judged))
    result = openkoi("-m", "scripted/script.yaml", "Write a note about koi")
    answered = [one for one in log(openkoi) if one["type"] == "model.response"]
    status = openkoi("status").stdout

    whole, learning = len(answered) * A_CALL, A_CALL
    assert f", {format_tokens(whole - learning)} tokens, " in next(
        one for one in result.stderr.splitlines() if "[done]" in one
    )
    assert f"  Learning used {format_tokens(learning)} more tokens, " in result.stderr
    assert [format_tokens(whole - learning)] == re.findall(r"(\S+) +\S+ +Write a note", status)
    spans = re.findall(r"\(1 task, (\S+) tokens\), of which learning \S+ \((\S+) tokens\)", status)
    assert [(format_tokens(whole), format_tokens(learning))] * 3 == spans


def test_without_learning_nothing_is_said_of_its_cost(openkoi: Shell) -> None:
    (openkoi.folder / "script.yaml").write_text(TURNS)
    result = openkoi("-m", "scripted/script.yaml", "Write a note about koi")

    assert "earning used" not in result.stderr
    assert "of which learning" not in openkoi("status").stdout


def texts(file: Path) -> list[str]:
    reply = file.read_text()
    return reply.splitlines() if file.suffix == ".jsonl" else [reply]


def log(openkoi: Shell) -> list[dict[str, Any]]:
    return logged_records(openkoi.home)


def figures(reply: object) -> set[object]:
    """Return all that is called tokens in an export, at whatever depth."""
    if isinstance(reply, list):
        return {one for each in reply for one in figures(each)}
    if isinstance(reply, dict):
        own = {value for key, value in reply.items() if key in ("tokens", "total_tokens")} - {None}
        return own | {one for each in reply.values() for one in figures(each)}
    return set()
