"""Call plugins of ours warm: hooks in this process, a WASM module, a script in a child process; each with its floor.

A floor does no more than the kind of plugin cannot do without.
"""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from benchmarks.contestants.calls import BATCH, SILENT
from benchmarks.contestants.ours import SCRIPTED, opened
from benchmarks.turns import Turn, address, take_part

from openkoi_hookspecs import Run, Section, Task, hookimpl, hooks

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
NOTHING: Any = None
Call = Callable[[], Awaitable[object]]
Prepare = Callable[[Run, AsyncExitStack], Awaitable[list[Call]]]


class Implementation:
    """A plugin that implements a hook."""

    def __init__(self, function: Callable[[Any], object]) -> None:
        self.before_plan = hookimpl(function)


def timed(prepare: Prepare, *, logged: int | None = None) -> Turn:
    """Return a turn that makes calls in turn, and returns the microseconds of each in its fastest batch.

    That of the call that is ``logged`` includes writing the log, which the end of a turn of the event loop does.
    """

    async def turn(asked: dict[str, int]) -> list[float]:
        async with AsyncExitStack() as stack:
            folder = stack.enter_context(TemporaryDirectory(ignore_cleanup_errors=True))
            koi = await stack.enter_async_context(opened(Path(folder), SCRIPTED))
            calls = await prepare(await koi.run_starter.make_run(Task("Fix the bill")), stack)
            best = [float("inf")] * len(calls)
            for _ in range(asked["batches"]):
                for number, call in enumerate(calls):
                    best[number] = min(best[number], await batch(call, ends_turn=number == logged))
            return best

    return lambda asked: asyncio.run(turn(asked))


async def batch(call: Call, *, ends_turn: bool) -> float:
    """Return the microseconds of a call, the mean of a batch."""
    start = perf_counter()
    for _ in range(BATCH):
        await call()
    if ends_turn:
        await asyncio.sleep(0)
    return 1e6 * (perf_counter() - start) / BATCH


async def hook_calls(run: Run, stack: AsyncExitStack) -> list[Call]:
    """Return a hook of twenty plugins that do not answer, one that one of them answers, and calls of functions."""

    def before_plan(task: Any) -> None:
        """Add nothing."""

    def answering(task: Any) -> list[Section]:
        return [Section("style", "Be brief.")]

    answering.__name__ = "before_plan"
    silent: dict[str, Callable[[Any], object]] = {f"silent-{number}": before_plan for number in range(SILENT)}

    async def bare() -> None:
        for function in silent.values():
            function(NOTHING)

    return [registered(run, silent), registered(run, {**silent, "silent-7": answering}), bare]


def registered(run: Run, functions: dict[str, Callable[[Any], object]]) -> Call:
    """Return a call of a hook with these implementations, as a run makes it."""
    from openkoi_loader.hooks import HookCaller, Hooks

    found = Hooks(print)
    errors = found.register({name: Implementation(one) for name, one in functions.items()})
    assert not errors, errors[0]
    called = found.called_by(HookCaller(run.emit, lambda: 600.0, print))
    return lambda: called.collect(hooks.before_plan, task=run.task, recall=NOTHING, run=run)


def write_plugin(folder: Path, module: bytearray) -> None:
    """Write a module and its manifest."""
    folder.mkdir()
    (folder / "plugin.toml").write_text(MANIFEST)
    (folder / "answer.wasm").write_bytes(module)


async def wasm_calls(run: Run, stack: AsyncExitStack) -> list[Call]:
    """Return a call of a module's tool, and what wasmtime's own classes do for a fresh instance and its call."""
    from wasmtime import Func, FuncType, Linker, Module, Store, ValType, wat2wasm

    from openkoi_wasm.discovery import WasmPlugins
    from openkoi_wasm.manifest import read_manifest

    written = Path(stack.enter_context(TemporaryDirectory()), "answer")
    write_plugin(written, wat2wasm(MODULE))
    source = await stack.enter_async_context(WasmPlugins(folder=written.with_name("wasm")))
    plugin = source.plugin_of(read_manifest(written / "plugin.toml"), run.koi)
    await plugin.load()
    assert plugin.host.clock
    engine = plugin.host.clock.engine
    linker = Linker(engine)
    linker.define_func("koi", "read", FuncType([ValType.i32()], []), lambda place: None)
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
    return [lambda: plugin.call("tool", fields, run), bare]


async def script_calls(run: Run, stack: AsyncExitStack) -> list[Call]:
    """Return a call of a script's hook, and a line that a child process sends back."""
    from openkoi_scripts.process import ScriptProcesses, refuse_host_call

    processes = ScriptProcesses("style.star", SCRIPT, 1.0)
    stack.push_async_callback(processes.close)
    echo = await asyncio.create_subprocess_exec(sys.executable, "-c", ECHO, stdin=PIPE, stdout=PIPE)
    stack.push_async_callback(echo.wait)
    assert echo.stdin
    stack.callback(echo.stdin.close)
    assert echo.stdout
    line = f"{FACTS}\n".encode()

    async def send() -> None:
        assert echo.stdin
        assert echo.stdout
        echo.stdin.write(line)
        await echo.stdin.drain()
        assert line == await echo.stdout.readline()

    return [lambda: processes.call("before_plan", FACTS, refuse_host_call), send]


def with_modules() -> Turn:
    """Return the calls of a module, after writing those of peers to the contest's folder."""
    from wasmtime import wat2wasm

    for name, text in {"answer": MODULE, "extism": EXTISM_MODULE}.items():
        Path(address(), f"{name}.wasm").write_bytes(wat2wasm(text))
    return timed(wasm_calls)


if __name__ == "__main__":
    take_part(
        {
            "hooks": lambda: timed(hook_calls, logged=1),
            "wasm": with_modules,
            "scripts": lambda: timed(script_calls),
        }
    )
