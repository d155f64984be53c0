"""Test the judge in a real run: how often it calls the model, and how it handles invalid and missing answers."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from openkoi_hookspecs import (
    Check,
    Chunk,
    ConfigError,
    EffectCall,
    Evaluation,
    Evaluator,
    ExecutionResult,
    FinishReason,
    Image,
    KoiError,
    LimitExceededError,
    Limits,
    Request,
    Run,
    Severity,
    StreamEnd,
    Task,
    Text,
)
from openkoi_hookspecs.events import EvaluationFinished, JudgeVoted, WarningIssued
from openkoi_judge import Judge
from openkoi_testing import Scenario, Scripted, make_run, run_scenario

DONE = ExecutionResult("Forty-two.", diff="+++ b/answer.py\n+print(42)\n")
USED_UP = "turns of the script have been used"


@dataclass(frozen=True, slots=True)
class JudgingRun:
    """The result of asking a judge."""

    evaluation: Evaluation | None
    prompts: list[str]
    warnings: list[str]
    votes: list[JudgeVoted]

    @property
    def known(self) -> Evaluation:
        assert self.evaluation is not None
        return self.evaluation


class Declining(Scripted):
    """A model whose vendor blocks every answer."""

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        async for chunk in super().chat(request):
            yield replace(chunk, stop=FinishReason.REFUSED) if isinstance(chunk, StreamEnd) else chunk


def verdict(relevance: float, quality: float, completeness: float, *findings: dict[str, str]) -> str:
    scores = {"relevance": relevance, "quality": quality, "completeness": completeness}
    return json.dumps({"scores": scores, "findings": findings, "suggestion": "Say why."})


def hear(
    folder: Path,
    says: Sequence[str],
    *,
    judge: Judge | None = None,
    work: ExecutionResult = DONE,
    task: Task | None = None,
) -> JudgingRun:
    """Run a judge in a real run, over a model that gives these answers and then refuses."""
    model = Scripted(says, repeat_last=False)

    async def judging() -> JudgingRun:
        async with make_run(folder, task=task or Task("What is it?"), stage=Scenario(model=model)) as run:
            evaluation = await (judge or Judge()).evaluate(work, run)
            events = [record.event for record in run.koi.records(run.task.session)]
        warnings = [event.text for event in events if isinstance(event, WarningIssued)]
        return JudgingRun(
            evaluation, prompts(model), warnings, [event for event in events if isinstance(event, JudgeVoted)]
        )

    return asyncio.run(judging())


def prompts(model: Scripted) -> list[str]:
    """The text of each request."""
    parts = ([part for message in request.messages for part in message.parts] for request in model.asked)
    return ["".join(part.text for part in several if isinstance(part, Text)) for several in parts]


def test_it_is_an_evaluator() -> None:
    evaluator: Evaluator = Judge()

    assert evaluator == Judge()


@pytest.mark.row("EVAL-04", "EVAL-05")
def test_a_clear_verdict_takes_one_call_and_each_dimension_counts_as_the_rubric_says(tmp_path: Path) -> None:
    run = hear(tmp_path, [verdict(1.0, 0.9, 1.0)])

    weights = {score.dimension: (score.value, round(score.weight, 6)) for score in run.known.scores}
    assert {"relevance": (1.0, 0.4), "quality": (0.9, 0.35), "completeness": (1.0, 0.25)} == weights
    assert (1, [], "Say why.") == (len(run.prompts), run.warnings, run.known.suggestion)
    assert [("general", 1)] == [(voted.rubric, voted.calls) for voted in run.votes]


@pytest.mark.row("EVAL-16")
def test_the_call_is_short_cool_and_the_same_at_its_beginning(tmp_path: Path) -> None:
    model = Scripted([verdict(1.0, 1.0, 1.0)])

    async def judging() -> None:
        async with make_run(tmp_path, stage=Scenario(model=model)) as run:
            await Judge().evaluate(DONE, run)
            await Judge().evaluate(replace(DONE, text="Another."), run)

    asyncio.run(judging())

    first, second = model.asked
    assert (2000, 0.1) == (first.max_output, first.temperature)
    assert (first.system, first.messages[0].parts[0]) == (second.system, second.messages[0].parts[0])


def test_nothing_said_and_nothing_changed_is_nothing_to_judge(tmp_path: Path) -> None:
    run = hear(tmp_path, [], work=ExecutionResult(" \n"))

    assert (None, []) == (run.evaluation, run.prompts)


def test_an_answer_that_cannot_be_used_is_asked_for_once_more_and_told_why(tmp_path: Path) -> None:
    run = hear(tmp_path, ['{"scores": {"relevance": 0.9}}', verdict(1.0, 1.0, 1.0)])

    assert pytest.approx(1.0) == run.known.score
    assert "could not be used. The score is missing for quality, completeness." in run.prompts[1]


def test_two_answers_that_cannot_be_used_are_unknown_and_no_number(tmp_path: Path) -> None:
    run = hear(tmp_path, ["Splendid!", "Ten out of ten!", verdict(1.0, 1.0, 1.0)])

    assert (2, None) == (len(run.prompts), run.known.score)
    assert run.known.unavailable_reason.startswith("The judge returned no usable verdict after 2 tries.")


def test_a_verdict_that_was_cut_off_is_asked_for_again(tmp_path: Path) -> None:
    whole = verdict(0.2, 0.2, 0.2, {"severity": "blocker", "title": "Wrong"})
    cut = whole[: whole.index("blocker") - 13]

    run = hear(tmp_path, [cut, whole])

    assert "It was cut off before it was complete" in run.prompts[1]
    assert 1 == len(run.known.blockers)


def test_a_verdict_that_stays_cut_off_is_used_and_says_so(tmp_path: Path) -> None:
    cut = verdict(0.2, 0.2, 0.2, {"severity": "minor", "title": "Wrong"})[:-30]

    run = hear(tmp_path, [cut, cut])

    assert pytest.approx(0.2) == run.known.score
    assert ["The judge's answer was cut off twice."] == [warning[:37] for warning in run.warnings]


@pytest.mark.row("C82")
def test_near_the_threshold_the_median_of_three_holds(tmp_path: Path) -> None:
    says = [verdict(0.75, 0.75, 0.75), verdict(0.5, 0.9, 0.7), verdict(0.9, 0.8, 0.2)]

    run = hear(tmp_path, says)

    assert [0.75, 0.8, 0.7] == [score.value for score in run.known.scores]
    assert [3] == [len(voted.votes) for voted in run.votes]


def test_what_the_checks_say_decides_whether_the_vote_is_close(tmp_path: Path) -> None:
    red = replace(DONE, known=Evaluation(checks=(Check("tests", passed=False),)))

    run = hear(tmp_path, [verdict(0.8, 0.8, 0.8)], work=red)

    assert (1, []) == (len(run.prompts), run.warnings)


@pytest.mark.parametrize("later", [[], ["Hm.", "Hm."], [verdict(0.1, 0.1, 0.1)]])
def test_when_no_other_vote_can_be_had_the_first_stands_and_says_so(tmp_path: Path, later: list[str]) -> None:
    run = hear(tmp_path, [verdict(0.8, 0.8, 0.8), *later])

    assert pytest.approx(0.8) == run.known.score
    assert ["Only one of several votes was returned"] == [warning.partition(":")[0] for warning in run.warnings]


def test_one_vote_is_enough_where_the_configuration_says_so(tmp_path: Path) -> None:
    assert 1 == len(hear(tmp_path, [verdict(0.8, 0.8, 0.8)], judge=Judge(votes=1)).prompts)


@pytest.mark.parametrize("score", [1.0, 0.1])
def test_an_answer_that_changed_nothing_takes_three_votes_and_work_elsewhere_does_not(
    tmp_path: Path, score: float
) -> None:
    says = [verdict(score, score, score)] * 3
    pushed = ExecutionResult("Forty-two.", calls=(EffectCall("git push", "exit code 0", ("moved main",)),))

    answered, elsewhere = (hear(tmp_path, says, work=work) for work in (ExecutionResult("Forty-two."), pushed))

    assert (3, 1) == (len(answered.prompts), len(elsewhere.prompts))
    assert "Nothing changed" in answered.prompts[0]


@pytest.mark.row("C82")
def test_a_limit_that_a_second_vote_would_pass_leaves_the_first(tmp_path: Path) -> None:
    task = Task("What is it?", limits=Limits(calls=1))

    run = hear(tmp_path, [verdict(0.8, 0.8, 0.8)] * 3, task=task)

    assert pytest.approx(0.8) == run.known.score
    assert 1 == len(run.prompts)
    assert "limit was reached: calls" in run.warnings[0]


class Suite:
    """An evaluator whose check fails."""

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        return Evaluation(checks=(Check("unit", passed=False),), log="1 failed")


@pytest.mark.row("EVAL-03", "EVAL-02")
def test_checks_come_first_the_judge_reads_what_they_found_and_one_evaluation_is_made_of_both() -> None:
    model = Scripted(["Done.", "yes", verdict(1.0, 1.0, 1.0)])
    evaluators = {"judge": Judge(), "tests": Suite()}
    stage = Scenario(model=model, evaluators=evaluators, settings={"evaluation.order": ["tests", "judge"]})

    run = run_scenario(Task("Say it", limits=Limits(iterations=1)), stage)

    (evaluated,) = (record.event for record in run.records if isinstance(record.event, EvaluationFinished))
    assert ("tests", "judge") == evaluated.evaluators
    assert "unit: FAILED\n1 failed" in prompts(model)[2]
    assert ["relevance", "quality", "completeness"] == [one.dimension for one in evaluated.evaluation.scores]
    assert 0.5 == evaluated.evaluation.score
    assert not run.result.accepted


def test_a_limit_that_the_first_vote_would_pass_is_let_through(tmp_path: Path) -> None:
    with pytest.raises(LimitExceededError):
        hear(tmp_path, [verdict(1.0, 1.0, 1.0)], task=Task("What is it?", limits=Limits(calls=0)))


def test_a_model_that_is_not_there_makes_it_unknown_in_its_own_words(tmp_path: Path) -> None:
    assert USED_UP in hear(tmp_path, []).known.unavailable_reason


def test_a_model_that_declines_is_not_asked_again(tmp_path: Path) -> None:
    model = Declining([verdict(1.0, 1.0, 1.0)])

    async def judging() -> Evaluation | None:
        async with make_run(tmp_path, stage=Scenario(model=model)) as run:
            return await Judge().evaluate(DONE, run)

    evaluation = asyncio.run(judging())

    assert evaluation is not None
    assert (1, None, True) == (len(model.asked), evaluation.score, "declined to judge" in evaluation.unavailable_reason)


@pytest.mark.row("EVAL-07")
def test_a_blocker_wins_over_the_scores_beside_it(tmp_path: Path) -> None:
    leak = {"severity": "blocker", "dimension": "quality", "title": "Wrong", "location": "answer.py:1"}

    evaluation = hear(tmp_path, [verdict(1.0, 1.0, 1.0, leak)], judge=Judge(band=0.0)).known

    assert 0.3 == {score.dimension: score.value for score in evaluation.scores}["quality"]
    assert [(Severity.BLOCKER, "general/quality", "answer.py:1")] == [
        (f.severity, f.rule, f.where) for f in evaluation.blockers
    ]


def test_a_change_that_is_too_long_is_shown_in_part_and_says_so(tmp_path: Path) -> None:
    work = ExecutionResult("Done.", diff="+++ b/long.py\n" + "+line\n" * 100)

    run = hear(tmp_path, [verdict(1.0, 1.0, 1.0)], judge=Judge(max_diff=200), work=work)

    assert [
        "The judge sees only 200 of the 614 characters of the change (start and end). "
        "To show all of it, raise `max_diff` in [evaluators.judge]."
    ] == run.warnings
    assert "All changed files: long.py" in run.prompts[0]


def test_a_broken_rubric_is_named_and_the_work_is_judged_all_the_same(tmp_path: Path) -> None:
    file = broken(tmp_path)

    run = hear(tmp_path, [verdict(1.0, 1.0, 1.0)], judge=Judge(folder=tmp_path))

    assert [f"{file} is not used"] == [warning.partition(":")[0] for warning in run.warnings]
    assert pytest.approx(1.0) == run.known.score


def test_a_rubric_that_is_not_there_is_unknown_and_costs_nothing(tmp_path: Path) -> None:
    run = hear(tmp_path, [], judge=Judge(rubric="genral"))

    assert ([], True) == (run.prompts, "Did you mean 'general'" in run.known.unavailable_reason)


def test_the_doctor_hears_of_rubrics_and_of_broken_ones(tmp_path: Path) -> None:
    bundled = "api-design, code-review, general, prose-quality, sql-safety, test-quality"
    assert {"rubrics": bundled} == asyncio.run(Judge().health())

    broken(tmp_path)
    with pytest.raises(KoiError, match="does not start with YAML"):
        asyncio.run(Judge(folder=tmp_path).health())


@pytest.mark.parametrize("setting", [{"votes": 0}, {"temperature": -1.0}, {"band": float("nan")}, {"max_output": 0}])
def test_settings_that_cannot_work_are_refused(setting: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=rf"^\[evaluators\.judge\] {next(iter(setting))} is "):
        Judge(**setting)  # type: ignore[arg-type]  # wrong on purpose


def broken(folder: Path) -> Path:
    file = folder / "evaluators" / "user" / "mine" / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text("# No front matter", encoding="utf-8")
    return file


def test_the_images_of_a_task_are_shown_after_its_words(tmp_path: Path) -> None:
    sketch = Image(b"\x89PNG\r\n\x1a\n" + bytes(20), "image/png")
    model = Scripted([verdict(0.9, 0.9, 0.9)])

    async def judge() -> None:
        async with make_run(
            tmp_path, task=Task("Build this page", parts=(sketch,)), stage=Scenario(model=model)
        ) as run:
            await Judge().evaluate(DONE, run)

    asyncio.run(judge())
    first, second, *others = model.asked[0].messages[0].parts
    assert isinstance(first, Text)
    assert "Build this page" in first.text
    assert sketch == second
    assert all(isinstance(part, Text) for part in others)
