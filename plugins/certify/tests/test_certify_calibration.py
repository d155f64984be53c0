"""Test calibration: scores compared with the outcome of the work, read from the log alone."""

import gzip
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from openkoi_base.redact import Redactor
from openkoi_certify.calibration import build_calibration_report
from openkoi_certify.calibration_text import format_report, report_to_json
from openkoi_certify.outcomes import CalibratedJudgment, UserOutcome, load_judgments
from openkoi_hookspecs import (
    Check,
    Cost,
    Decision,
    Evaluation,
    EvaluationMode,
    Event,
    ExecutionResult,
    NextAction,
    Score,
    Task,
)
from openkoi_hookspecs.events import (
    BaselineSaved,
    EvaluationFinished,
    ExecutionFinished,
    JudgeVoted,
    RunCompleted,
    TaskStarted,
    WorkspaceRestored,
)
from openkoi_runlog import RunLog

DONE = RunCompleted(Decision(NextAction.ACCEPT, "good enough"), Cost())


def voted(*values: float, mode: EvaluationMode = EvaluationMode.FULL) -> JudgeVoted:
    return JudgeVoted(
        "general", tuple((Score("one", value, 0.6), Score("two", value, 0.4)) for value in values), mode=mode
    )


def run(file: str, *more: Event, checks: tuple[Check, ...] = ()) -> list[Event]:
    """The records of one run that changed a file."""
    started = [
        TaskStarted(Task(f"Mend {file}"), workspace="/w"),
        BaselineSaved("before"),
        ExecutionFinished(ExecutionResult("", files=(file,))),
    ]
    return [*started, *more, EvaluationFinished(Evaluation(checks=checks)), DONE]


def history(folder: Path, **runs: list[Event]) -> dict[str, CalibratedJudgment]:
    log = RunLog(folder, "session", Redactor([]))
    for id, events in runs.items():
        log.append(id, events)
    log.close()
    return {one.run: one for one in load_judgments(folder)}


@pytest.mark.row("EVAL-24")
def test_what_became_of_the_work_is_told_from_the_log(tmp_path: Path) -> None:
    output = history(
        tmp_path,
        kept=run("a.py", voted(0.9)),
        undone=[*run("b.py", voted(0.85)), WorkspaceRestored("before")],
        redone=[*run("c.py", voted(0.85)), WorkspaceRestored("before"), WorkspaceRestored("after")],
        rewound=[*run("e.py", voted(0.7)), WorkspaceRestored("before", rewound=True)],
        corrected=run("d.py", voted(0.8)),
        repair=run("d.py", voted(0.95)),
    )

    assert {
        "kept": UserOutcome.KEPT,
        "undone": UserOutcome.UNDONE,
        "redone": UserOutcome.KEPT,
        "rewound": UserOutcome.OPEN,
        "corrected": UserOutcome.CORRECTED,
        "repair": UserOutcome.KEPT,
    } == {id: one.outcome for id, one in output.items()}


def test_what_was_archived_counts_as_if_it_had_not_been(tmp_path: Path) -> None:
    output = history(tmp_path / "sessions", kept=run("a.py", voted(0.9)))
    (tmp_path / "archive").mkdir()
    for path in (tmp_path / "sessions").iterdir():
        (tmp_path / "archive" / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()

    assert list(output.values()) == load_judgments(tmp_path / "sessions")


def test_of_a_run_the_last_full_judgement_counts_and_checks_go_with_it(tmp_path: Path) -> None:
    output = history(
        tmp_path,
        one=run(
            "a.py",
            voted(0.5),
            voted(0.7, 0.9, 0.8),
            voted(0.1, mode=EvaluationMode.INCREMENTAL),
            checks=(Check("t", True),),
        ),
    )

    assert 0.8 == round(output["one"].score, 6)
    assert output["one"].checks_pass


@dataclass(frozen=True)
class Past:
    """A number of judgments with one score and outcome."""

    score: float
    outcome: UserOutcome
    count: int = 12


def judgements(*several: Past) -> list[CalibratedJudgment]:
    every = [past for past in several for _ in range(past.count)]
    return [
        CalibratedJudgment(
            str(n), str(n), "r", "m", f"t{n}", ({"a": p.score, "b": 0.8},), {"a": 0.5, "b": 0.5}, outcome=p.outcome
        )
        for n, p in enumerate(every)
    ]


def test_scores_that_tell_kept_work_from_undone_work_raise_no_alarm() -> None:
    mixed = judgements(*[Past(0.95, UserOutcome.KEPT, 1), Past(0.6, UserOutcome.UNDONE, 1)] * 12)

    (one,) = build_calibration_report(mixed).calibrations

    assert 1.0 == one.separation
    assert {"a": 1.0, "b": 0.0} == one.weights
    assert () == one.alarms


def test_scores_that_tell_nothing_and_scores_that_drift_are_named() -> None:
    (one,) = build_calibration_report(
        judgements(Past(0.6, UserOutcome.KEPT), Past(0.95, UserOutcome.UNDONE))
    ).calibrations

    assert 0.0 == one.separation
    assert one.drift > 0
    assert "certify it again" in " ".join(one.alarms)


def test_rubrics_that_judged_the_same_run_are_compared_and_all_of_it_can_be_read_by_programs() -> None:
    one = judgements(Past(0.9, UserOutcome.KEPT, 1))[0]
    other = CalibratedJudgment("0", "1", "s", "m", "t", ({"a": 0.65, "b": 0.8},), one.weights)

    report = build_calibration_report([one, other])

    assert {"r / s": 0.125} == {pair: round(apart, 3) for pair, apart in report.apart.items()}
    assert 2 == len(json.loads(report_to_json(report))["evaluators"])
    assert "r / s" in format_report(report)
