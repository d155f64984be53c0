"""Read from outside what a disturbed run did, and which outcomes the issue's table allows.

What a run did is not asked of it: its files are compared, its checks are run here, and what its models said is read off
the log. From these facts the table says how it may end.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from acceptance_cases import Basis, Case, Checks, Fault, Place
from acceptance_staging import SECONDS, workspace

THRESHOLD = 0.8
AT_THE_END = {3, 6, 8}


@dataclass(frozen=True)
class Ran:
    """A finished run: its output, its files, and its log."""

    case: Case
    status: int
    stdout: str
    stderr: str
    folder: Path
    records: tuple[Mapping[str, Any], ...]

    @cached_property
    def json(self) -> Mapping[str, Any]:
        """The result, if it was printed as JSON."""
        found: Mapping[str, Any] = {} if self.case.in_text else json.loads(self.stdout)
        return found

    def of(self, kind: str) -> list[Mapping[str, Any]]:
        """Return the data of all records of a kind."""
        return [record["data"] for record in self.records if record["type"] == kind]

    @property
    def left(self) -> str:
        """The current content of the file."""
        return (self.folder / "a.txt").read_text()


@dataclass(frozen=True)
class Established:
    """The issue's facts about the final state, determined from outside."""

    end: str
    answered: bool
    changed: bool
    red: bool
    green: bool
    turned: bool
    judged: float | None


def write_all(folder: Path, files: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)


def last_iteration(ran: Ran) -> list[Mapping[str, Any]]:
    """Return the records from the end of the iteration before the last one, or from the beginning.

    To the last decision.
    """
    ends = [n for n, record in enumerate(ran.records) if record["type"] == "decision"]
    return list(ran.records[ends[-2] + 1 if len(ends) > 1 else 0 : ends[-1]])


def last_content(ran: Ran) -> str:
    """Return the content after the last iteration: of the last successful call that wrote it."""
    failed = {one["result"]["call"] for one in ran.of("tool_result") if one["result"].get("failed")}
    calls = [one["call"] for one in ran.of("tool_call") if one["call"]["tool"] == "write_file"]
    contents = [str(call["arguments"]["content"]) for call in calls if call["id"] not in failed]
    return contents[-1] if contents else workspace(ran.case)["a.txt"]


def passes(case: Case, content: str, folder: Path) -> bool | None:
    """Run the project's check on a copy with this content; None without a check."""
    if case.checks is Checks.NONE:
        return None
    shutil.rmtree(folder, ignore_errors=True)
    write_all(folder, {**workspace(case), "a.txt": content})
    pytest_command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_x.py"]
    result = subprocess.run(
        pytest_command if case.in_pytest else ["sh", "check.sh"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return result.returncode == 0 if case.in_pytest else "not ok" not in result.stdout


def end_reason(ran: Ran, own: list[Mapping[str, Any]]) -> str:
    """The reason why the last iteration ended: a limit, a refusal, or success.

    Which limit was staged is known, and hooks and tools meet it by what they do. When others meet it is read off the
    log. A deadline, on a slow machine in another phase than was meant, is met when so much time has passed. A judge met
    a limit when it gave no score: one judgement is kept back from the executor. The executor, also where no judge is
    asked, when it was stopped before its last words: where nothing is left for an iteration, none begins.
    """
    if ran.case.fatal and limit_met(ran, own):
        return "seconds" if ran.case.fault is Fault.DEADLINE else ran.case.limit
    stops = [one["data"]["reply"]["done"].get("stop") for one in own if by(one, "executor")]
    return "refused" if stops and stops[-1] == "refused" else "done"


def limit_met(ran: Ran, own: list[Mapping[str, Any]]) -> bool:
    if ran.case.fault is Fault.DEADLINE:
        began, over = (datetime.fromisoformat(str(one["ts"])) for one in (ran.records[0], own[-1]))
        return (over - began).total_seconds() >= SECONDS - 0.5
    silenced = ran.case.place is Place.JUDGE and ran.case.policy is Basis.JUDGE and judged_score(ran, own) is None
    return silenced or ran.case.place not in (Place.EXECUTOR, Place.JUDGE) or was_stopped(own)


def was_stopped(own: list[Mapping[str, Any]]) -> bool:
    """Return whether the executor was stopped before its final answer."""
    answers = [one["data"]["reply"] for one in own if by(one, "executor")]
    return not answers or any(part["is"] == "ToolCall" for part in answers[-1].get("parts", ()))


def by(record: Mapping[str, Any], role: str) -> bool:
    return (
        record["type"] == "model.response"
        and record["data"].get("role", "executor") == role
        and was_answered_by(record, role)
    )


def was_answered_by(record: Mapping[str, Any], role: str) -> bool:
    """Return whether the role's own model answered; hooks and tools use another model, without a role."""
    return role != "executor" or str(record["data"]["model"]).endswith(("/executor", "/executor.yaml"))


def words(record: Mapping[str, Any]) -> str:
    parts = record["data"]["reply"].get("parts", [])
    return "".join(str(part["text"]) for part in parts if part["is"] == "Text").strip()


def judged_score(ran: Ran, own: list[Mapping[str, Any]]) -> float | None:
    """Return the judge's evaluation of exactly this state.

    Its mean, of as many votes as there were, where it could be read.
    """
    answer = [words(one) for one in own if by(one, "evaluator")]
    if is_cached(own) and not answer:
        answer = [words(one) for one in ran.records if by(one, "evaluator")]
    scores = [score for text in answer if (score := is_readable(text)) is not None]
    return scores[-1] if scores else None


def ran_checks(records: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether the project's checks were run: a limit may have left no time for them."""
    evaluations = (one["data"]["evaluation"] for one in records if one["type"] == "evaluation")
    return any(check.get("evaluator") == "testrunner" for found in evaluations for check in found.get("checks", ()))


def is_cached(own: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether nothing was evaluated because the state is the one that was evaluated before."""
    return any(one["type"] == "iteration" and one["data"].get("mode") == "cached" for one in own)


def is_readable(text: str) -> float | None:
    try:
        return float(json.loads(text)["scores"]["correctness"])
    except (ValueError, TypeError, KeyError):
        return None


def establish(ran: Ran, spare: Path) -> Established:
    """Return all facts."""
    case, own, content = ran.case, last_iteration(ran), last_content(ran)
    before = workspace(case)["a.txt"]
    passing = passes(case, content, spare) if ran_checks(own) or (is_cached(own) and ran_checks(ran.records)) else None
    was_red = passing is not None and passes(case, before, spare) is False
    score = judged_score(ran, own)
    return Established(
        end=end_reason(ran, own),
        answered=any(words(one) for one in own if by(one, "executor")),
        changed=content != before,
        red=passing is False,
        green=passing is True,
        turned=was_red and passing is True,
        judged=min(score, 0.5) if score is not None and passing is False else score,
    )


def matching_row(facts: Established, policy: Basis) -> tuple[int, bool]:
    """Return the first row that fits, and whether it accepts. No run here waits for its user or asks a question."""
    good = facts.judged is not None and facts.judged >= THRESHOLD
    if policy is Basis.NONE:
        return 2, facts.end == "done" and (facts.answered or facts.changed)
    if facts.red:
        return 4, False
    if facts.end != "done":
        return 5, facts.changed and good
    if not (facts.answered or facts.changed):
        return 6, False
    if policy is Basis.JUDGE:
        return 7, good
    return 8, facts.green and (facts.turned or facts.changed)


def allowed_statuses(facts: Established, case: Case) -> set[int]:
    """Return the outcomes that the table allows; a run that would continue may lack the means."""
    _, accepted = matching_row(facts, case.policy)
    if accepted:
        return {0}
    limit = {Fault.DEADLINE: {5}, Fault.LIMIT: {4}}.get(case.fault, set())
    return AT_THE_END | limit if facts.end in ("done", "refused") else limit
