"""An evaluation from the copy to the report, over a real kernel and the test's own evaluators, or the real ones."""

import asyncio
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from openkoi_cli.evaluate import NoOpWorker
from openkoi_cli.evaluate.report import EvaluationReport
from openkoi_cli.evaluate.session import EvaluationRequest, copy_name, evaluate_copy
from openkoi_hookspecs import (
    Baseline,
    Check,
    Evaluation,
    ExecutionResult,
    Finding,
    Limits,
    NoProviderError,
    ProviderError,
    Request,
    Run,
    Score,
)
from openkoi_hookspecs.model import Message
from openkoi_testing import Scenario

AUTHOR = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
NO_MODEL = {"models.default": ""}
MODEL = {"models.default": "scripted/script"}
NO_JUDGE_ASKED = "No judge was used because of --no-judge; the checks decide."
REAL = {f"evaluators.{name}.enabled": False for name in ("judge", "lint", "word-count")}
POND = {
    "pond.py": "def depth(n: int) -> int:\n    return n + 1\n",
    "test_pond.py": "from pond import depth\n\n\ndef test_depth() -> None:\n    assert depth(1) == 2\n",
}


@dataclass(frozen=True, slots=True)
class Words:
    """Finds the word bad; what was there at the baseline does not count."""

    seen: list[ExecutionResult] = field(default_factory=list)

    async def baseline(self, run: Run) -> Baseline:
        return Baseline("words", tuple(Check(name, passed=False) for name in sorted(bad(run.workspace))))

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        self.seen.append(work)
        before = {check.name for check in work.baseline.checks} if work.baseline else set()
        new = sorted(bad(run.workspace) - before)
        found = tuple(Finding("a bad word", rule="word", where=f"{name}:1") for name in new)
        return Evaluation(checks=(Check("words", passed=not new),), findings=found)


class Asks:
    """A judge that needs a model, and gives what it is told to."""

    judges = True

    def __init__(self, score: float = 1.0) -> None:
        self.score = score

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        try:
            await run.chat(Request([Message.user("Good?")], model="evaluator"))
        except ProviderError as error:
            return Evaluation(unavailable_reason=str(error))
        return Evaluation(scores=(Score("quality", self.score),))


def bad(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.txt") if "bad" in path.read_text()}


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *AUTHOR, *words], capture_output=True, check=True)


def committed(folder: Path, files: dict[str, str]) -> Path:
    """A repository with these files in it."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    return folder


def evaluate(wanted: EvaluationRequest, stage: Scenario) -> EvaluationReport:
    """Evaluate with an OpenKoi whose own workspace is elsewhere."""

    async def done() -> EvaluationReport:
        with TemporaryDirectory(prefix="openkoi-", ignore_cleanup_errors=True) as home:
            async with stage.build_app(Path(home), Path(home)) as koi:
                return await evaluate_copy(wanted, koi)

    return asyncio.run(done())


def staged(*evaluators: object, installed: Sequence[str] = (), **settings: object) -> Scenario:
    """A stage without a model."""
    return Scenario(
        evaluators={str(number): one for number, one in enumerate(evaluators)},
        others={"workers": {"evaluate": NoOpWorker()}},
        settings={**NO_MODEL, **settings},
        installed=Scenario().installed | set(installed),
    )


def files_of(folder: Path) -> dict[Path, tuple[int, bytes]]:
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}


def test_what_was_there_at_the_revision_does_not_count(tmp_path: Path) -> None:
    folder = committed(tmp_path / "pond", {"old.txt": "bad", "good.txt": "good"})
    (folder / "new.txt").write_text("bad")

    report = evaluate(EvaluationRequest(folder=folder, revision="HEAD", base=folder), staged(Words()))

    assert (3, ["new.txt:1"]) == (report.status, [issue.location for issue in report.issues])


def test_without_a_revision_everything_counts(tmp_path: Path) -> None:
    folder = committed(tmp_path / "pond", {"old.txt": "bad"})

    report = evaluate(EvaluationRequest(folder=folder, base=tmp_path), staged(Words()))

    assert (3, ["pond/old.txt:1"]) == (report.status, [issue.location for issue in report.issues])


def test_evaluators_see_the_cumulative_diff_and_the_files_that_changed(tmp_path: Path) -> None:
    words = Words()
    folder = committed(tmp_path / "pond", {"a.txt": "one\n", "b.txt": "b\n"})
    git(folder, "commit", "-qm", "two", "--allow-empty")
    (folder / "a.txt").write_text("two\n")
    git(folder, "commit", "-qam", "three")
    (folder / "c.txt").write_text("c\n")

    evaluate(EvaluationRequest(folder=folder, revision="HEAD~1", base=folder), staged(words))

    (work,) = words.seen
    assert ("a.txt", "c.txt") == work.files
    assert "-one" in work.diff
    assert "+two" in work.diff


def test_where_nothing_changed_there_is_nothing_to_accept(tmp_path: Path) -> None:
    words = Words()
    folder = committed(tmp_path / "pond", {"a.txt": "bad"})

    report = evaluate(EvaluationRequest(folder=folder, revision="HEAD", base=folder), staged(words))

    reason = "nothing changed since HEAD, so there is nothing to evaluate"
    assert (3, reason, []) == (report.status, report.reason, words.seen)


def test_without_a_model_the_judge_is_left_out_loudly_and_the_checks_decide(tmp_path: Path) -> None:
    folder = committed(tmp_path / "pond", {"a.txt": "good"})

    report = evaluate(EvaluationRequest(folder=folder, base=folder), staged(Words(), Asks()))

    (warning,) = report.warnings
    assert (0, False) == (report.status, report.used_model)
    assert warning.startswith("No judge was used; the checks decide. No model is configured")


def test_no_judge_asks_no_model_and_says_so(tmp_path: Path) -> None:
    folder = committed(tmp_path / "pond", {"a.txt": "good"})
    stage = staged(Words(), Asks(), **{"models.default": "scripted/script"})

    with_one = evaluate(EvaluationRequest(folder=folder, base=folder), stage)
    without = evaluate(EvaluationRequest(folder=folder, base=folder, judge=False), stage)

    assert (0, 1, 0, 0) == (with_one.status, with_one.spent.calls, without.status, without.spent.calls)
    assert (NO_JUDGE_ASKED,) == without.warnings


def test_no_judge_where_there_is_no_model_says_nothing_of_models(tmp_path: Path) -> None:
    folder = committed(tmp_path / "pond", {"a.txt": "good"})

    report = evaluate(EvaluationRequest(folder=folder, base=folder, judge=False), staged(Words(), Asks()))

    assert (0, (NO_JUDGE_ASKED,)) == (report.status, report.warnings)


def test_a_judge_that_is_required_needs_a_model(tmp_path: Path) -> None:
    folder = committed(tmp_path / "pond", {"a.txt": "good"})
    required = staged(Words(), Asks(), **{"evaluation.require": ["1"]})

    assert 9 == evaluate(EvaluationRequest(folder=folder, base=folder), required).status


@pytest.mark.parametrize(
    ("evaluators", "settings", "why"),
    [
        ((Words(),), MODEL, "none is enabled"),
        ((Words(), Asks()), {}, "No model is configured"),
        ((Words(), Asks()), {**MODEL, "evaluators.1.enabled": False}, "none is enabled"),
        ((Words(), Asks()), {**MODEL, "evaluation.checks_only": True}, "evaluation.checks_only = true"),
    ],
    ids=["no judge", "no model", "disabled", "switched off"],
)
def test_a_judge_that_is_asked_for_has_to_be_there(
    tmp_path: Path, evaluators: tuple[object, ...], settings: dict[str, object], why: str
) -> None:
    folder, stage = committed(tmp_path / "pond", {"a.txt": "good"}), staged(*evaluators)

    with pytest.raises(NoProviderError, match=why):
        evaluate(
            EvaluationRequest(folder=folder, base=folder, judge=True),
            replace(stage, settings={**stage.settings, **settings}),
        )


def test_without_a_judge_what_is_green_is_accepted(tmp_path: Path) -> None:
    folder = committed(tmp_path / "pond", {"a.txt": "good"})

    report = evaluate(EvaluationRequest(folder=folder, base=folder), staged(Words()))

    assert (0, "not judged: 1 check still passes", ()) == (report.status, report.reason, report.warnings)


@pytest.mark.parametrize("judge", [None, False])
def test_what_nothing_can_check_is_not_accepted(tmp_path: Path, judge: bool | None) -> None:
    folder = committed(tmp_path / "pond", {"a.txt": "good"})

    report = evaluate(EvaluationRequest(folder=folder, base=folder, judge=judge), staged(Asks()))

    assert (3, "not judged, and no check ran") == (report.status, report.reason)


@pytest.mark.parametrize(("score", "text", "status"), [(1.0, "good", 0), (0.5, "good", 3), (1.0, "bad", 3)])
def test_a_judge_and_the_checks_both_have_to_agree(tmp_path: Path, score: float, text: str, status: int) -> None:
    folder = committed(tmp_path / "pond", {"a.txt": text})
    stage = staged(Words(), Asks(score), **MODEL)

    assert status == evaluate(EvaluationRequest(folder=folder, base=folder, judge=True), stage).status


@pytest.mark.parametrize(("limits", "status"), [(Limits(calls=0), 4), (Limits(seconds=0.0), 5)])
def test_a_judge_that_a_limit_silenced_leaves_the_work_unjudged(tmp_path: Path, limits: Limits, status: int) -> None:
    folder = committed(tmp_path / "pond", {"a.txt": "good"})

    report = evaluate(EvaluationRequest(folder=folder, base=folder, limits=limits), staged(Words(), Asks(), **MODEL))

    assert (status, None) == (report.status, report.evaluation.score)


def test_a_copy_is_called_like_the_folder_and_those_around_it() -> None:
    names = [copy_name(Path(path)).as_posix() for path in ("/home/koi/src/example.com/pond/errors", "/pond", "/")]

    assert ["example.com/pond/errors", "pond", "project"] == names


def test_a_higher_threshold_accepts_no_more(tmp_path: Path) -> None:
    folder = committed(tmp_path / "pond", {"a.txt": "bad"})
    wanted = [
        EvaluationRequest(folder=folder, base=folder, limits=Limits(quality_threshold=quality))
        for quality in (0.0, 1.0)
    ]

    assert [3, 3] == [evaluate(one, staged(Words())).status for one in wanted]


@pytest.mark.row("EVAL-02", "EVAL-03", "EVAL-25")
def test_a_seeded_bug_is_mapped_to_its_line_and_nothing_in_the_folder_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    folder = committed(tmp_path / "pond", POND)
    stage = staged(installed=["evaluators"], **REAL)

    (folder / "pond.py").write_text(POND["pond.py"].replace("+", "-"))
    before = files_of(folder)
    broken = evaluate(EvaluationRequest(folder=folder, revision="HEAD", base=folder), stage)

    assert (3, ["test_pond.py:5"]) == (broken.status, [issue.location for issue in broken.issues])
    assert before == files_of(folder)
