"""Call a plugin warm, as other plugin systems do: hooks in this process, WASM modules, scripts, tools of a server."""

import asyncio
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.turns import Turn, address, take_part

BATCH, SILENT, SIZE = 5, 20, 13
MOST_SECONDS = 1.5  # of a turn, which slow calls would make long
FACTS = '{"text": "Fix the bill", "category": "code"}'
ANSWER, WASM_ANSWER = ["Be brief: code"], b'{"ok":"fish"}'
STARLARK = 'def before_plan(task):\n    return ["Be brief: " + task["category"]]\n'
LUA = 'function(task) return {"Be brief: " .. task.category} end'
REMOTE = "while True: channel.send(['Be brief: ' + channel.receive()['category']])"
SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("style")
@server.tool()
def before_plan(task: dict) -> str:
    return "Be brief: " + task["category"]
server.run("stdio")
"""


def timed(call: Callable[[], object]) -> Turn:
    """Return a turn that calls in batches, and returns the microseconds of a call of the fastest one."""

    def batch() -> float:
        start = time.perf_counter()
        for _ in range(BATCH):
            call()
        return 1e6 * (time.perf_counter() - start) / BATCH

    def turn(asked: dict[str, int]) -> list[float]:
        end = time.monotonic() + MOST_SECONDS
        return [min(batch() for number in range(asked["batches"]) if not number or time.monotonic() < end)]

    return turn


def by_pluggy() -> Turn:
    """Return a call of a hook that 20 plugins implement without an answer."""
    import pluggy

    spec, implementation = pluggy.HookspecMarker("calls"), pluggy.HookimplMarker("calls")

    class Specification:
        """The hook."""

        @spec
        def before_plan(self, task: object, recall: object, run: object) -> None:
            """Answer before the plan."""

    class Silent:
        """A plugin."""

        @implementation
        def before_plan(self, task: object) -> None:
            """Answer nothing."""

    manager = pluggy.PluginManager("calls")
    manager.add_hookspecs(Specification)
    for number in range(SILENT):
        manager.register(Silent(), f"silent-{number}")
    assert [] == manager.hook.before_plan(task=1, recall=2, run=3)
    return timed(lambda: manager.hook.before_plan(task=1, recall=2, run=3))


def by_blinker() -> Turn:
    """Return a signal with 20 receivers that do not answer."""
    from blinker import Signal

    def made() -> Callable[..., None]:
        return lambda sender, **facts: None

    signal, receivers = Signal(), [made() for _ in range(SILENT)]
    for one in receivers:
        signal.connect(one)
    assert len(receivers) == len(signal.send(None, task=1, recall=2, run=3))
    return timed(lambda: (receivers, signal.send(None, task=1, recall=2, run=3)))


def by_extism() -> Turn:
    """Return a call of a module in one instance, which keeps its memory from call to call."""
    import extism

    plugin = extism.Plugin(Path(address(), "extism.wasm").read_bytes())
    assert plugin.call("run", FACTS) == WASM_ANSWER
    return timed(lambda: plugin.call("run", FACTS))


def by_new_extism() -> Turn:
    """Return a call of a module in an instance of its own, as ours is."""
    import extism
    from extism.extism import CompiledPlugin

    compiled = CompiledPlugin(Path(address(), "extism.wasm").read_bytes(), False, None)
    assert extism.Plugin(compiled).call("run", FACTS) == WASM_ANSWER
    return timed(lambda: extism.Plugin(compiled).call("run", FACTS))


def by_wasm3() -> Turn:
    """Return a call of a module in one instance of an interpreter, without fuel and deadline."""
    import wasm3

    environment = wasm3.Environment()
    runtime = environment.new_runtime(4_096)
    module = environment.parse_module(Path(address(), "answer.wasm").read_bytes())
    runtime.load(module)
    module.link_function("koi", "read", "v(i)", lambda place: None)
    function = runtime.find_function("koi_call")

    def call() -> bytes:
        size = function(SIZE)
        return bytes(runtime.get_memory(0)[:size])

    assert call() == WASM_ANSWER
    return timed(call)


def by_starlark() -> Turn:
    """Return a call of a script of the same language in this process, which can be neither stopped nor limited."""
    import starlark

    module = starlark.Module()
    starlark.eval(module, starlark.parse("style.star", STARLARK), starlark.Globals.standard())
    frozen = module.freeze()
    assert ANSWER == frozen.call("before_plan", json.loads(FACTS))
    return timed(lambda: frozen.call("before_plan", json.loads(FACTS)))


def by_lupa() -> Turn:
    """Return a call of a Lua function in this process, which can be neither stopped nor limited."""
    import lupa

    runtime = lupa.LuaRuntime(register_eval=False)
    function = runtime.eval(LUA)

    def call() -> list[str]:
        return list(function(runtime.table_from(json.loads(FACTS))).values())

    assert call() == ANSWER
    return timed(call)


def by_execnet() -> Turn:
    """Return a message to Python in a child process and its answer, without a sandbox."""
    import execnet

    channel = execnet.makegateway("popen").remote_exec(REMOTE)

    def call() -> object:
        channel.send(json.loads(FACTS))
        return channel.receive()

    assert call() == ANSWER
    return timed(call)


def by_mcp() -> Turn:
    """Return a call of a tool of a server in a child process, by the SDK on both sides; each turn starts a server."""
    from mcp import ClientSession, StdioServerParameters, stdio_client

    async def turn(asked: dict[str, int]) -> list[float]:
        server = StdioServerParameters(command=sys.executable, args=["-c", SERVER])
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            await session.initialize()
            end, best = time.monotonic() + MOST_SECONDS, float("inf")
            while time.monotonic() < end:
                start = time.perf_counter()
                await session.call_tool("before_plan", {"task": json.loads(FACTS)})
                best = min(best, time.perf_counter() - start)
            return [1e6 * best]

    return lambda asked: asyncio.run(turn(asked))


if __name__ == "__main__":
    take_part(
        {
            "pluggy": by_pluggy,
            "blinker": by_blinker,
            "extism": by_extism,
            "extism:new": by_new_extism,
            "pywasm3": by_wasm3,
            "starlark-pyo3": by_starlark,
            "lupa": by_lupa,
            "execnet": by_execnet,
            "mcp": by_mcp,
        }
    )
