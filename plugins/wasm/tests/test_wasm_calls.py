"""Test calls of modules: concurrent, cancelled and in turn; the compilation cache; and manifest errors."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic

import pytest
from documented_plugins import calling
from wasm_plugins import TOOL, answering, calling_host, module, passing_request, pond, write_plugin

from openkoi_base.grants import read_capabilities
from openkoi_hookspecs import ConfigError, KoiError, Run
from openkoi_testing import make_run
from openkoi_wasm.discovery import WasmPlugins
from openkoi_wasm.events import MessageLogged
from openkoi_wasm.granted_files import GrantedFiles
from openkoi_wasm.manifest import read_manifest
from openkoi_wasm.plugin import WasmPlugin

SPIN = module(body="(loop $again (br $again)) (i64.const 0)")
COUNTING = module(
    data={0: '{"ok":0}'},
    body="(i32.store8 (i32.const 6) (i32.add (i32.load8_u (i32.const 6)) (i32.const 1))) (i64.const 8)",
)


@asynccontextmanager
async def plugins(folder: Path, **modules: str) -> AsyncIterator[tuple[Run, list[WasmPlugin]]]:
    """Yield a run, and a plugin for each module."""
    made = [write_plugin(folder / "made", wat, name=name) / "plugin.toml" for name, wat in modules.items()]
    async with make_run(folder) as run, WasmPlugins(folder=folder / "wasm") as source:
        found = [source.plugin_of(read_manifest(one), run.koi) for one in made]
        for one in found:
            await one.load()
        yield run, found


def test_cancelled_calls_end_at_once_and_their_answers_reach_nothing(tmp_path: Path) -> None:
    async def work() -> tuple[object, float]:
        async with plugins(tmp_path, spin=SPIN, fish=answering("42 fish")) as (run, (spin, fish)):
            calls = [asyncio.create_task(spin.call("tool", {}, run)) for _ in range(3)]  # more than run at once
            await asyncio.sleep(0.1)
            for one in calls:
                one.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
            began = monotonic()
            return await fish.call("tool", {}, run), monotonic() - began

    answered, seconds = asyncio.run(work())

    assert "42 fish" == answered
    assert seconds < 2  # the cancelled calls had 5


def test_leaving_openkoi_stops_calls_under_way(tmp_path: Path) -> None:
    async def work() -> float:
        async with plugins(tmp_path, spin=SPIN) as (run, (spin,)):
            call = asyncio.create_task(spin.call("tool", {}, run))
            await asyncio.sleep(0.1)
            began = monotonic()
        await asyncio.gather(call, return_exceptions=True)
        return monotonic() - began

    assert asyncio.run(work()) < 2


def test_each_call_starts_afresh_and_many_at_once_get_their_own_answers(tmp_path: Path) -> None:
    async def work() -> tuple[list[object], list[object]]:
        async with plugins(tmp_path, counting=COUNTING, echo=passing_request("log")) as (run, (counting, echo)):
            counted = await asyncio.gather(*(counting.call("tool", {}, run) for _ in range(20)))
            logged = await asyncio.gather(*(echo.call("tool", {"text": "koi"}, run) for _ in range(20)))
            return counted, logged

    assert ([1] * 20, [None] * 20) == asyncio.run(work())


def test_what_a_module_does_is_done_once_and_one_that_takes_long_holds_nothing_up(tmp_path: Path) -> None:
    async def work() -> tuple[int, int]:
        async with plugins(tmp_path, echo=passing_request("log"), spin=SPIN) as (run, (echo, spin)):
            logged: list[object] = []
            stop = run.koi.listen(lambda record: logged.append(record.event))
            for _ in range(5):
                await echo.call("tool", {"text": "koi"}, run)
            stop()
            spinning = asyncio.create_task(spin.call("tool", {}, run))
            turns = 0
            while not spinning.done() and turns < 50:
                turns += 1
                await asyncio.sleep(0)
            spinning.cancel()
            await asyncio.gather(spinning, return_exceptions=True)
            return [isinstance(one, MessageLogged) for one in logged].count(True), turns

    assert (5, 50) == asyncio.run(work())


FORGED = "\x1b[2J\x07half\r\n[done] 1 iteration\u202e"


@pytest.mark.parametrize(
    "wat",
    [
        calling_host("log", {"text": FORGED}),
        module(data={0: json.dumps({"error": FORGED})}, body=f"(i64.const {len(json.dumps({'error': FORGED}))})"),
        answering(f"{FORGED}\ud800"),
    ],
)
def test_what_a_module_says_looks_like_no_line_of_openkoi(tmp_path: Path, wat: str) -> None:
    openkoi = pond(tmp_path, calling("fish__run")).add(write_plugin(tmp_path / "made", wat))
    said = openkoi("Do it")
    called = openkoi.openkoi("wasm", "call", "fish", "run")

    lines = [*said.split("\n"), *called.stderr.split("\n")]
    assert [] == [line for line in (*lines, *called.stdout.split("\n")) if not line.isprintable()]
    assert 1 == len([line for line in lines if line.startswith("[done] 1 iteration")])
    assert "internal error" not in called.stderr


def test_a_compiled_module_is_kept_and_a_damaged_one_is_compiled_again(tmp_path: Path) -> None:
    async def work() -> object:
        async with plugins(tmp_path, fish=answering("42 fish")) as (run, (fish,)):
            return await fish.call("tool", {}, run)

    first = asyncio.run(work())
    (kept,) = (tmp_path / "wasm-compiled").iterdir()
    before = kept.read_bytes()
    kept.write_bytes(before[:-1] + bytes([before[-1] ^ 1]))
    second = asyncio.run(work())

    assert ("42 fish", "42 fish") == (first, second)
    assert kept.read_bytes()[:32] == before[:32]
    assert 0o600 == kept.stat().st_mode & 0o777


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (f"a = {'[' * 100_000}", "cannot be read: maximum recursion depth exceeded"),
        ("[[tool]]\n", "the manifest has the unknown key 'tool'. Use plugin, capabilities, limits, tools"),
        ('[[tools]]\nname = "a b"\ndescription = "x"\n', "'a b' is not the name of a tool"),
        ('[[tools]]\nname = "a"\n', "description is missing"),
        (TOOL.replace("reads", "read"), "effect = 'read' of the tool run is unknown. Use reads, writes,"),
        ('[hooks]\nnames = ["before_plam"]\n', "'before_plam' in [hooks] is not the name of a hook. Did you mean"),
        (f"{TOOL}[limits]\nseconds = 900\n", "seconds must be a number above 0 and up to 30"),
        (f"{TOOL}[limits]\nmemory_mib = 65\n", "memory_mib must be a number above 0 and up to 64"),
        (f'{TOOL}[capabilities]\nfiles = ["/"]\n', "[capabilities] has the unknown key 'files'"),
        (f'{TOOL}[capabilities]\nfilesystem = ["read:docs/**"]\n', "is not a file grant"),
        (f'{TOOL}[capabilities]\ntools = "x"\n', "tools must be a list of single-line strings"),
        (TOOL.replace("Run it", "Run\u200b it"), "it contains the invisible character U+200B"),
        (TOOL.replace("Run it", "Run\ufe01 it"), "it contains the invisible character U+FE01"),
        (TOOL.replace("Run it", "Run\u3164 it"), "it contains the invisible character U+3164"),
        ('module = "a\\nb.wasm"\n' + TOOL, "module must be one line"),
        ('[capabilities]\ntools = ["a\\nb"]\n' + TOOL, "tools must be a list of single-line strings"),
        ("", "it provides nothing. Add [[tools]], [hooks], [evaluator] or [[provider.models]]"),
        ('[evaluator]\njudges = "yes"\n', "judges must be true or false"),
        ("[[", "plugin.toml cannot be read: "),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_manifest_is_said_with_its_file(tmp_path: Path, text: str, error: str) -> None:
    file = write_plugin(tmp_path, answering("x"), text) / "plugin.toml"
    with pytest.raises(ConfigError) as raised:
        read_manifest(file)

    assert str(raised.value).startswith(str(file))
    assert error in str(raised.value)


@pytest.mark.row("C5")
def test_plugins_are_found_where_the_configuration_names_them_before_the_data_folder(tmp_path: Path) -> None:
    data, mine, named = tmp_path / "data", tmp_path / "mine", tmp_path / "named"
    for parent, version in ((data, "1"), (mine, "2")):
        write_plugin(parent, answering("x"), name="fish", version=version)
    write_plugin(named, answering("x"), name="carp")
    (data / "broken").mkdir()
    (data / "broken" / "plugin.toml").write_text("[plugin]\n")

    async def work() -> tuple[list[tuple[str, str]], list[str]]:
        paths = [str(mine / "fish"), str(named / "carp" / "carp.wasm"), str(tmp_path / "missing")]
        async with make_run(tmp_path) as run, WasmPlugins(paths=paths, folder=data) as source:
            found = [(one.name, one.version) for one in source.find(run.koi)]
            texts = [entry.name for entry in source.discover(run.koi, tmp_path)]
            assert [name for name, _ in found] == texts
            return found, [*run.koi.warnings()]

    found, warnings = asyncio.run(work())

    assert [("fish", "2"), ("carp", "1.0")] == found
    assert 3 == len(warnings)
    assert "both define the WASM plugin fish; the first is used" in "\n".join(warnings)
    assert f"{tmp_path / 'missing'}, which has no manifest" in "\n".join(warnings)
    assert "broken/plugin.toml: name is missing" in "\n".join(warnings)


@pytest.mark.parametrize(
    "path",
    [
        ".mcp.json",
        ".husky/pre-commit",
        ".claude/settings.json",
        "docs/.MCP.json",
    ],
)
def test_no_module_writes_what_other_programs_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    root = tmp_path / "home" / "project"
    root.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    files = GrantedFiles(read_capabilities({"filesystem": ["write:~/**"]}, tmp_path), root)

    with pytest.raises(KoiError, match="may not be written, because other programs could run its content"):
        files.write(path, b"x")
    files.write("docs/a.md", b"42 fish")
    assert "42 fish" == (root / "docs" / "a.md").read_text()
