"""Generate runs that are killed, resumed and forked at random: a model that writes and asks, and a fickle judge."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from openkoi_hookspecs import (
    Arguments,
    Check,
    Effect,
    Evaluation,
    ExecutionResult,
    FilesChangedError,
    Finding,
    KoiError,
    Limits,
    Record,
    Result,
    Run,
    Score,
    Severity,
    Task,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    Usage,
    events,
)
from openkoi_testing import Scenario, Scripted, ScriptedTurn, write_log

TITLES = ("Uses a tab", "Drops a table", "Has no test", "Names nothing")
SCHEMA: Arguments = {"type": "object", "properties": {"path": {"type": "string"}}}


@dataclass
class Moody:
    """A judge whose verdict depends only on the iteration's number; sometimes it is unusable."""

    seed: int
    judges: bool = True

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        """Judge the iteration that is under way."""
        chance = random.Random(self.seed * 100 + len(run.iterations))
        found = tuple(
            Finding(title, chance.choice([*Severity]), where="a.py:1") for title in TITLES if chance.random() < 0.4
        )
        if chance.random() < 0.1:
            return Evaluation(findings=found, unavailable_reason="no model answered")
        checks = (Check("unit", chance.random() < 0.8),) if chance.random() < 0.5 else ()
        return Evaluation(
            scores=(Score("quality", chance.choice([0.2, 0.5, 0.7, 0.9])),), findings=found, checks=checks
        )


class Pen:
    """Tools that write a file, and one that needs an approval each time."""

    async def tools(self, run: Run) -> Sequence[Tool]:
        """Return the tools for this run."""

        async def write(arguments: Arguments) -> ToolResult:
            path = run.workspace / str(arguments["path"])
            path.write_text((path.read_text() if path.exists() else "") + "x\n")
            return ToolResult("written")

        async def push(arguments: Arguments) -> ToolResult:
            return ToolResult("pushed")

        return [
            Tool("write", "Write.", SCHEMA, write, effect=Effect.WRITES),
            Tool("push", "Push.", SCHEMA, push, effect=Effect.IRREVERSIBLE),
        ]


@dataclass
class History:
    """A run with all that happened to it: the last result, and the records that are left of all processes.

    After a fork it is the fork's run, with the records of its own session. ``lost`` tells whether records are missing
    in the log of what was done: only then may the files be other than the log says.
    """

    run: str
    result: Result
    workspace: Path
    records: list[Record] = field(default_factory=list)
    resumed: int = 0
    forked: int = 0
    lost: bool = False


def turns(seed: int) -> list[ScriptedTurn]:
    """The model's turns; the last one repeats."""
    chance = random.Random(seed)
    reply: list[ScriptedTurn] = []
    for number in range(chance.randint(2, 9)):
        kind = chance.random()
        name = "push" if kind < 0.12 else "write"
        call = ToolCall(f"call{number}", name, {"path": chance.choice(["a.py", "b.py", "c.txt"])})
        parts = (call,) if kind < 0.6 else (Text(f"Done {number}."),)
        reply.append(ScriptedTurn(parts, usage=Usage(input=chance.randint(10, 90), output=chance.randint(1, 9))))
    return [*reply, ScriptedTurn((Text("Finished."),), usage=Usage(input=5, output=1))]


async def play(seed: int, folder: Path) -> History:
    """Begin the run; then kill it, approve what it asks, or judge it again, and resume or fork it, a few times."""
    chance = random.Random(seed + 7_000)
    workspace, lines = folder / "workspace", turns(seed)
    workspace.mkdir(parents=True)
    limits = Limits(iterations=chance.randint(1, 4), quality_threshold=0.8)
    history = await begin(Task(f"Write it ({seed})", limits=limits), stage(lines, seed), folder, workspace)
    forks = random.Random(seed + 9_000)
    for turn in range(chance.randint(0, 3)):
        if forks.random() < 0.3:
            history = await fork(history, forks, stage(lines, seed + turn), folder, workspace)
            continue
        records = history.records
        if history.result.decision.action.value != "escalate" and not history.result.decision.unjudged:
            records = records[: chance.randint(3, len(records))]
            if any(isinstance(record.event, events.RunCompleted) for record in records):
                return history
        answered = sum(isinstance(record.event, events.ModelResponse) for record in records)
        again = stage(lines[answered:] or lines[-1:], seed + turn)
        try:
            history = await resumed(history, records, again, folder, workspace)
        except FilesChangedError:
            if not history.lost and records is history.records:
                raise
            return history  # it was killed after it had changed more than its records tell
    return history


def stage(lines: Sequence[ScriptedTurn], seed: int) -> Scenario:
    """A model with these turns, the tools, and the judge."""
    evaluators = {"moody": Moody(seed)} if seed % 4 else {}
    return Scenario(
        model=Scripted(lines),
        tool_providers={"pen": Pen()},
        evaluators=evaluators,
        installed=frozenset({"checkpoints"}),
    )


async def begin(task: Task, there: Scenario, folder: Path, workspace: Path) -> History:
    async with there.build_app(workspace, folder / "home") as koi:
        result = await koi.solve(task)
        for question in await koi.pending_questions():
            await koi.answer_question(question.id, "yes")
        records = [record for record in koi.records(koi.session) if record.run]
    return History(records[0].run, result, workspace, records)


async def resumed(history: History, kept: list[Record], there: Scenario, folder: Path, workspace: Path) -> History:
    """Resume the rest of a run."""
    write_log(folder / "home", kept)
    async with there.build_app(workspace, folder / "home") as koi:
        result = await koi.resume(history.run).result()
        for question in await koi.pending_questions():
            await koi.answer_question(question.id, "yes")
        records = [record for record in koi.records(result.task.session) if record.run]
    lost = history.lost or kept is not history.records
    return History(history.run, result, workspace, records, history.resumed + 1, lost=lost)


async def fork(history: History, chance: random.Random, there: Scenario, folder: Path, workspace: Path) -> History:
    """Fork a run at one of the iterations that it came to; where lost records explain a refusal, it stays as it was."""
    async with there.build_app(workspace, folder / "home") as koi:
        handle = koi.fork(history.run, at=chance.randrange(len(history.result.iterations)))
        try:
            result = await handle.result()
        except KoiError:
            if not history.lost:
                raise
            return history
        for question in await koi.pending_questions():
            await koi.answer_question(question.id, "yes")
        records = [record for record in koi.records(result.task.session) if record.run]
    return History(handle.id, result, workspace, records, history.resumed, history.forked + 1)


def fork_last(history: History, *, at: int) -> Result:
    """Fork a history at an iteration, with nothing done since; raise what the fork is refused with."""

    async def forked() -> Result:
        idle = stage([ScriptedTurn((Text("Left as it is."),))], 0)
        async with idle.build_app(history.workspace, history.workspace.parent / "home") as koi:
            return await koi.fork(history.run, at=at).result()

    return asyncio.run(forked())


def play_history(seed: int, folder: Path) -> History:
    """Play one history to its end."""
    return asyncio.run(play(seed, folder))
