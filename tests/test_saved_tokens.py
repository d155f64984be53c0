"""What a run saves appears in an ordinary run, with the default plugins: on the screen, in the result and in status."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell

from openkoi_hookspecs import ToolCall
from openkoi_runlog.report import format_tokens
from openkoi_testing.servers import AnthropicServer, Say

NAMES = ("correctness", "safety", "style", "completeness")
BUG = {"severity": "important", "dimension": "correctness", "title": "Wrong order", "location": "", "fix": "Sort"}
TASK = "Write shop.py with the parts of the shop"
TITLES = {
    "delta": "delta feedback",
    "eval_skip": "eval skipping",
    "incremental": "incremental eval",
    "prompt_cache": "prompt caching",
}


def source(parts: int) -> str:
    return "".join(f"def part_{n}(given: int) -> int:\n    return given * {n} + {n * 7}\n\n\n" for n in range(parts))


def edit(number: int) -> Say:
    old = f"given * {number} + {number * 7}"
    call = ToolCall(f"toolu_{number}", "edit_file", {"path": "shop.py", "search": old, "replace": f"given * {number}"})
    return Say([call])


def full(score: float, *findings: dict[str, str]) -> str:
    """Return a verdict on all of the work."""
    scores = {**dict.fromkeys(NAMES, score), "other_task": 0.0}
    return json.dumps({"scores": scores, "findings": findings, "suggestion": "Look again."})


def partial(score: float, *resolved: int) -> str:
    """Return a verdict on what changed."""
    rows = [{"dimension": "correctness", "score": score}, {"dimension": "other_task", "score": 0.0}]
    return json.dumps({"scores": rows, "findings": [], "resolved": resolved, "suggestion": "Go on."})


@dataclass(frozen=True, slots=True)
class Ran:
    """A run of three iterations, and all its requests."""

    shell: Shell
    progress: str
    result: dict[str, Any]
    sent: Sequence[Any]

    @property
    def saved(self) -> dict[str, int]:
        found: dict[str, int] = self.result["saved_tokens"]
        return found


def run_iterations(folder: Path, parts: int, *answers: Say | str) -> Ran:
    """Write a file of so many parts, and improve it in later iterations; the server counts and caches as vendors do."""
    (folder / "folder").mkdir()
    write = ToolCall("toolu_w", "write_file", {"path": "shop.py", "content": source(parts)})
    turns = [Say([write]), "Written.", full(0.5, BUG), edit(3), "Fixed.", *answers, "NONE"]
    with AnthropicServer(*turns, models=["claude-sonnet-4-5"], count=True) as server:
        variables = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "sk-ant-anything-at-all"}
        shell = Shell(folder / "folder", folder / "home", variables)
        result = shell("-m", "claude-sonnet", TASK)
        sent = [json.loads(one.body) for one in server.requests if one.path.endswith("/messages")]
    assert 0 == result.returncode, result.stderr
    return Ran(shell, result.stderr, json.loads(shell("replay", "--format", "json").stdout), sent)


@pytest.fixture(scope="module")
def improved(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A file of 120 lines that is judged in full, then by what changed, then in full."""
    turns = partial(0.7, 1), edit(5), "Fixed more.", full(0.95)
    return run_iterations(tmp_path_factory.mktemp("improved"), 30, *turns)


@pytest.mark.row("TOK-10", "TOK-11", "CLI-41", "EVAL-19")
def test_an_ordinary_run_is_judged_by_what_changed_and_says_what_that_saved(improved: Ran) -> None:
    modes = [one["eval_mode"] for one in improved.result["iterations"]]
    shares = re.findall(r"\[iter 2/3\] score: 0\.58 \(.*eval: incremental, (\d+)% tokens saved\)", improved.progress)

    assert ["full", "incremental", "full"] == modes
    assert [True] == [20 <= int(share) <= 70 for share in shares], improved.progress
    assert [0.5, 0.58, 0.95] == [one["score"] for one in improved.result["iterations"]]


@pytest.mark.row("TOK-05", "TOK-06")
def test_the_next_iteration_is_sent_only_what_is_still_open(improved: Ran) -> None:
    talks = [body["messages"] for body in improved.sent if body.get("tools")]
    opened = [talk for talk in talks if "Fix 1 issue:" in json.dumps(talk[-1])]

    assert 1 == len(opened)
    text = json.dumps(opened[0][-1])
    assert "Wrong order" in text
    assert "test" not in text
    assert len(talks[talks.index(opened[0]) - 1]) + 2 == len(opened[0])


@pytest.mark.row("TOK-11")
def test_what_was_saved_is_said_after_the_run_and_agrees_with_the_result_and_with_status(improved: Ran) -> None:
    reply = next(line for line in improved.progress.splitlines() if line.startswith("  Saved "))
    costs = improved.shell("status", "--costs").stdout

    assert {"delta", "incremental", "prompt_cache"} == {by for by, tokens in improved.saved.items() if tokens > 0}
    assert reply.startswith(f"  Saved {format_tokens(sum(improved.saved.values()))} tokens: ")
    for by, tokens in improved.saved.items():
        assert (f"{TITLES.get(by, by)} {format_tokens(tokens)}" in reply) is (tokens > 0)
    for by in ("delta", "incremental", "prompt_cache"):
        row = next(line for line in costs.splitlines() if line.strip().lower().startswith(TITLES[by]))
        assert 3 == row.count(f"{format_tokens(improved.saved[by])} (~")


def test_a_small_change_is_judged_in_full_because_half_of_it_would_save_nothing(tmp_path: Path) -> None:
    found = run_iterations(tmp_path, 6, full(0.95))

    assert ["full", "full"] == [one["eval_mode"] for one in found.result["iterations"]]
    assert 0 == found.saved["incremental"]
    assert found.saved["prompt_cache"] > 0
