"""Resumed from any place in its log, a run with parts comes to the same end, and no answer is paid for twice."""

import asyncio
from pathlib import Path

from openkoi_hookspecs import (
    Agent,
    Arguments,
    Effect,
    ExecutionResult,
    Limits,
    Plan,
    Record,
    Result,
    Run,
    Task,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    Usage,
    events,
)
from openkoi_testing import Scenario, Scripted, ScriptedTurn, write_log

ONCE = Limits(iterations=0)
ANSWERS = ["first", "second", "third"]


class Parts:
    """A worker with three parts, two of them at the same time."""

    async def run(self, plan: Plan, run: Run) -> ExecutionResult:
        """Their words."""
        one = await run.solve(Task("Part one", limits=ONCE))
        two, three = await asyncio.gather(
            run.solve(Task("Part two", limits=ONCE)), run.solve(Task("Part three", limits=ONCE))
        )
        return ExecutionResult(" ".join(part.text for part in (one, two, three)))


def stage(model: Scripted) -> Scenario:
    return Scenario(model=model, others={"workers": {"parts": Parts()}}, installed=frozenset())


def turns() -> list[ScriptedTurn]:
    return [ScriptedTurn((Text(word),), usage=Usage(input=10, output=1)) for word in ANSWERS]


def whole(workspace: Path, home: Path) -> tuple[str, list[Record]]:
    async def run() -> list[Record]:
        async with stage(Scripted(turns())).build_app(workspace, home) as koi:
            await koi.solve(Task("Do all parts", agent=Agent(name="boss", worker="parts"), limits=ONCE))
            return list(koi.records(koi.session))

    records = [record for record in asyncio.run(run()) if record.run]
    return records[0].run, records


def resumed(records: list[Record], id: str, workspace: Path, home: Path) -> tuple[Result, list[Record]]:
    count = sum(isinstance(record.event, events.ModelResponse) for record in records)
    model = Scripted(turns()[count:] or ["never asked"])

    async def run() -> tuple[Result, list[Record]]:
        async with stage(model).build_app(workspace, home) as koi:
            result = await koi.resume(id).result()
            return result, [record for record in koi.records(result.task.session) if record.run]

    write_log(home, records)

    return asyncio.run(run())


def test_from_any_record_on_a_run_with_parts_goes_on_and_pays_no_part_twice(tmp_path: Path) -> None:
    id, records = whole(tmp_path, tmp_path / "home")
    last = max(place for place, record in enumerate(records) if isinstance(record.event, events.RunCompleted))

    for place in range(1, last, 3):
        result, all_of_it = resumed(records[:place], id, tmp_path, tmp_path / f"home{place}")
        answered = [one for one in all_of_it if isinstance(one.event, events.ModelResponse)]
        paid = [one for one in all_of_it if isinstance(one.event, (events.ModelResponse, events.ModelResponseBroken))]
        completed = [one.run for one in all_of_it if isinstance(one.event, events.RunCompleted)]

        assert sorted(ANSWERS) == sorted(result.text.split()), place
        assert len(paid) == result.cost.calls, place
        assert 3 == len(answered), place
        assert len(set(completed)) == len(completed) == 4, place


def test_what_was_done_beside_a_question_that_nobody_answered_is_not_done_again(tmp_path: Path) -> None:
    texts: list[str] = []

    class Two:
        async def tools(self, run: Run) -> list[Tool]:
            async def call(arguments: Arguments) -> ToolResult:
                texts.append(str(arguments["what"]))
                return ToolResult("done")

            schema: Arguments = {"type": "object", "properties": {"what": {"type": "string"}}}
            return [
                Tool("act", "Act.", schema, call),
                Tool("push", "Push.", schema, call, effect=Effect.IRREVERSIBLE),
            ]

    both = [ToolCall("a", "act", {"what": "beside"}), ToolCall("b", "push", {"what": "pushed"})]
    model = Scripted([both, "done"])
    settings = {"use.checkpoints": "none"}
    scenario = Scenario(
        model=model, tool_providers={"two": Two()}, installed=frozenset({"questions"}), settings=settings
    )

    async def run() -> tuple[str, str]:
        async with scenario.build_app(tmp_path, tmp_path / "home") as koi:
            first = await koi.solve(Task("Act", limits=ONCE))
            [question] = await koi.pending_questions()
            await koi.answer_question(question.id, "yes")
        async with scenario.build_app(tmp_path, tmp_path / "home") as koi:
            second = await koi.resume(question.outermost).result()
        return first.decision.action, second.text

    assert ("escalate", "done") == asyncio.run(run())
    assert ["beside", "pushed"] == texts
    assert 2 == len(model.asked)
