"""What a call of a plugin costs by its kind: hooks in this process, WASM modules, scripts in a child process.

Each is timed in batches, in turn with its floor, which does no more than the kind of plugin cannot do without. The
fastest batch counts: all others were slower by what else the machine did.
"""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from openkoi_hookspecs import Run, Section, hookimpl, hooks
from openkoi_loader.hooks import HookCaller, Hooks
from openkoi_scripts.process import ScriptProcesses, refuse_host_call
from openkoi_testing import make_run
from openkoi_wasm.discovery import WasmPlugins
from openkoi_wasm.manifest import read_manifest

from .contest import table

BATCH, BATCHES = 5, 1_000  # a short batch is one that nothing interrupts, on a busy machine too
SILENT = 20
NOTHING: Any = None
MANIFEST = '[plugin]\nname = "answer"\n[[tools]]\nname = "run"\ndescription = "Answer."\neffect = "reads"\n'
MODULE = """(module (import "koi" "read" (func $read (param i32))) (memory (export "memory") 4)
    (data (i32.const 0) "{\\"ok\\":\\"fish\\"}")
    (func (export "koi_call") (param $length i32) (result i64) (call $read (i32.const 65536)) (i64.const 13)))"""
SCRIPT = 'def before_plan(task):\n    return ["Be brief: " + task.category]\n'
ECHO = "import sys\nfor line in sys.stdin.buffer:\n    sys.stdout.buffer.write(line)\n    sys.stdout.buffer.flush()\n"
FACTS = json.dumps({"task": {"text": "Fix the bill", "category": "code"}})
Call = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Compared:
    """A call of a plugin and its floor, with the microseconds that the call may take."""

    name: str
    call: Call
    floor_name: str
    floor: Call
    goal: float
    is_difference: bool = False


class Implementation:
    """A plugin that implements a hook."""

    def __init__(self, function: Callable[[Any], object]) -> None:
        self.before_plan = hookimpl(function)


def show(rounds: int) -> None:
    """Print a table."""
    print(asyncio.run(measure(rounds)))


async def measure(rounds: int) -> str:
    """Return the table."""
    rows = []
    with TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            run = await stack.enter_async_context(make_run(Path(folder)))
            compared = [*hook_calls(run), await stack.enter_async_context(wasm_calls(Path(folder), run))]
            compared.append(await stack.enter_async_context(script_calls()))
            for one in compared:
                rows.append(row(one, *await fastest(one, rounds)))
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return table([f"a warm call, microseconds (load {load})", "", "floor", "", "goal", ""], rows)


def row(one: Compared, call: float, floor: float) -> list[str]:
    """Return a line of the table."""
    counts = call - floor if one.is_difference else call
    text = f"+{counts:.1f}" if one.is_difference else f"{counts:.1f}"
    return [one.name, text, one.floor_name, f"{floor:.1f}", f"{one.goal:g}", "met" if counts <= one.goal else "MISSED"]


async def fastest(one: Compared, rounds: int) -> tuple[float, float]:
    """Return the microseconds of a call and of its floor, each of its fastest batch."""
    both = {one.call: float("inf"), one.floor: float("inf")}
    for _ in range(rounds * BATCHES):
        for call in both:
            both[call] = min(both[call], await timed(call, ends_turn=one.is_difference))
    return both[one.call], both[one.floor]


async def timed(call: Call, *, ends_turn: bool) -> float:
    """Return the microseconds of a call, the mean of a batch; the end of a turn of the event loop writes the log."""
    start = perf_counter()
    for _ in range(BATCH):
        await call()
    if ends_turn:
        await asyncio.sleep(0)
    return 1e6 * (perf_counter() - start) / BATCH


def hook_calls(run: Run) -> list[Compared]:
    """Return the calls of a hook that twenty plugins implement; one of them may answer, and its answer is logged."""

    def before_plan(task: Any) -> None:
        """Add nothing."""

    def answering(task: Any) -> list[Section]:
        return [Section("style", "Be brief.")]

    answering.__name__ = "before_plan"
    silent: dict[str, Callable[[Any], object]] = {f"silent-{number}": before_plan for number in range(SILENT)}
    quiet, answered = (registered(run, one) for one in (silent, {**silent, "silent-7": answering}))

    async def bare() -> None:
        for function in silent.values():
            function(NOTHING)

    return [
        Compared("a hook with 20 silent implementations", quiet, "20 calls of a function", bare, 10),
        Compared("an answer of one of them, logged", answered, "all 20 silent", quiet, 15, is_difference=True),
    ]


def registered(run: Run, functions: dict[str, Callable[[Any], object]]) -> Call:
    """Return a call of a hook with these implementations, as a run makes it."""
    found = Hooks(print)
    errors = found.register({name: Implementation(one) for name, one in functions.items()})
    assert not errors, errors[0]
    called = found.called_by(HookCaller(run.emit, lambda: 600.0, print))
    return lambda: called.collect(hooks.before_plan, task=run.task, recall=NOTHING, run=run)


@asynccontextmanager
async def wasm_calls(folder: Path, run: Run) -> AsyncIterator[Compared]:
    """Yield a call of a module's tool, beside what wasmtime's own classes take for a fresh instance and its call."""
    from wasmtime import Func, Linker, Module, Store, wat2wasm

    written = folder / "answer"
    written.mkdir()
    (written / "plugin.toml").write_text(MANIFEST)
    (written / "answer.wasm").write_bytes(wat2wasm(MODULE))
    async with WasmPlugins(folder=folder / "wasm") as source:
        plugin = source.plugin_of(read_manifest(written / "plugin.toml"), run.koi)
        await plugin.load()
        assert plugin.host.clock
        engine = plugin.host.clock.engine
        linker = Linker(engine)
        linker.define_func("koi", "read", *nothing_done())
        prepared = linker.instantiate_pre(Module(engine, bytes(wat2wasm(MODULE))))

        async def bare() -> None:
            store = Store(engine)
            store.set_fuel(1_000_000)
            store.set_epoch_deadline(1_000)
            function = prepared.instantiate(store).exports(store)["koi_call"]
            assert isinstance(function, Func)
            function(store, 13)
            store.close()

        fields = {"tool": "run", "arguments": {"text": "one fish"}}
        yield Compared("a WASM module", lambda: plugin.call("tool", fields, run), "wasmtime's own classes", bare, 150)


def nothing_done() -> tuple[Any, Callable[[int], None]]:
    """Return a host function that does nothing, with its type."""
    from wasmtime import FuncType, ValType

    return FuncType([ValType.i32()], []), lambda place: None


@asynccontextmanager
async def script_calls() -> AsyncIterator[Compared]:
    """Yield a call of a script's hook, beside a line that a child process sends back."""
    processes = ScriptProcesses("style.star", SCRIPT, 1.0)
    echo = await asyncio.create_subprocess_exec(sys.executable, "-c", ECHO, stdin=PIPE, stdout=PIPE)
    assert echo.stdin
    assert echo.stdout
    line = f"{FACTS}\n".encode()

    async def send() -> None:
        assert echo.stdin
        assert echo.stdout
        echo.stdin.write(line)
        await echo.stdin.drain()
        assert line == await echo.stdout.readline()

    try:
        call = lambda: processes.call("before_plan", FACTS, refuse_host_call)  # noqa: E731  # one of several calls
        yield Compared("a script", call, "a line to a child and back", send, 2_000)
    finally:
        await processes.close()
        echo.stdin.close()
        await echo.wait()
