"""Whole runs over a scripted model: what the loop does with good work, bad work, limits, loops and people."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from openkoi_hookspecs import (
    Ask,
    Check,
    Effect,
    Evaluation,
    ExecutionResult,
    Finding,
    FinishReason,
    Hit,
    Limits,
    Message,
    NextAction,
    Permission,
    Query,
    Question,
    Record,
    Request,
    Role,
    Run,
    Score,
    Severity,
    StreamEnd,
    Task,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    Usage,
    events,
    hookimpl,
)
from openkoi_testing import FinishedRun, Line, Scenario, Scripted, ScriptedTurn, make_run, run_scenario

WRITE = Task("Write it into a.txt")
ONCE = Limits(iterations=0)


@dataclass
class Scores:
    """A judge with a list of opinions, one an iteration."""

    judges: ClassVar[bool] = True

    values: Sequence[Evaluation]
    looked: list[str] = field(default_factory=list)

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        """The next opinion."""
        return self.values[min(len(run.iterations), len(self.values) - 1)]

    async def baseline(self, run: Run) -> None:
        """Note that somebody asked."""
        self.looked.append(run.id)


def scored(value: float, *findings: Finding, checks: Sequence[Check] = ()) -> Evaluation:
    return Evaluation(scores=(Score("quality", value),), findings=findings, checks=tuple(checks), suggestion="Go on.")


def writing(text: str, number: int = 1) -> ToolCall:
    return ToolCall(f"w{number}", "write_file", {"path": "a.txt", "content": text})


def editing(before: str, after: str, number: int) -> ToolCall:
    return ToolCall(f"e{number}", "edit_file", {"path": "a.txt", "search": before, "replace": after})


def request_text(request: Request) -> str:
    return "\n".join(part.text for message in request.messages for part in message.parts if isinstance(part, Text))


def names(run: FinishedRun) -> list[str]:
    return [record.event.name for record in run.records]


@pytest.mark.row("ITER-01", "FLOW-01")
def test_a_question_is_answered_once_and_not_judged(tmp_path: Path) -> None:
    judge = Scores([scored(0.1)])
    run = run_scenario(Task("What is in here?"), Scenario(says=["Nothing."], evaluators={"judge": judge}), tmp_path)

    assert (NextAction.ACCEPT, 1, []) == (run.result.decision.action, len(run.result.iterations), judge.looked)
    assert "evaluation" not in names(run)


@pytest.mark.row("ITER-01", "TOK-12")
def test_what_is_found_wrong_is_sent_back_in_the_same_conversation(tmp_path: Path) -> None:
    wrong = Finding("It says one", Severity.IMPORTANT, where="a.txt:1", fix="Say two.")
    model = Scripted([writing("one"), "Done.", editing("one", "two", 2), "Mended."])
    judge = Scores([scored(0.5, wrong), scored(0.9)])

    run = run_scenario(WRITE, Scenario(model=model, evaluators={"judge": judge}), tmp_path)

    assert [0.5, 0.9] == [one.evaluation.score for one in run.result.iterations if one.evaluation]
    assert "two" == (tmp_path / "a.txt").read_text()
    assert "Fix 1 issue:\n- [important] It says one (a.txt:1): Say two.\nResolve every point" in request_text(
        model.asked[2]
    )
    assert request_text(model.asked[2]).endswith("\nGo on.")
    before, after = model.asked[1].messages, model.asked[2].messages
    assert list(before) == list(after[: len(before)])
    assert (("a.txt",), ["w1", "e2"]) == (
        run.result.best.work.files,
        [record.event.call.id for record in run.records if isinstance(record.event, events.ToolCallStarted)],
    )


@pytest.mark.row("ITER-06", "FLOW-03")
def test_the_best_is_returned_and_its_files_are_restored(tmp_path: Path) -> None:
    turns: list[Line] = [
        writing("good"),
        "One.",
        editing("good", "worse", 2),
        "Two.",
        editing("worse", "bad", 3),
        "Three.",
    ]
    judge = Scores([scored(0.6), scored(0.7), scored(0.65)])

    run = run_scenario(WRITE, Scenario(says=turns, evaluators={"judge": judge}), tmp_path)

    assert NextAction.ACCEPT_BEST is run.result.decision.action
    assert "Two." == run.result.text
    assert "worse" == (tmp_path / "a.txt").read_text()


@pytest.mark.row("SAFE-02")
def test_a_regression_is_taken_back_and_tried_once_from_the_best_with_a_fresh_mind(tmp_path: Path) -> None:
    red, green = [Check("works", passed=False)], [Check("works", passed=True)]
    model = Scripted([writing("good"), "One.", editing("good", "bad", 2), "Two.", editing("good", "best", 3), "Three."])
    judge = Scores([scored(0.6, checks=green), scored(0.6, checks=red), scored(0.9, checks=green)])

    run = run_scenario(WRITE, Scenario(model=model, evaluators={"judge": judge}), tmp_path)

    assert (NextAction.ACCEPT, "best") == (run.result.decision.action, (tmp_path / "a.txt").read_text())
    fresh = model.asked[4].messages
    assert 1 == len(fresh)
    assert "An earlier attempt made the result worse and was undone" in request_text(model.asked[4])
    assert "+good" in request_text(model.asked[4])


def test_a_second_regression_ends_the_run_with_the_best(tmp_path: Path) -> None:
    turns: list[Line] = [
        writing("good"),
        "One.",
        editing("good", "bad", 2),
        "Two.",
        editing("good", "ugly", 3),
        "Three.",
    ]
    judge = Scores([scored(0.7), scored(0.3), scored(0.2)])

    run = run_scenario(WRITE, Scenario(says=turns, evaluators={"judge": judge}), tmp_path)

    assert NextAction.ABORT_REGRESSION is run.result.decision.action
    assert "good" == (tmp_path / "a.txt").read_text()


@pytest.mark.row("C15", "CLI-13")
def test_zero_iterations_execute_once_and_judge_nothing(tmp_path: Path) -> None:
    task = Task(WRITE.text, limits=Limits(iterations=0))
    run = run_scenario(
        task, Scenario(says=[writing("one"), "Done."], evaluators={"judge": Scores([scored(0)])}), tmp_path
    )

    assert (NextAction.ACCEPT, "one") == (run.result.decision.action, (tmp_path / "a.txt").read_text())
    assert "evaluation" not in names(run)


@pytest.mark.row("SAFE-06", "C61")
def test_a_refused_lease_ends_the_run_within_its_budget(tmp_path: Path) -> None:
    priced = Scenario(
        says=[ScriptedTurn((ToolCall("l", "list_files", {}),), usage=Usage(input=200, output=400))],
        settings={"models.known.scripted/script.price": [3.0, 15.0]},
    )

    run = run_scenario(Task(WRITE.text, limits=Limits(usd=0.02)), priced, tmp_path)

    assert NextAction.ABORT_BUDGET is run.result.decision.action
    assert 0 < run.result.cost.usd <= 0.02
    assert "dollars" in run.result.decision.reason


@pytest.mark.row("SAFE-10")
def test_time_that_is_over_ends_the_run_in_the_middle_of_an_answer(tmp_path: Path) -> None:
    slow = Scenario(says=[ScriptedTurn((Text("late"),), delay=30.0)])

    run = run_scenario(Task("Write", limits=Limits(seconds=0.5)), slow, tmp_path)

    assert NextAction.ABORT_TIMEOUT is run.result.decision.action
    assert run.result.cost.seconds < 5


@pytest.mark.row("SAFE-03", "C27")
def test_a_model_that_repeats_itself_is_stopped_within_six_requests(tmp_path: Path) -> None:
    model = Scripted([ToolCall("l", "list_files", {})])

    run = run_scenario(Task("Tidy up"), Scenario(model=model), tmp_path)

    assert NextAction.ABORT_LOOP is run.result.decision.action
    assert len(model.asked) <= 6


def test_an_answer_that_was_cut_off_by_its_length_goes_on(tmp_path: Path) -> None:
    model = Scripted([ScriptedTurn((Text("Once upon"),), stop=FinishReason.LENGTH), " a time."])

    run = run_scenario(Task("Tell a story", limits=ONCE), Scenario(model=model), tmp_path)

    assert 2 == len(model.asked)
    assert "Continue from where it stopped" in request_text(model.asked[1])
    assert NextAction.ACCEPT is run.result.decision.action


class Buttons:
    """A tool provider with a button that cannot be unpressed, and one that is slow."""

    def __init__(self) -> None:
        self.pressed: list[str] = []

    async def tools(self, run: Run) -> Sequence[Tool]:
        """Both."""

        async def press(arguments: Any) -> ToolResult:
            await asyncio.sleep(float(arguments.get("after", 0)))
            self.pressed.append(str(arguments.get("name", "")))
            if arguments.get("name") == "broken":
                raise RuntimeError("it came off")
            return ToolResult("pressed")

        schema = {"type": "object"}
        return [
            Tool("press", "Press.", schema, press, effect=Effect.READS, progress_text="Pressing {name}"),
            Tool("launch", "Launch.", schema, press, effect=Effect.IRREVERSIBLE),
        ]


def pressed(
    says: Sequence[Line], answer: str | None = None, limits: Limits | None = None, **hooks: Any
) -> tuple[FinishedRun, Buttons, Scripted]:
    buttons, model = Buttons(), Scripted(says)
    plugins = {name: type("Plugin", (), {name: staticmethod(hookimpl(hook))})() for name, hook in hooks.items()}
    stage = Scenario(model=model, tool_providers={"buttons": buttons}, plugins=plugins, installed=frozenset())

    async def solve() -> FinishedRun:
        async def reviewer(question: Question) -> str | None:
            return answer

        async with stage.build_app(Path.cwd(), Path(home)) as koi:
            koi.attend(reviewer)
            result = await koi.solve(Task("Press them", limits=limits or ONCE))
            return FinishedRun(result, tuple(koi.records(koi.session)))

    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as home:
        return asyncio.run(solve()), buttons, model


@pytest.mark.row("LOOP-14")
def test_parallel_calls_settle_all_before_the_model_goes_on_in_their_order() -> None:
    calls: Line = [
        ToolCall("1", "press", {"name": "slow", "after": 0.2}),
        ToolCall("2", "press", {"name": "quick"}),
        ToolCall("3", "press", {"name": "broken"}),
        ToolCall("4", "pres", {}),
    ]
    run, buttons, model = pressed([calls, "ok"])

    results = [part for part in model.asked[1].messages[-1].parts if isinstance(part, ToolResult)]
    assert ["quick", "broken", "slow"] == buttons.pressed
    assert ["1", "2", "3", "4"] == [result.call for result in results]
    assert [False, False, True, True] == [result.failed for result in results]
    assert "RuntimeError: it came off" == results[2].text
    assert "Did you mean press?" in results[3].text
    assert NextAction.ACCEPT is run.result.decision.action


@pytest.mark.row("SAFE-05", "C28")
def test_what_cannot_be_taken_back_waits_for_a_person() -> None:
    run, buttons, _ = pressed([ToolCall("1", "launch", {"name": "rocket"}), "ok"])

    assert [] == buttons.pressed
    assert NextAction.ESCALATE is run.result.decision.action


@pytest.mark.row("LOOP-18", "LOOP-19")
def test_a_person_allows_or_rejects_each_call() -> None:
    yes, allowed, _ = pressed([ToolCall("1", "launch", {"name": "rocket"}), "ok"], answer="yes")
    no, rejected, model = pressed([ToolCall("1", "launch", {"name": "rocket"}), "ok"], answer="not today")

    assert (["rocket"], NextAction.ACCEPT) == (allowed.pressed, yes.result.decision.action)
    assert ([], NextAction.ACCEPT) == (rejected.pressed, no.result.decision.action)
    result = model.asked[1].messages[-1].parts[0]
    assert isinstance(result, ToolResult)
    assert ("Rejected: not today", True) == (result.text, result.failed)


def test_the_strictest_verdict_holds() -> None:
    def before_tool(call: ToolCall) -> Permission:
        return Ask("Is that wise?")

    run, buttons, _ = pressed([ToolCall("1", "press", {"name": "a"}), "ok"], before_tool=before_tool)

    assert ([], NextAction.ESCALATE) == (buttons.pressed, run.result.decision.action)


@pytest.mark.row("ITER-14")
def test_a_person_s_answer_becomes_a_finding_and_the_loop_goes_on(tmp_path: Path) -> None:
    stuck = Finding("It is still wrong", Severity.BLOCKER)
    judge = Scores([scored(0.2, stuck), scored(0.2, stuck), scored(0.2, stuck), scored(0.9)])
    model = Scripted(["a", "yes", "b", "c", "d"])  # "yes" is whether the request wants a change
    texts: list[str] = []

    async def reviewer(question: Question) -> str | None:
        texts.append(question.text)
        return "Turn it round."

    async def solve() -> NextAction:
        stage = Scenario(model=model, evaluators={"judge": judge})
        async with stage.build_app(tmp_path, tmp_path / "home") as koi:
            koi.attend(reviewer)
            return (await koi.solve(Task("Mend it"))).decision.action

    assert NextAction.ACCEPT is asyncio.run(solve())
    assert 1 == len(texts)
    assert "Turn it round." in request_text(model.asked[4])


def test_a_read_only_run_takes_no_checkpoint_and_a_write_takes_one_first(tmp_path: Path) -> None:
    judge = Scores([scored(0.9)])
    run_scenario(Task("What is here?"), Scenario(says=[ToolCall("l", "list_files", {}), "Nothing."]), tmp_path)
    run_scenario(WRITE, Scenario(says=[writing("one"), "Done."], evaluators={"judge": judge}), tmp_path)

    assert 1 == len(judge.looked)


class Failing:
    """A memory that is out of order."""

    async def ingest(self, records: Sequence[Record]) -> None:
        """Fail."""
        raise RuntimeError("no room")

    async def search(self, query: Query) -> Sequence[Hit]:
        """Fail."""
        raise RuntimeError("no index")


def test_a_memory_that_fails_costs_a_warning(tmp_path: Path) -> None:
    run = run_scenario(Task("Do it", limits=ONCE), Scenario(says=["Done."], memory=Failing()), tmp_path)

    warnings = [record.event.text for record in run.records if isinstance(record.event, events.WarningIssued)]
    assert NextAction.ACCEPT is run.result.decision.action
    assert 1 == len([text for text in warnings if "Memory could not be searched" in text])


@pytest.mark.row("ITER-21")
def test_a_sub_task_is_paid_from_what_is_left(tmp_path: Path) -> None:
    async def solve() -> tuple[int, int]:
        turn = ScriptedTurn((Text("ok"),), usage=Usage(input=1_000, output=100), repeat=True)
        stage = Scenario(model=Scripted([turn]))
        async with make_run(tmp_path, task=Task("Do it", limits=Limits(calls=2)), stage=stage) as run:
            first = await run.solve(Task("A part of it"))
            await run.chat(Request([Message.user("hello")]))
            third = await run.solve(Task("Another part"))
            assert NextAction.ABORT_BUDGET is third.decision.action
            assert NextAction.ACCEPT is first.decision.action
            return run.cost.tokens, run.cost.calls

    assert (2_200, 2) == asyncio.run(solve())


class Lying:
    """A provider that counts below nothing, or not at all."""

    def __init__(self, usage: Usage) -> None:
        self.usage = usage

    async def models(self) -> list[Any]:
        """None."""
        return []

    async def chat(self, request: Request) -> Any:
        """Say something long."""
        yield Text("word " * 100)
        yield StreamEnd(self.usage)


@pytest.mark.parametrize("usage", [Usage(), Usage(input=-5, output=-5)])
def test_usage_that_is_missing_or_negative_is_estimated(usage: Usage, tmp_path: Path) -> None:
    run = run_scenario(Task("Talk"), Scenario(model=Lying(usage)), tmp_path)

    assert run.result.cost.tokens > 100


def test_turns_of_one_side_are_one_message(tmp_path: Path) -> None:
    model = Scripted([ScriptedTurn((), stop=FinishReason.LENGTH), "Done."])

    run_scenario(Task("Do it"), Scenario(model=model), tmp_path)

    assert [Role.USER] == [message.role for message in model.asked[1].messages]


@pytest.mark.row("LOOP-15", "OBS-03")
def test_every_event_of_a_cycle_is_written_in_its_order(tmp_path: Path) -> None:
    run = run_scenario(Task("What is here?"), Scenario(says=[ToolCall("l", "list_files", {}), "Nothing."]), tmp_path)
    report = [name for name in names(run) if name not in ("model.delta", "warning")]

    assert report == [
        *("task.start", "recall", "plan", "message"),
        *("cycle.start", "model.request", "model.response", "tool_call", "tool_result", "tool.results"),
        *("cycle.start", "model.request", "model.response", "run.terminated_by"),
        *("work", "request.classified", "iteration", "decision", "run.completed", "usage", "hooks.called"),
    ]


@pytest.mark.row("EVAL-15")
def test_nothing_is_accepted_without_a_judgement_that_is_required(tmp_path: Path) -> None:
    stage = Scenario(says=["Done."], settings={"evaluation.require": ["judge"]})

    run = run_scenario(Task("Do it"), stage, tmp_path)

    assert NextAction.ACCEPT_BEST is run.result.decision.action
    evaluation = run.result.best.evaluation
    assert evaluation is not None
    assert "judge is required, but returned no evaluation" == evaluation.unavailable_reason


def test_a_tool_that_never_comes_back_is_left_when_the_time_is_over() -> None:
    run, buttons, _ = pressed([ToolCall("1", "press", {"after": 60}), "ok"], limits=Limits(seconds=1))

    assert [] == buttons.pressed
    assert NextAction.ABORT_TIMEOUT is run.result.decision.action
