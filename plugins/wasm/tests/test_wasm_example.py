"""Test a newcomer's path: write a plugin, build it with a toolchain of a registry, test, add, approve and run it."""

import shutil
import subprocess
from pathlib import Path

import pytest
from documented_plugins import calling
from wasm_plugins import pond

EXAMPLE = Path(__file__).parents[3] / "examples" / "wasm_plugin"
SOURCES = (".gitignore", "README.md", "package.json", "plugin.toml", "assembly/index.ts", "assembly/koi.ts")


def build(folder: Path) -> None:
    """Build a plugin as its README says."""
    install(folder)
    built = subprocess.run(["npm", "run", "build"], cwd=folder, capture_output=True, text=True)
    assert 0 == built.returncode, built.stdout + built.stderr


def install(folder: Path, *packages: str) -> None:
    """Install npm packages; skip the test without npm or a reachable registry."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    command = ["npm", "install", "--no-audit", "--no-fund", *packages]
    installed = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if installed.returncode and "ENOTFOUND" in installed.stderr:
        pytest.skip("no registry of npm can be reached")
    assert 0 == installed.returncode, installed.stderr


def test_what_is_written_for_a_newcomer_is_built_approved_and_called_by_a_model(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, calling("word_count__count", text='one "fish",\ntwo\bf\u00efsh'))
    openkoi("plugin", "new", "wasm", "word-count")
    made = openkoi.openkoi.folder / "word-count"
    assert {name: (EXAMPLE / name).read_text() for name in SOURCES} == {
        name: (made / name).read_text() for name in SOURCES
    }
    build(made)
    certified = openkoi("plugin", "certify", "word-count")
    openkoi.add(made)
    called = openkoi("wasm", "call", "word-count", "count", '{"text": "a b"}')
    openkoi("Do it")

    assert "word-count: ok" in certified
    assert "2 words\n" == called
    assert ["4 words"] == openkoi.results
