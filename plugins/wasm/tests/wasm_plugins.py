"""Build test plugins: modules in the text format of WebAssembly, and command lines with them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli_process import Shell
from documented_plugins import BASE, DONE, LEAN, configure, results_of, shell_with, turn
from wasmtime import wat2wasm

TOOL = '[[tools]]\nname = "run"\ndescription = "Run it."\neffect = "reads"\n'
REQUEST, ANSWER = 65_536, 131_072  # where modules of tests keep a request, and what a host function answered


def answering(answer: object) -> str:
    """Return a module that always answers this."""
    return module(data={0: json.dumps({"ok": answer})}, body=f"(i64.const {len(json.dumps({'ok': answer}))})")


def calling_host(function: str, arguments: object) -> str:
    """Return a module that calls a host function, and returns the result: ``{"ok": ...}`` or an error."""
    text = json.dumps(arguments)
    return module(
        imports=(function,),
        data={0: text},
        body=f"""(local $length i32)
            (local.set $length (call ${function} (i32.const 0) (i32.const {len(text.encode())})))
            (call $read (i32.const {ANSWER}))
            (i64.or (i64.shl (i64.const {ANSWER}) (i64.const 32)) (i64.extend_i32_u (local.get $length)))""",
    )


def passing_request(function: str) -> str:
    """Return a module that passes its request to a host function, and returns the result."""
    return module(
        imports=(function,),
        body=f"""(local $length i32)
            (call $read (i32.const {REQUEST}))
            (local.set $length (call ${function} (i32.const {REQUEST}) (local.get $request)))
            (call $read (i32.const {ANSWER}))
            (i64.or (i64.shl (i64.const {ANSWER}) (i64.const 32)) (i64.extend_i32_u (local.get $length)))""",
    )


def returning_nothing() -> str:
    """Return a module that answers no bytes."""
    return module()


def module(
    *, imports: tuple[str, ...] = (), data: Mapping[int, str] | None = None, body: str = "(i64.const 0)", more: str = ""
) -> str:
    """Return a module in the text format: ``body`` is that of ``koi_call``, whose parameter is ``$request``."""
    functions = "".join(
        f'(import "koi" "{one}" (func ${one} (param i32 i32) (result i32)))\n' for one in dict.fromkeys(imports)
    )
    texts = "".join(f"(data (i32.const {place}) {quoted(text)})\n" for place, text in (data or {}).items())
    return f"""(module
        (import "koi" "read" (func $read (param i32)))
        {functions} (memory (export "memory") 4) {texts} {more}
        (func (export "koi_call") (param $request i32) (result i64) {body}))"""


def quoted(text: str) -> str:
    """Return a text as the format writes it."""
    return '"' + "".join(f"\\{byte:02x}" for byte in text.encode("utf-8", "surrogatepass")) + '"'


def write_plugin(parent: Path, wat: str, manifest: str = TOOL, name: str = "fish", version: str = "1.0") -> Path:
    """Write a plugin's folder."""
    folder = parent / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plugin.toml").write_text(f'[plugin]\nname = "{name}"\nversion = "{version}"\n{manifest}')
    (folder / f"{name}.wasm").write_bytes(wat2wasm(wat))
    return folder


@dataclass(frozen=True, slots=True)
class Pond:
    """A command line with WASM plugins, and a model that calls their tools."""

    openkoi: Shell

    def __call__(self, *arguments: str, status: int = 0) -> str:
        """Run the command line; return its output."""
        result = self.openkoi(*arguments)
        assert status == result.returncode, result.stdout + result.stderr
        return result.stdout + result.stderr

    def add(self, folder: Path, *, approve: bool = True) -> "Pond":
        """Add a plugin, and approve it."""
        self("wasm", "add", str(folder))
        if approve:
            self("wasm", "approve", folder.name, "--yes")
        return self

    @property
    def results(self) -> list[str]:
        """The results of tools, in the order of the log."""
        return results_of(self.openkoi)


def pond(folder: Path, *calls: str, turns: str = DONE, **settings: Any) -> Pond:
    """Return a command line where the model makes these calls at once and then is done."""
    first = turn(*calls, when="contains: Do it, after: 0") if calls else ""
    openkoi = shell_with(folder, turns=first + turns)
    configure(openkoi, BASE, LEAN, settings)
    return Pond(openkoi)
