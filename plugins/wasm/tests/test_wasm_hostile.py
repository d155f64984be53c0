"""Test hostile modules: the host survives, within time and memory, and nothing outside the grants is accessed."""

import asyncio
import os
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from time import monotonic, process_time

import pytest
from hostile_modules import Hostile, bomb, hostile_modules
from wasm_plugins import TOOL
from wasmtime import WasmtimeError

from openkoi_base.files import private_folder
from openkoi_hookspecs import ConfigError, KoiError, Run
from openkoi_testing import make_run
from openkoi_wasm.compiler import cache_key, keep, load_module
from openkoi_wasm.discovery import WasmPlugins
from openkoi_wasm.engine import compiled_class, create_engine
from openkoi_wasm.manifest import read_manifest
from openkoi_wasm.plugin import WasmPlugin

SECONDS = 0.2
SLOW_MACHINE = 0.5  # seconds of a processor, whose caches others use as well
HANGING = 60.0
GROWTH = 200 << 20
SECRET = "the secret of the pond"


@pytest.fixture(name="workspace")
def make_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a workspace beside secrets, with links that lead to them."""
    home, root = tmp_path / "home", tmp_path / "root"
    for folder in (home / "notes", root / "docs", root / ".git"):
        folder.mkdir(parents=True)
    for file in (tmp_path / "secret.md", home / "secret.md", root / "a.md", root / ".git" / "config"):
        file.write_text(SECRET)
    (root / "docs" / "a.md").write_text("fish")
    links = {
        "out.md": tmp_path / "secret.md",
        "outside": tmp_path,
        "null": Path(os.devnull),
        "loop": root / "docs" / "loop",
    }
    for name, target in links.items():
        (root / "docs" / name).symlink_to(target)
    if hasattr(os, "mkfifo"):
        os.mkfifo(root / "docs" / "pipe")
    monkeypatch.setenv("HOME", str(home))
    return root


def contents(folder: Path) -> dict[str, str]:
    """Return the files below a folder with hashes of their content, and links with their targets."""
    return {str(path): describe(path) for path in folder.rglob("*")}


def describe(path: Path) -> str:
    if path.is_symlink():
        return str(path.readlink())
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else "other"


def write_hostile(folder: Path, one: Hostile) -> Path:
    """Write a hostile plugin; return its manifest."""
    folder.mkdir(parents=True)
    (folder / "fish.wasm").write_bytes(one.wasm)
    head = f'[plugin]\nname = "fish"\nabi = "{one.abi}"\n[limits]\nseconds = {SECONDS}\n'
    (folder / "plugin.toml").write_text(f"{head}[capabilities]\n{one.capabilities}\n{TOOL}")
    return folder / "plugin.toml"


class PeakMemory:
    """The peak memory of this process since the last call, if the system reports it."""

    def __init__(self) -> None:
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
        self.before = self.peak

    @property
    def peak(self) -> int:
        status = Path("/proc/self/status")
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.exists() else None
        return int(found[1]) * 1024 if found else 0

    @property
    def growth(self) -> int:
        return self.peak - self.before


async def attack(plugin: WasmPlugin, one: Hostile, run: Run) -> tuple[str, float]:
    """Load and call a plugin; return its error or answer, and the processor time of the call."""
    try:
        await plugin.load()
    except KoiError as error:
        return str(error), 0.0
    began, used = monotonic(), process_time()
    try:
        text = f"answered {await plugin.call('tool', one.fields, run)!r}"
    except KoiError as error:
        text = str(error)
    return text, process_time() - used if monotonic() - began < HANGING else HANGING


async def try_one(one: Hostile, folder: Path, run: Run, source: WasmPlugins) -> str:
    """Return what went wrong with a hostile module; empty if it was contained."""
    try:
        plugin = source.plugin_of(read_manifest(write_hostile(folder, one)), run.koi)
        keep_compiled(one.wasm, source)
        text, seconds = await attack(plugin, one, run)
    except ConfigError as error:
        text, seconds = str(error), 0.0
    fits = re.search(one.error, text) if one.error else text == "answered 1"
    fits = fits or "did not answer in time" in text  # what a busy machine may say of any of them
    contained = fits and seconds < 2 * SECONDS + SLOW_MACHINE and SECRET not in text
    return "" if contained else f"{one.name}: {seconds:.2f} s, {text[:200]}"


def keep_compiled(wasm: bytes, source: WasmPlugins) -> None:
    """Cache a valid module as the child would, which takes a quarter of a second to start."""
    assert source.host
    with suppress(WasmtimeError):
        keep(
            source.host.folder / f"{cache_key(wasm)}.compiled",
            bytes(compiled_class(wasm)(create_engine(), wasm).serialize()),
        )


async def attack_all(workspace: Path, folder: Path) -> tuple[list[str], int, int]:
    """Return what went wrong, how many modules were tried, and how much memory the process took."""
    modules = [*hostile_modules()]
    memory = PeakMemory()
    source = WasmPlugins(folder=private_folder(folder / "plugins" / "wasm"))
    async with make_run(workspace) as run, source:
        wrong = [await try_one(one, folder / f"m{n}", run, source) for n, one in enumerate(modules)]
    return [*filter(None, wrong)], len(modules), memory.growth


def test_hostile_modules_are_contained_in_time_and_memory_and_reach_nothing(workspace: Path, tmp_path: Path) -> None:
    outside = [workspace, workspace.parent / "home"]
    before = [contents(one) for one in outside]
    wrong, tried, growth = asyncio.run(attack_all(workspace, tmp_path / "own"))

    assert [] == wrong
    assert tried >= 40
    assert growth < GROWTH
    assert before == [contents(one) for one in outside]
    assert not (tmp_path / "new").exists()


def test_a_module_that_takes_long_to_compile_costs_a_child_its_time(tmp_path: Path) -> None:
    folder = private_folder(tmp_path / "compiled")
    used = os.times().children_user
    with pytest.raises(KoiError, match="took more than 1 s or too much memory"):
        asyncio.run(load_module(create_engine(), bomb(40_000), folder, seconds=1))

    assert os.times().children_user - used < 10
    assert [] == [*folder.iterdir()]
