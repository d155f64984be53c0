"""The inner loop: declared ends, nudges, histories made shorter, further tools, workers, and who may do what."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from openkoi_hookspecs import (
    Agent,
    Arguments,
    BudgetExhausted,
    Condition,
    Effect,
    ExecutionResult,
    Limits,
    Message,
    NextAction,
    Plan,
    Question,
    Request,
    Role,
    Run,
    StopReason,
    Task,
    Text,
    TextIncludes,
    Tool,
    ToolCall,
    ToolResult,
    ToolReturned,
    Usage,
    events,
)
from openkoi_testing import FinishedRun, Line, Scenario, Scripted, ScriptedTurn, run_scenario

ONCE = Limits(iterations=0)


def ended(run: FinishedRun) -> list[str]:
    return [record.event.reason for record in run.records if isinstance(record.event, events.InnerLoopEnded)]


def asked(run: FinishedRun) -> int:
    return sum(isinstance(record.event, events.ModelResponse) for record in run.records)


def agent(*conditions: Condition, **more: object) -> Agent:
    return replace(Agent(name="tester", conditions=conditions), **more)  # type: ignore[arg-type]  # any field of it


def run_agent(who: Agent, *lines: Line, limits: Limits = ONCE, stage: Scenario | None = None) -> FinishedRun:
    return run_scenario(Task("Do it", agent=who, limits=limits), replace(stage or Scenario(), says=lines))


def command(line: str, number: int) -> ToolCall:
    return ToolCall(f"c{number}", "run_command", {"command": line})


@dataclass
class Bench:
    """A tool provider of one tool in frequent use and a few that are not."""

    rare: Sequence[str] = ("send_mail", "draw_chart")
    called: list[tuple[str, Arguments]] = field(default_factory=list)

    async def tools(self, run: Run) -> Sequence[Tool]:
        """All of them."""
        return [self.tool("look", rare=False), *(self.tool(name, rare=True) for name in self.rare)]

    def tool(self, name: str, *, rare: bool) -> Tool:
        async def call(arguments: Arguments) -> ToolResult:
            self.called.append((name, arguments))
            return ToolResult(f"{name} is done")

        schema: Arguments = {"type": "object", "properties": {"to": {"type": "string"}}, "required": []}
        return Tool(name, f"Can {name.replace('_', ' ')}.", schema, call, effect=Effect.READS, deferred=rare)


@pytest.mark.row("LOOP-08", "LOOP-11")
def test_a_text_that_was_declared_ends_the_work() -> None:
    run = run_agent(agent(TextIncludes("<task-complete>")), command("true", 1), "All <task-complete> now", "never said")

    assert ["text-includes"] == ended(run)
    assert 2 == asked(run)
    assert NextAction.ACCEPT is run.result.decision.action


@pytest.mark.row("LOOP-09", "LOOP-13")
def test_a_result_that_was_declared_ends_the_work_in_the_same_cycle() -> None:
    wanted = ToolReturned(tool="run_command", exit_code=0, contains="tsc")
    lines = (command("echo tsc; exit 1", 1), command("echo other", 2), command("echo tsc", 3), "never asked")
    run = run_agent(agent(wanted), *lines)

    assert ["tool-result"] == ended(run)
    assert 3 == asked(run)


@pytest.mark.row("LOOP-10", "C61")
def test_the_end_of_the_money_may_be_declared_an_end() -> None:
    turns = [
        ScriptedTurn((Text(f"Step {n}."), command(f"echo {n}", n)), usage=Usage(input=100, output=300))
        for n in range(20)
    ]
    model = Scripted(turns)
    priced = Scenario(
        model=model,
        settings={"models.known.scripted/script.price": [1000.0, 1000.0], "models.known.scripted/script.output": 300},
    )
    declared = run_scenario(Task("Do it", agent=agent(BudgetExhausted()), limits=replace(ONCE, usd=5.0)), priced)
    undeclared = run_scenario(Task("Do it", limits=replace(ONCE, usd=5.0)), replace(priced, model=Scripted(turns)))

    assert (["budget-exhausted"], "accept") == (ended(declared), declared.result.decision.action)
    assert (["budget-exhausted"], "abort_budget") == (ended(undeclared), undeclared.result.decision.action)
    assert declared.result.cost.usd <= 5.0


@pytest.mark.row("LOOP-11")
def test_of_two_conditions_that_hold_the_first_is_named() -> None:
    both = (ToolReturned(tool="run_command"), TextIncludes("done"))
    reply = ScriptedTurn((Text("done"), command("true", 1)))

    assert ["tool-result"] == ended(run_agent(agent(*both), reply))
    assert ["text-includes"] == ended(run_agent(agent(*reversed(both)), reply))


@pytest.mark.row("LOOP-04", "LOOP-12")
def test_the_ceiling_of_cycles_is_an_end_and_no_failure() -> None:
    limits = replace(ONCE, cycles=3)
    run = run_agent(agent(TextIncludes("!")), *(command(f"echo {n}", n) for n in range(9)), limits=limits)

    assert ["maxCycles"] == ended(run)
    assert (3, "accept_best") == (asked(run), run.result.decision.action)


@pytest.mark.row("LOOP-16", "C60")
def test_a_model_that_waits_is_nudged_twice_in_a_row_and_not_without_a_declared_end() -> None:
    nudged = run_agent(agent(TextIncludes("<end>")), "I wait.", "I wait.", command("true", 1), "I wait again.", "<end>")
    waits = run_agent(agent(TextIncludes("<end>")), "I wait.")
    plain = run_agent(agent(), "I answer.")

    assert (["text-includes"], 5) == (ended(nudged), asked(nudged))
    assert (["answered"], 3) == (ended(waits), asked(waits))
    assert (["answered"], 1) == (ended(plain), asked(plain))


@pytest.mark.row("LOOP-14", "LOOP-15")
def test_the_events_of_a_cycle_come_in_their_order() -> None:
    run = run_agent(agent(TextIncludes("!")), ScriptedTurn((command("echo a", 1), command("echo b", 2))), "done!")
    names = [record.event.name for record in run.records]
    first, second = (place for place, name in enumerate(names) if name == "cycle.start")
    within = [name for name in names[first:second] if name.startswith(("cycle", "model.resp", "tool"))]

    assert [
        "cycle.start",
        "model.response",
        "tool_call",
        "tool_call",
        "tool_result",
        "tool_result",
        "tool.results",
    ] == (sorted(within, key=["cycle.start", "model.response", "tool_call", "tool_result", "tool.results"].index))
    assert ("cycle.start", "model.response", "tool.results") == (within[0], within[1], within[-1])
    assert names.index("run.terminated_by") < names.index("run.completed") or "task_complete" in names


class Halving:
    """A compactor that leaves out the oldest turn of the model with its results."""

    async def compact(self, messages: Sequence[Message], run: Run) -> Sequence[Message]:
        """The same without its second and third message."""
        return [messages[0], *messages[3:]] if len(messages) > 4 else messages


class Breaking:
    """A compactor that parts a call from its result."""

    async def compact(self, messages: Sequence[Message], run: Run) -> Sequence[Message]:
        """Everything but the first results."""
        return [message for place, message in enumerate(messages) if place != 2]


def long_talk(compactor: object, **settings: object) -> tuple[FinishedRun, Scripted]:
    turns = [ScriptedTurn((command(f"echo {n}", n),), usage=Usage(input=900, output=10)) for n in range(6)]
    model = Scripted([*turns, "done"])
    stage = Scenario(model=model, others={"compactors": {"mine": compactor}}, settings=settings)
    run = run_scenario(Task("Do it", agent=agent(context=1_000, compactor="mine"), limits=ONCE), stage)
    return run, model


@pytest.mark.row("LOOP-05")
def test_a_history_of_four_fifths_of_the_window_is_made_shorter() -> None:
    run, model = long_talk(Halving())
    compressed = [one for one in run.records if isinstance(one.event, events.HistoryCompacted)]

    assert 4 <= len(compressed)
    assert max(len(request.messages) for request in model.asked) <= 5
    assert all(request.messages[0].role is Role.USER for request in model.asked)


@pytest.mark.row("MEM-14")
def test_nothing_is_made_shorter_by_who_wants_no_compaction() -> None:
    run, model = long_talk(Halving(), **{"memory.compaction": False})

    assert [] == [one for one in run.records if isinstance(one.event, events.HistoryCompacted)]
    assert 13 == max(len(request.messages) for request in model.asked)


class Asking:
    """A compactor that asks a model."""

    async def compact(self, messages: Sequence[Message], run: Run) -> Sequence[Message]:
        """Ask, and leave all as it is."""
        await run.chat(Request((Message(Role.USER, (Text("Make it shorter."),)),)))
        return messages


@pytest.mark.row("FLOW-03")
def test_a_limit_that_is_reached_while_a_history_is_made_shorter_ends_it_as_a_limit() -> None:
    turns = [ScriptedTurn((command(f"echo {n}", n),), usage=Usage(input=900, output=10)) for n in range(6)]
    stage = Scenario(model=Scripted([*turns, "done"]), others={"compactors": {"mine": Asking()}})
    few = replace(ONCE, calls=1)
    run = run_scenario(Task("Do it", agent=agent(context=1_000, compactor="mine"), limits=few), stage)

    assert StopReason.BUDGET is run.result.best.work.ended
    assert NextAction.ABORT_BUDGET is run.result.decision.action


def test_a_history_that_would_be_broken_by_it_is_left_as_it_is() -> None:
    run, model = long_talk(Breaking())
    warned = [record.event.text for record in run.records if isinstance(record.event, events.WarningIssued)]

    assert 13 == len(model.asked[-1].messages)
    assert any("mine" in text and "have the same role" in text for text in warned)


def test_further_tools_are_found_and_called_by_name() -> None:
    bench = Bench()
    finding = ToolCall("f", "find_tool", {"query": "mail"})
    calling = ToolCall("g", "call_tool", {"name": "send_mail", "arguments": {"to": "Ada"}})
    model = Scripted([finding, calling, "sent"])
    run = run_scenario(
        Task("Send a mail"), Scenario(model=model, tool_providers={"bench": bench}, installed=frozenset())
    )
    results = [record.event.result for record in run.records if isinstance(record.event, events.ToolCallFinished)]

    assert ["look", "find_tool", "call_tool"] == [tool.name for tool in model.asked[0].tools]
    assert '"send_mail"' in results[0].text.splitlines()[0]
    assert [("send_mail", {"to": "Ada"})] == bench.called
    assert "send_mail is done" == results[1].text


@pytest.mark.parametrize(
    ("arguments", "reply"),
    [
        ({"name": "send_male", "arguments": {}}, "Unknown tool 'send_male'. Call one of: send_mail"),
        ({"name": "send_mail", "arguments": [1]}, "The arguments of send_mail must be an object"),
        ({"name": "send_mail", "arguments": {"to": 5}}, "The argument 'to' must be text"),
        ({"arguments": {}}, "The argument 'name' is missing"),
    ],
)
def test_a_further_tool_that_is_called_wrongly_is_explained(arguments: dict[str, object], reply: str) -> None:
    model = Scripted([ToolCall("g", "call_tool", arguments), "gave up"])  # type: ignore[arg-type]  # wrong on purpose
    run = run_scenario(
        Task("Send a mail"), Scenario(model=model, tool_providers={"bench": Bench()}, installed=frozenset())
    )
    [result] = [record.event.result for record in run.records if isinstance(record.event, events.ToolCallFinished)]

    assert result.failed
    assert reply in result.text


@pytest.mark.row("LOOP-01")
def test_an_agent_has_only_the_tools_that_it_was_given() -> None:
    model = Scripted(["done"])
    run_scenario(Task("Look", agent=agent(tools=("read_f*", "search"))), Scenario(model=model))

    assert {"read_file", "search"} == {tool.name for tool in model.asked[0].tools}


class Twice:
    """A worker that lets two agents do the task, one after the other."""

    async def run(self, plan: Plan, run: Run) -> ExecutionResult:
        """Their words."""
        first = await run.solve(Task("First half", limits=ONCE))
        second = await run.solve(Task("Second half", limits=ONCE))
        return ExecutionResult(f"{first.text} {second.text}")


@pytest.mark.row("ITER-21")
def test_a_worker_works_in_the_place_of_the_model_and_its_parts_are_paid_from_what_is_left() -> None:
    turns = [ScriptedTurn((Text(word),), usage=Usage(input=10, output=1)) for word in ("one", "two")]
    stage = Scenario(model=Scripted(turns), others={"workers": {"twice": Twice()}})
    run = run_scenario(Task("Do both", agent=agent(worker="twice"), limits=ONCE), stage)
    parents = [record.event.task.parent for record in run.records if isinstance(record.event, events.TaskStarted)]

    assert "one two" == run.result.text
    assert 2 == run.result.cost.calls
    assert [True, True] == [bool(parent) for parent in parents[1:]]


def test_a_cage_that_is_weaker_than_wanted_is_asked_about_and_refused_where_nobody_is(tmp_path: Path) -> None:
    stage = Scenario(model=Scripted([command("echo ran", 1), "done"]), settings={"safety.sandbox_minimum": "isolated"})
    alone = run_scenario(Task("Run it"), stage)
    [refused] = [record.event.result for record in alone.records if isinstance(record.event, events.ToolCallFinished)]

    async def with_somebody() -> tuple[FinishedRun, int]:
        stage = Scenario(model=Scripted([command("echo 1", 1), command("echo 2", 2), "done"]))
        stage = replace(stage, settings={"safety.sandbox_minimum": "isolated"})
        asked = 0

        async def user(question: Question) -> str:
            nonlocal asked
            asked += 1
            return "yes"

        async with stage.build_app(tmp_path, tmp_path / "home") as koi:
            koi.attend(user)
            result = await koi.solve(Task("Run it"))
            return FinishedRun(result, tuple(koi.records(koi.session))), asked

    together, times = asyncio.run(with_somebody())
    results = [record.event.result for record in together.records if isinstance(record.event, events.ToolCallFinished)]

    assert "No command was run" in refused.text
    assert [False, False] == [result.failed for result in results]
    assert 1 == times


def test_the_clock_stands_still_while_a_person_thinks(tmp_path: Path) -> None:
    class Asking:
        async def tools(self, run: Run) -> Sequence[Tool]:
            async def call(arguments: Arguments) -> ToolResult:
                return ToolResult(str(await run.ask(Question("Which?"))))

            return [Tool("ask", "Ask.", {"type": "object", "properties": {}}, call, effect=Effect.READS)]

    async def run() -> FinishedRun:
        async def user(question: Question) -> str:
            await asyncio.sleep(3.1)  # longer than the task may take; the rest takes far less, also on a busy machine
            return "this one"

        stage = Scenario(model=Scripted([ToolCall("a", "ask", {}), "done"]), tool_providers={"asking": Asking()})
        async with replace(stage, installed=frozenset()).build_app(tmp_path, tmp_path / "home") as koi:
            koi.attend(user)
            result = await koi.solve(Task("What is it?", limits=Limits(seconds=3.0)))
            return FinishedRun(result, tuple(koi.records(koi.session)))

    done = asyncio.run(run())
    [result] = [record.event.result for record in done.records if isinstance(record.event, events.ToolCallFinished)]

    assert ("this one", "accept") == (result.text, done.result.decision.action)
    assert done.result.cost.seconds < 3


@pytest.mark.row("C26")
def test_what_a_day_may_cost_binds_all_tasks_together(tmp_path: Path) -> None:
    async def two_tasks() -> list[FinishedRun]:
        runs = []
        price = {"models.known.scripted/script.price": [0.0, 1000.0], "models.known.scripted/script.output": 400}
        stage = Scenario(model=Scripted([ScriptedTurn((Text("done"),), usage=Usage(input=10, output=300))]))
        stage = replace(stage, settings={**price, "safety.max_cost_usd_per_day": 0.5})
        for _ in range(2):
            async with stage.build_app(tmp_path, tmp_path / "home") as koi:
                result = await koi.solve(Task("What is it?"))
                runs.append(FinishedRun(result, tuple(koi.records(koi.session))))
        return runs

    first, second = asyncio.run(two_tasks())

    assert ("accept", 0.3) == (first.result.decision.action, round(first.result.cost.usd, 9))
    assert "abort_budget" == second.result.decision.action
    assert "reached the limit of dollars a day" == second.result.decision.reason
