"""Test that no run exceeds a limit, whatever a vendor counts, and that its result reports what was paid."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryDirectory

import pytest
from chance import Judge, Scene, Spenders, Things, Vendor, scene
from cli_process import logged_records

from openkoi_hookspecs import (
    Chunk,
    Cost,
    Decision,
    KoiError,
    LimitExceededError,
    Limits,
    Model,
    NextAction,
    PluginError,
    Price,
    Record,
    Request,
    Result,
    StreamEnd,
    Task,
    Text,
    ToolCall,
    Usage,
    events,
)
from openkoi_models import TaskBudget
from openkoi_scripted import ScriptedFailure, ScriptedFailureKind
from openkoi_testing import Scenario, ScriptedTurn, run_scenario

MEMORY = Path("/dev/shm")
CENT = 1e-9
LATE = 5.0
LIMITS = ("tokens", "dollars", "calls")


@dataclass
class Told:
    """A finished run: its result or error, and its log."""

    scene: Scene
    result: Result | None = None
    error: str = ""
    records: Sequence[Record] = ()
    vendor: Vendor = field(default_factory=Vendor)


async def done(numbers: Sequence[int], folder: Path) -> list[Told]:
    """Do these runs in turn, in one home."""
    vendor, report, records = Vendor(), [], list[Record]()
    stage = Scenario(
        model=vendor,
        plugins={"spenders": Spenders()},
        evaluators={"taste": Judge()},
        tool_providers={"things": Things()},
        installed=frozenset(),
    )
    workspace = folder / "workspace"
    workspace.mkdir()
    async with stage.build_app(workspace, folder / "home") as koi:
        koi.listen(records.append)
        for here in map(scene, numbers):
            records.clear()
            one = Told(here, vendor=vendor)
            async with asyncio.timeout(30):
                try:
                    one.result = await koi.solve(here.task)
                except KoiError as error:
                    one.error = str(error)
                await koi.drain()
            one.records = tuple(records)
            report.append(one)
    return report


# What is wrong with a run; nothing, as a rule.


def find_errors(report: Told) -> Iterator[str]:
    """Yield all violations."""
    number = str(report.scene.number)
    over = number in report.vendor.overdrawn
    yield from asked_too_late(report.records, report.scene.limits)
    if over and not any("counted" in text and "reserved" in text for text in has_warning(report)):
        yield "nobody was told that more was used than reserved"
    yield from (f"logged: {name}" for name in exceeded_limits(paid(report.records), report.scene.limits))
    for task, event in finished(report.records):
        yield from lacks_limit(event.decision)
        yield from exceeded_limits(event.cost, task.effective_limits)
        if event.cost.seconds > task.effective_limits.seconds + LATE:
            yield f"{event.cost.seconds} seconds of {task.effective_limits.seconds}"
    if report.result is not None and not report.vendor.broke_off(number):
        logged = paid(until_the_result(report.records)).usd
        if abs(logged - report.result.cost.usd) > CENT:
            yield f"the log says {logged} dollars, the result {report.result.cost.usd}"


def asked_too_late(records: Sequence[Record], limits: Limits) -> Iterator[str]:
    """Yield whether a model was called without enough budget left for the call."""
    tokens, usd = 0, 0.0
    for event in (record.event for record in records):
        match event:
            case events.ModelResponse(response=reply, usd=dollars):
                tokens, usd = tokens + reply.done.usage.input + reply.done.usage.output, usd + dollars
            case events.ModelResponseBroken(usage=usage, usd=dollars):
                tokens, usd = tokens + usage.total, usd + dollars
            case events.ModelRequest(reserved=usage, reserved_usd=dollars) if usage.total:
                if tokens + usage.total > limits.tokens or usd + dollars > limits.usd + CENT:
                    yield f"asked for {usage.total} tokens, {dollars} dollars after {tokens}, {usd}"


def finished(records: Sequence[Record]) -> Iterator[tuple[Task, events.RunCompleted]]:
    """Yield each run with a result, sub-tasks first."""
    tasks = {record.run: record.event.task for record in records if isinstance(record.event, events.TaskStarted)}
    for record in records:
        if isinstance(record.event, events.RunCompleted):
            yield tasks[record.run], record.event


def exceeded_limits(spent: Cost, limits: Limits) -> Iterator[str]:
    if spent.budget_tokens > limits.tokens:
        yield f"{spent.budget_tokens} tokens of {limits.tokens}"
    if spent.usd > limits.usd + CENT:
        yield f"{spent.usd} dollars of {limits.usd}"
    if spent.calls > limits.calls:
        yield f"{spent.calls} calls of {limits.calls}"


def lacks_limit(decision: Decision) -> Iterator[str]:
    """Yield whether a run that a limit has ended does not say which."""
    named = decision.reason.endswith((*(f"limit of {name}" for name in LIMITS), "reserved for one call"))
    if decision.action is NextAction.ABORT_BUDGET and not named:
        yield f"no limit in {decision.reason!r}"
    if decision.action is NextAction.ABORT_TIMEOUT and "seconds" not in decision.reason:
        yield f"no seconds in {decision.reason!r}"


def has_warning(report: Told) -> list[str]:
    return [record.event.text for record in report.records if isinstance(record.event, events.WarningIssued)]


def until_the_result(records: Sequence[Record]) -> Sequence[Record]:
    """Return the records before the result; learning is paid afterwards."""
    own = next(record.run for record in records if isinstance(record.event, events.TaskStarted))
    ends = (record.run == own and isinstance(record.event, events.RunCompleted) for record in records)
    return records[: [*ends].index(True)]


def paid(records: Sequence[Record]) -> Cost:
    """Return what the log says was paid, sub-tasks included."""
    calls = [record.event.usd for record in records if isinstance(record.event, events.ModelResponse)]
    return Cost(usd=sum(calls), calls=len(calls))


def all_wrong(numbers: Sequence[int]) -> dict[int, list[str]]:
    """Return the violations of these runs.

    They are kept in memory where that can be: how files last is not asked here.
    """
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        report = asyncio.run(done(numbers, Path(folder)))
    return {one.scene.number: found for one in report if (found := [*find_errors(one)])}


@pytest.mark.row("SAFE-06", "SAFE-11", "ITER-12", "C61")
def test_no_run_passes_a_limit() -> None:
    assert {} == all_wrong(range(150))


@pytest.mark.campaign
@pytest.mark.parametrize("chunk", range(40))
def test_ten_thousand_runs_pass_no_limit(chunk: int) -> None:
    assert {} == all_wrong(range(chunk * 250, chunk * 250 + 250))


# One by one.

DEAR = {"models.known.scripted/script.price": [0.0, 1000.0], "models.known.scripted/script.output": 1_000}


@dataclass
class Sayer:
    """A provider of one model that always says the same."""

    price: Price
    chunks: Sequence[object] = (Text("word"), StreamEnd(Usage(input=60, output=10)))

    async def models(self) -> Sequence[Model]:
        """Return the one."""
        return [Model("one", context=100_000, output=1_000, price=self.price)]

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Stream the text, up to the limit."""
        for chunk in self.chunks:
            yield chunk  # type: ignore[misc]  # some of it is none on purpose


def by(sayer: Sayer) -> Scenario:
    return Scenario(providers={"acme": sayer}, settings={"models.default": "acme/one"}, installed=frozenset())


def test_what_one_part_overdraws_ends_the_others_too() -> None:
    whole = TaskBudget(Limits(usd=100.0))
    one, other = TaskBudget(Limits(), whole), TaskBudget(Limits(), whole)
    one.settle(one.reserve(100, 100, Price(1.0, 1.0)), Usage(input=10_000), Price(1.0, 1.0))

    with pytest.raises(LimitExceededError, match="tokens"):
        other.reserve(10, 10, Price(1.0, 1.0))


def test_dollars_beyond_what_was_reserved_are_told() -> None:
    answer = ScriptedTurn((Text("word"),), usage=Usage(input=5, output=1_020))
    run = run_scenario(
        Task("Say it", limits=Limits(usd=1.01)), Scenario(says=[answer], settings=DEAR, installed=frozenset())
    )
    warnings = [record.event.text for record in run.records if isinstance(record.event, events.WarningIssued)]

    assert any("but $1.0000 was reserved; more will be reserved from now on" in text for text in warnings)
    assert pytest.approx(1.0) == run.result.cost.usd


@pytest.mark.row("SAFE-11")
def test_what_was_paid_for_an_answer_that_broke_off_is_in_the_log() -> None:
    cut = ScriptedTurn((Text("word " * 50),), fails=ScriptedFailure(ScriptedFailureKind.CUT))
    run = run_scenario(Task("Say it"), Scenario(says=[cut, "done"], settings=DEAR, installed=frozenset()))
    logged = sum(getattr(record.event, "usd", 0.0) for record in run.records)

    assert pytest.approx(run.result.cost.usd) == logged
    assert logged > 0.06


@pytest.mark.parametrize("beyond", [Price(nan, nan), Price(-1.0, -1.0), Price(1.0, 1.0)])
def test_a_price_of_two_parts_is_reckoned_at_the_dearer(beyond: Price) -> None:
    price = Price(1_000.0, 1_000.0, above=70, beyond=beyond)
    run = run_scenario(Task("Say it", limits=Limits(usd=0.05)), by(Sayer(price)))

    assert 0 <= run.result.cost.usd <= 0.05


@pytest.mark.parametrize("chunk", [StreamEnd(None), Text(None), ToolCall("1", "look", None), "word", None])  # type: ignore[arg-type]  # wrong on purpose
def test_what_is_no_part_of_an_answer_is_a_fault_of_its_provider(chunk: object) -> None:
    with pytest.raises(PluginError, match="'acme/one' failed at chat"):
        run_scenario(Task("Say it"), by(Sayer(Price(1.0, 1.0), [chunk, StreamEnd(Usage(input=1))])))


# A day that processes share.

SPENDS = """
import asyncio, sys
from pathlib import Path
from openkoi_hookspecs import Task, Text, Usage
from openkoi_testing import Scenario, Scripted, ScriptedTurn

says = ScriptedTurn((Text("done"),), usage=Usage(input=10, output=200), delay=0.08)
price = {"models.known.scripted/script.price": [0.0, 1000.0], "models.known.scripted/script.output": 400}
settings = {**price, "safety.max_cost_usd_per_day": 6.0}
stage = Scenario(model=Scripted([says]), settings=settings, installed=frozenset({"budgets"}))

async def main(folder):
    async with stage.build_app(folder, folder / "home") as koi:
        print("ready", flush=True)
        sys.stdin.readline()
        result = await koi.solve(Task("What is it?"))
        while result.accepted:
            print("paid", flush=True)
            result = await koi.solve(Task("What is it?"))
        print(result.decision.reason, flush=True)

asyncio.run(main(Path(sys.argv[1])))
"""


def spender(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", SPENDS, folder], stdin=PIPE, stdout=PIPE, text=True)


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.row("C26", "SAFE-06")
@pytest.mark.skipif(os.name != "posix", reason="that a process is gone can be told on POSIX systems only")
def test_four_processes_spend_no_more_than_a_day_may_cost_also_when_one_is_killed(tmp_path: Path) -> None:
    four = [spender(tmp_path) for _ in range(4)]
    assert ["ready"] * 4 == [line_of(process) for process in four]
    for process in four:
        process.stdin.write("\n")  # type: ignore[union-attr]  # it is a pipe
        process.stdin.flush()  # type: ignore[union-attr]  # the same
    assert ["paid", "paid"] == [line_of(four[0]), line_of(four[0])]
    time.sleep(0.04)
    four[0].kill()
    answer = [process.communicate(timeout=60)[0].splitlines() for process in four]

    logged = [one["data"]["usd"] for one in logged_records(tmp_path) if one["type"] == "model.response"]
    page = json.loads(next((tmp_path / "home").rglob("????-??-??.json")).read_text())
    held = sum(usd for _, usd in page["held"].values())
    assert ["reached the limit of dollars a day"] * 3 == [lines[-1] for lines in answer[1:]]
    assert 5.0 < page["usd"] + held <= 6.0 + CENT
    assert -CENT <= page["usd"] + held - sum(logged) <= 0.4 + CENT
