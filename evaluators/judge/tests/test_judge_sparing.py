"""Test when a judgment is skipped, and that no work is accepted because of a skipped one."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from openkoi_hookspecs import (
    Check,
    Chunk,
    Evaluation,
    EvaluationMode,
    ExecutionResult,
    Message,
    Request,
    StreamEnd,
    Task,
    Text,
    ToolCall,
    Usage,
)
from openkoi_hookspecs.events import JudgeVoted, MessageAdded
from openkoi_judge import Judge
from openkoi_runlog.report import Saving, measure_savings, sum_savings
from openkoi_testing import Scenario, Scripted, make_run, run_scenario

TASK = Task("Sort the list", category="code")
GREEN = Evaluation(checks=(Check("tests", passed=True),))
RED = Evaluation(checks=(Check("tests", passed=False),))
LONG = "".join(f"def part_{n}(given: int) -> int:\n    return given * {n} + {n * 7}\n\n\n" for n in range(120))
BUG = {"severity": "important", "dimension": "correctness", "title": "Wrong order", "location": "sort.py:1"}


@dataclass(frozen=True, slots=True)
class State:
    """The content of the files when the judge looks."""

    files: dict[str, str]
    words: str = "Done."
    known: Evaluation | None = None


@dataclass(frozen=True, slots=True)
class JudgingRun:
    """The results of judging several states of one work."""

    evaluations: list[Evaluation]
    votes: list[JudgeVoted]
    prompts: list[str]

    @property
    def modes(self) -> list[EvaluationMode]:
        return [evaluation.mode for evaluation in self.evaluations]


def scores(value: float, *findings: dict[str, str]) -> str:
    rows = dict.fromkeys(("correctness", "safety", "style", "completeness"), value)
    return json.dumps({"scores": rows, "findings": findings, "suggestion": "Look again."})


def partly(*findings: dict[str, str], resolved: Sequence[int] = (), **rows: float) -> str:
    listed = [{"dimension": name, "score": value} for name, value in rows.items()]
    return json.dumps({"scores": listed, "findings": findings, "resolved": resolved, "suggestion": "Go on."})


def diff(files: dict[str, str]) -> str:
    """The diff of files from an empty folder."""
    parts = (
        f"diff --git a/{name} b/{name}\n--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n"
        + "".join(f"+{line}\n" for line in text.splitlines())
        for name, text in files.items()
    )
    return "".join(parts)


def hear(root: Path, says: Sequence[str], states: Sequence[State], judge: Judge | None = None) -> JudgingRun:
    """Judge several states in turn in one run."""
    model, judge = Scripted(says, repeat_last=False), judge or Judge(votes=1)

    async def judging() -> JudgingRun:
        async with make_run(root, task=TASK, stage=Scenario(model=model)) as run:
            evaluations = []
            for state in states:
                for name, text in state.files.items():
                    (root / name).write_text(text, encoding="utf-8")
                work = ExecutionResult(state.words, diff=diff(state.files), files=tuple(state.files), known=state.known)
                evaluations.append(await judge.evaluate(work, run) or Evaluation())
            events = [record.event for record in run.koi.records(run.task.session)]
        return JudgingRun(evaluations, [event for event in events if isinstance(event, JudgeVoted)], prompts(model))

    return asyncio.run(judging())


def prompts(model: Scripted) -> list[str]:
    parts = ([part for message in request.messages for part in message.parts] for request in model.asked)
    return ["".join(part.text for part in several if isinstance(part, Text)) for several in parts]


FIRST = State({"sort.py": LONG})
SECOND = State({"sort.py": LONG.replace("given * 3 + 21", "given * 3 + 22")})


@pytest.mark.row("EVAL-17", "TOK-09", "EVAL-27")
def test_equal_work_is_not_judged_again(tmp_path: Path) -> None:
    run = hear(tmp_path, [scores(0.6, BUG)], [FIRST, FIRST])

    assert [EvaluationMode.FULL, EvaluationMode.CACHED] == run.modes
    assert run.evaluations[0].scores == run.evaluations[1].scores
    assert [1, 0] == [voted.calls for voted in run.votes]


def test_equal_work_for_another_task_or_rubric_is_judged_again(tmp_path: Path) -> None:
    judge, model = Judge(votes=1), Scripted(['{"scores": {"relevance": 0.1, "quality": 0.1, "completeness": 0.1}}'])

    async def judging() -> None:
        for task in (Task("Sort it"), Task("Sort it well"), Task("Sort it")):
            async with make_run(tmp_path, task=task, stage=Scenario(model=model)) as run:
                await judge.evaluate(ExecutionResult("Sorted."), run)

    asyncio.run(judging())

    assert 2 == len(model.asked)


def test_a_single_vote_is_not_reused_where_three_are_needed(tmp_path: Path) -> None:
    states = [State(FIRST.files, known=RED), State(FIRST.files, known=GREEN)]

    run = hear(tmp_path, [scores(0.82)] * 4, states, Judge())

    assert [EvaluationMode.FULL, EvaluationMode.FULL] == run.modes
    assert [1, 3] == [voted.calls for voted in run.votes]


@pytest.mark.row("EVAL-18", "C14", "C81")
def test_a_high_judgement_below_a_red_check_is_not_asked_for_again_once_it_is_green(tmp_path: Path) -> None:
    states = [State(FIRST.files, known=RED), State(SECOND.files, known=GREEN)]

    run = hear(tmp_path, [scores(0.96)], states)

    assert [EvaluationMode.FULL, EvaluationMode.SKIPPED] == run.modes
    assert pytest.approx(0.96) == run.evaluations[1].score
    assert ("correctness", "safety", "style", "completeness") == run.votes[1].carried_over


@pytest.mark.parametrize(
    ("first", "then", "why"),
    [
        (scores(0.9), State(SECOND.files, known=GREEN), "it was not sure enough"),
        (scores(0.96, BUG), State(SECOND.files, known=GREEN), "something was found"),
        (scores(0.96), State(SECOND.files, known=RED), "a check fails"),
        (scores(0.96), State(SECOND.files), "no check was run"),
        (scores(0.96), State({"sort.py": LONG.replace("given", "taken")}, known=GREEN), "the change is large"),
    ],
)
def test_a_judgement_is_not_left_out_when(tmp_path: Path, first: str, then: State, why: str) -> None:
    later = partly(correctness=0.9), scores(0.9)

    run = hear(tmp_path, [first, *later], [State(FIRST.files, known=RED), then])

    assert EvaluationMode.SKIPPED not in run.modes, why


@pytest.mark.row("EVAL-19", "C13")
def test_of_a_long_work_only_the_change_is_judged(tmp_path: Path) -> None:
    run = hear(tmp_path, [scores(0.6, BUG), partly(correctness=0.7, resolved=[1])], [FIRST, SECOND])

    values = {score.dimension: score.value for score in run.evaluations[1].scores}
    assert [EvaluationMode.FULL, EvaluationMode.INCREMENTAL] == run.modes
    assert {"correctness": 0.7, "safety": 0.6, "style": 0.6, "completeness": 0.6} == values
    assert ((), "Go on.") == (run.evaluations[1].findings, run.evaluations[1].suggestion)


@pytest.mark.row("EVAL-19")
def test_the_judge_is_shown_its_verdict_and_the_change_and_not_the_rest(tmp_path: Path) -> None:
    run = hear(tmp_path, [scores(0.6, BUG), partly(correctness=0.7)], [FIRST, SECOND])

    assert "1. [important] sort.py:1: Wrong order" in run.prompts[1]
    assert "-    return given * 3 + 21\n+    return given * 3 + 22" in run.prompts[1]
    assert "part_90" not in run.prompts[1]
    assert "Always score: correctness, other_task." in run.prompts[1]


def test_what_comes_first_is_the_same_however_it_is_asked_so_that_it_can_be_cached(tmp_path: Path) -> None:
    model = Scripted([scores(0.6, BUG), partly(correctness=0.7)], repeat_last=False)

    async def judging() -> None:
        async with make_run(tmp_path, task=TASK, stage=Scenario(model=model)) as run:
            judge = Judge(votes=1)
            for state in (FIRST, SECOND):
                (tmp_path / "sort.py").write_text(state.files["sort.py"], encoding="utf-8")
                await judge.evaluate(ExecutionResult("Done.", diff=diff(state.files), files=("sort.py",)), run)

    asyncio.run(judging())

    whole, part = model.asked
    assert (whole.system[0], whole.messages[0].parts[0]) == (part.system[0], part.messages[0].parts[0])
    assert "## Rubric: code-review" in whole.system[0]


@pytest.mark.row("TOK-11", "C47")
def test_what_was_spared_can_be_computed_from_the_log(tmp_path: Path) -> None:
    full, event = hear(tmp_path, [scores(0.6, BUG), partly(correctness=0.7)], [FIRST, SECOND]).votes

    assert full.full_characters == full.characters
    assert event.characters < event.full_characters / 2
    assert ("safety", "style", "completeness") == event.carried_over


@pytest.mark.row("EVAL-19")
def test_findings_that_are_not_mended_stay_and_new_ones_come(tmp_path: Path) -> None:
    slow = {"severity": "important", "dimension": "correctness", "title": "Slow"}

    run = hear(tmp_path, [scores(0.6, BUG), partly(slow, correctness=0.6)], [FIRST, SECOND])

    assert ["Wrong order", "Slow"] == [finding.title for finding in run.evaluations[1].findings]


def test_nothing_is_accepted_without_a_full_judgement_of_it(tmp_path: Path) -> None:
    says = [scores(0.75, BUG), partly(correctness=1.0, resolved=[1]), scores(0.9)]

    run = hear(tmp_path, says, [FIRST, SECOND])

    assert [EvaluationMode.FULL, EvaluationMode.FULL] == run.modes
    assert [1, 2] == [voted.calls for voted in run.votes]
    assert "part_90" in run.prompts[2]


@pytest.mark.row("EVAL-20")
def test_when_most_dimensions_are_affected_all_is_judged(tmp_path: Path) -> None:
    says = [scores(0.5, BUG), partly(correctness=0.5, safety=0.5, style=0.5), scores(0.4)]

    assert [EvaluationMode.FULL, EvaluationMode.FULL] == hear(tmp_path, says, [FIRST, SECOND]).modes


@pytest.mark.row("EVAL-20")
def test_when_the_change_is_large_all_is_judged(tmp_path: Path) -> None:
    run = hear(tmp_path, [scores(0.5, BUG), scores(0.5)], [FIRST, State({"sort.py": LONG.replace("given", "taken")})])

    assert [EvaluationMode.FULL, EvaluationMode.FULL] == run.modes


def test_an_answer_about_the_change_that_cannot_be_used_leads_to_a_full_judgement(tmp_path: Path) -> None:
    run = hear(tmp_path, [scores(0.5, BUG), "Better.", "Much better!", scores(0.4)], [FIRST, SECOND])

    assert [EvaluationMode.FULL, EvaluationMode.FULL] == run.modes


def test_a_changed_code_is_always_judged_for_correctness(tmp_path: Path) -> None:
    run = hear(tmp_path, [scores(0.5, BUG), partly(style=0.5), partly(style=0.5, correctness=0.4)], [FIRST, SECOND])

    assert "The score is missing for correctness." in run.prompts[2]
    assert [EvaluationMode.FULL, EvaluationMode.INCREMENTAL] == run.modes


def test_a_score_is_carried_once(tmp_path: Path) -> None:
    third = State({"sort.py": SECOND.files["sort.py"].replace("given * 9 + 63", "given * 9 + 64")})
    says = [scores(0.5, BUG), partly(correctness=0.4), scores(0.4)]

    run = hear(tmp_path, says, [FIRST, SECOND, third])

    assert [EvaluationMode.FULL, EvaluationMode.INCREMENTAL, EvaluationMode.FULL] == run.modes


@pytest.mark.row("C44")
def test_a_change_that_affects_nothing_leaves_the_judgement_as_it_is(tmp_path: Path) -> None:
    states = [State({"guide.md": LONG}), State({"guide.md": LONG.replace("given * 3 +", "given * 3  +")})]

    run = hear(tmp_path, [scores(0.5, BUG), partly()], states)

    assert [EvaluationMode.FULL, EvaluationMode.CACHED] == run.modes
    assert run.evaluations[0].scores == run.evaluations[1].scores


def test_a_new_file_beside_the_judged_ones_is_a_change(tmp_path: Path) -> None:
    later = State({**FIRST.files, "more.py": "print('more')\n"})

    run = hear(tmp_path, [scores(0.5, BUG), partly(correctness=0.5)], [FIRST, later])

    assert "+print('more')" in run.prompts[1]
    assert EvaluationMode.INCREMENTAL is run.modes[1]


def test_words_alone_are_compared_as_words(tmp_path: Path) -> None:
    text = "\n".join(f"Paragraph {n} says what there is to say about it, and no more than that." for n in range(200))
    says = [scores(0.5), partly(correctness=0.5)]

    run = hear(tmp_path, says, [State({}, text), State({}, text + "\nAnd one more.")])

    assert [EvaluationMode.FULL, EvaluationMode.INCREMENTAL] == run.modes
    assert "+And one more." in run.prompts[1]


def leave_out(root: Path) -> None:
    (root / "sort.py").unlink()
    (root / "sort.py").symlink_to("/etc/hostname")


def make_huge(root: Path) -> None:
    (root / "sort.py").write_text("x" * 500_000, encoding="utf-8")


@pytest.mark.parametrize("spoil", [leave_out, make_huge])
def test_what_cannot_be_compared_is_judged_in_full(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    judge, model = Judge(votes=1), Scripted([scores(0.5), scores(0.4)], repeat_last=False)

    async def judging() -> list[EvaluationMode]:
        async with make_run(tmp_path, task=TASK, stage=Scenario(model=model)) as run:
            (tmp_path / "sort.py").write_text(LONG, encoding="utf-8")
            first = await judge.evaluate(ExecutionResult("Done.", diff=diff(FIRST.files), files=("sort.py",)), run)
            spoil(tmp_path)
            then = await judge.evaluate(ExecutionResult("Done so.", diff=diff(FIRST.files), files=("sort.py",)), run)
            return [one.mode for one in (first, then) if one]

    assert [EvaluationMode.FULL, EvaluationMode.FULL] == asyncio.run(judging())


def test_one_run_s_judgements_are_not_another_s(tmp_path: Path) -> None:
    judge = Judge(votes=1)

    assert [EvaluationMode.FULL] == hear(tmp_path, [scores(0.5, BUG)], [FIRST], judge).modes
    assert [EvaluationMode.FULL] == hear(tmp_path, [scores(0.4)], [SECOND], judge).modes


class Uncounted(Scripted):
    """A model that reports no usage, so that the run uses its own estimate."""

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        async for chunk in super().chat(request):
            yield replace(chunk, usage=Usage()) if isinstance(chunk, StreamEnd) else chunk


@pytest.mark.row("EVAL-30", "EVAL-20", "EVAL-19", "C47")
def test_in_a_real_run_the_change_of_a_file_is_judged_and_then_all_of_it(tmp_path: Path) -> None:
    edit = {"path": "sort.py", "search": "given * 3 + 21", "replace": "given * 3 + 22"}
    again = {"path": "sort.py", "search": "given * 9 + 63", "replace": "given * 9 + 64"}
    says: list[str | ToolCall] = [
        *(ToolCall("1", "write_file", {"path": "sort.py", "content": LONG}), "Written.", scores(0.5, BUG)),
        *(ToolCall("2", "edit_file", edit), "Mended.", partly(correctness=0.7, resolved=[1])),
        *(ToolCall("3", "edit_file", again), "Mended more.", scores(0.95)),
    ]

    rehearsed = run_scenario(TASK, Scenario(model=Uncounted(says), evaluators={"judge": Judge(votes=1)}), tmp_path)

    modes = [one.evaluation.mode for one in rehearsed.result.iterations if one.evaluation]
    assert [EvaluationMode.FULL, EvaluationMode.INCREMENTAL, EvaluationMode.FULL] == modes
    assert rehearsed.result.accepted
    output = [words(record.event.message) for record in rehearsed.records if isinstance(record.event, MessageAdded)]
    assert ["Look again.", "Go on."] == [text.splitlines()[-1] for text in output[1:]]
    assert sum_savings(measure_savings(rehearsed.records))[Saving.INCREMENTAL] > 0


def words(message: Message) -> str:
    return "".join(part.text for part in message.parts if isinstance(part, Text))
