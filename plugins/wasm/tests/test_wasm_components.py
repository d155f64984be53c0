"""Test components by the command line: texts in, texts out, with the same grants as core modules."""

import re
import subprocess
from pathlib import Path

import pytest
from components import calling_component
from documented_plugins import calling
from test_wasm_example import install
from wasm_plugins import TOOL, pond

from openkoi_wasm import host_functions

ROOT = Path(host_functions.__file__).parent
SOURCE = """
export function cabi_realloc(old: usize, size: usize, align: usize, length: usize): usize {
  return heap.alloc(length);
}
export function call(place: usize, length: usize): usize {
  const answer = String.UTF8.encode('{"ok":"' + String.UTF8.decodeUnsafe(place, length).length.toString() + '"}');
  const pair = heap.alloc(8);
  store<usize>(pair, changetype<usize>(answer));
  store<usize>(pair, answer.byteLength, 4);
  return pair;
}
"""
PACKAGES = ("assemblyscript@0.28.20", "@bytecodealliance/jco-transpile@0.15.0")


def write_component(folder: Path, wasm: bytes, more: str = "") -> Path:
    """Write a plugin that is a component."""
    folder.mkdir()
    (folder / "plugin.toml").write_text(f'[plugin]\nname = "fish"\nabi = "component"\n{TOOL}{more}')
    (folder / "fish.wasm").write_bytes(wasm)
    return folder


@pytest.mark.row("SEC-01", "SEC-07")
def test_a_component_reads_what_it_was_granted_and_nothing_else(tmp_path: Path) -> None:
    openkoi = pond(tmp_path, calling("fish__run"))
    granted = '[capabilities]\nfilesystem = ["read:./docs/*"]\n'
    docs = openkoi.openkoi.folder / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("koi in a file")
    reading = calling_component("read-file", {"path": "docs/a.md"})
    openkoi.add(write_component(tmp_path / "fish", reading, granted), approve=False)
    refused = openkoi("wasm", "call", "fish", "run", status=1)
    openkoi("wasm", "approve", "fish", "--yes")
    openkoi("Do it")
    (docs / "a.md").unlink()
    (docs / "a.md").symlink_to(tmp_path / "fish" / "plugin.toml")
    openkoi("Do it")

    assert "The WASM plugin fish is not approved" in refused
    assert "koi in a file" == openkoi.results[0]
    assert "fish failed: " in openkoi.results[1]


@pytest.mark.unit
def test_the_world_of_components_declares_the_functions_that_there_are() -> None:
    declared = re.findall(
        r"^  ([a-z-]+): func\(arguments: string\) -> string;$", (ROOT / "plugin.wit").read_text(), re.M
    )

    assert [name.replace("_", "-") for name in host_functions.FUNCTIONS] == declared


@pytest.mark.campaign
def test_a_component_is_built_as_documented_by_toolchains_of_npm(tmp_path: Path) -> None:
    openkoi = pond(tmp_path)
    work = openkoi.openkoi.folder
    (work / "index.ts").write_text(SOURCE)
    (work / "plugin.wit").write_text(openkoi("wasm", "docs", "--wit"))
    (script,) = re.findall(r"```js\n(.*?)```", openkoi("wasm", "docs"), re.S)
    (work / "build.mjs").write_text(script)
    (work / "package.json").write_text("{}")
    install(work, *PACKAGES)
    compiling = ["npx", "asc", "index.ts", "--outFile", "core.wasm", "--runtime", "stub", "--use", "abort="]
    for command in (compiling, ["node", "build.mjs"]):
        subprocess.run(command, cwd=work, check=True)
    openkoi.add(write_component(tmp_path / "fish", (work / "my-plugin.wasm").read_bytes()))

    request = '{"method":"tool","tool":"run","arguments":{}}'
    assert f"{len(request)}\n" == openkoi("wasm", "call", "fish", "run")
