"""Measure what a plugin call costs by kind: hooks in this process, WASM modules, scripts in a child process.

Each is timed in batches, in turn with its floor, which does no more than the kind of plugin cannot do without, and
with plugin systems of others. The fastest batch counts: all others were slower by what else the machine did.

Ours also has what they have not: a hook's answer is checked and has a deadline, a module has an instance, fuel and a
deadline for each call, a script a process in a sandbox and a deadline.
"""

import asyncio
import json
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

from .contest import Contestant, enlisted, load, met, round_robin, table
from .peers import peers_in

BATCH, BATCHES = 5, 1_000  # a short batch is one that nothing interrupts, on a busy machine too
SILENT = 20
NOTHING: Any = None
MANIFEST = '[plugin]\nname = "answer"\n[[tools]]\nname = "run"\ndescription = "Answer."\neffect = "reads"\n'
MODULE = """(module (import "koi" "read" (func $read (param i32))) (memory (export "memory") 4)
    (data (i32.const 0) "{\\"ok\\":\\"fish\\"}")
    (func (export "koi_call") (param $length i32) (result i64) (call $read (i32.const 65536)) (i64.const 13)))"""
EXTISM_MODULE = """(module
    (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
    (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
    (import "extism:host/env" "output_set" (func $answer (param i64 i64)))
    (memory (export "memory") 1) (data (i32.const 0) "{\\"ok\\":\\"fish\\"}")
    (func (export "run") (result i32) (local $at i64) (local $i i32) (local.set $at (call $alloc (i64.const 13)))
        (loop $next
            (call $store (i64.add (local.get $at) (i64.extend_i32_u (local.get $i))) (i32.load8_u (local.get $i)))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if $next (i32.lt_u (local.get $i) (i32.const 13))))
        (call $answer (local.get $at) (i64.const 13)) (i32.const 0)))"""
SCRIPT = 'def before_plan(task):\n    return ["Be brief: " + task.category]\n'
ECHO = "import sys\nfor line in sys.stdin.buffer:\n    sys.stdout.buffer.write(line)\n    sys.stdout.buffer.flush()\n"
FACTS = json.dumps({"task": {"text": "Fix the bill", "category": "code"}})
PEERS = ("pluggy", "blinker", "extism", "extism:new", "pywasm3", "starlark-pyo3", "lupa", "execnet", "mcp")
HOOKS, WASM, SCRIPTS = PEERS[:2], PEERS[2:5], PEERS[5:]
NOTES = {
    "extism": "one instance",
    "extism:new": "an instance a call",
    "pywasm3": "one instance, interpreted",
    "starlark-pyo3": "in process",
    "lupa": "in process, Lua",
    "execnet": "a child, no sandbox",
    "mcp": "a tool of a child, no sandbox",
}
Call = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Compared:
    """A call of a plugin and its floor, with the microseconds that the call may take, and peers that do the same."""

    name: str
    call: Call
    floor_name: str
    floor: Call
    goal: float
    is_difference: bool = False
    peers: tuple[str, ...] = ()


class Implementation:
    """A plugin that implements a hook."""

    def __init__(self, function: Callable[[Any], object]) -> None:
        self.before_plan = hookimpl(function)


def show(rounds: int) -> None:
    """Print a table."""
    print(asyncio.run(measure(rounds)))


async def measure(rounds: int) -> str:
    """Return the table."""
    with TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            run = await stack.enter_async_context(make_run(Path(folder)))
            compared = [*hook_calls(run), await stack.enter_async_context(wasm_calls(Path(folder), run))]
            compared.append(await stack.enter_async_context(script_calls()))
            contestants = stack.enter_context(enlisted(peers_in("calls", *PEERS), folder))
            best: dict[Call | str, float] = {}
            for _ in range(rounds):
                for one in compared:
                    await measure_batches(one, best)
                for name, costs in round_robin(contestants, 1, batches=BATCHES).items():
                    best[name] = min(best.get(name, float("inf")), costs[0].figures[0])
            rows = [row(one, best, contestants) for one in compared]
    return table([f"a warm call, microseconds ({load()})", "", "floor", "", "goal", "", "peers"], rows)


def row(one: Compared, best: dict[Call | str, float], contestants: list[Contestant]) -> list[str]:
    """Return a line of the table."""
    call, floor = best[one.call], best[one.floor]
    counts = call - floor if one.is_difference else call
    text = f"+{counts:.1f}" if one.is_difference else f"{counts:.1f}"
    peers = "; ".join(formatted(peer, best) for peer in contestants if peer.entry.name in one.peers)
    return [one.name, text, one.floor_name, f"{floor:.1f}", f"{one.goal:g}", met(counts, one.goal), peers]


def formatted(peer: Contestant, best: dict[Call | str, float]) -> str:
    """Return a peer with its version and time, and how it differs."""
    name = peer.entry.name
    note = f" ({NOTES[name]})" if name in NOTES else ""
    return f"{name.partition(':')[0]} {peer.version}{note} {best[name]:.1f}"


async def measure_batches(one: Compared, best: dict[Call | str, float]) -> None:
    """Keep the microseconds of a call and of its floor, each of its fastest batch."""
    for _ in range(BATCHES):
        for call in (one.call, one.floor):
            best[call] = min(best.get(call, float("inf")), await timed(call, ends_turn=one.is_difference))


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
        Compared("a hook with 20 silent implementations", quiet, "20 calls of a function", bare, 10, peers=HOOKS),
        Compared("one of them returns a value, logged", answered, "all 20 silent", quiet, 15, is_difference=True),
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
    (folder / "answer.wasm").write_bytes(wat2wasm(MODULE))
    (folder / "extism.wasm").write_bytes(wat2wasm(EXTISM_MODULE))
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
        yield Compared(
            "a WASM module", lambda: plugin.call("tool", fields, run), "wasmtime's own classes", bare, 150, peers=WASM
        )


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
        yield Compared("a script", call, "a line to a child and back", send, 2_000, peers=SCRIPTS)
    finally:
        await processes.close()
        echo.stdin.close()
        await echo.wait()
