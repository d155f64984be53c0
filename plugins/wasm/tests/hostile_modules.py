"""Build modules that try to harm their host, each with the expected error."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from components import answering_component, passing_component
from hostile_components import hostile_components
from wasm_plugins import passing_request, returning_nothing
from wasmtime import wat2wasm

LISTED = tomllib.loads(Path(__file__).with_name("hostile.toml").read_text())
FILES = 'filesystem = ["readwrite:./docs/**", "read:~/notes/*.md"]'
ODD_PATHS = ("docs/\ud800", "d" * 5_000)  # which TOML cannot write


@dataclass(frozen=True, slots=True)
class Hostile:
    """A module, and a pattern of the expected error; with an empty one, the module is harmless and answers 1.

    ``fields`` are those of the request that it is called with.
    """

    name: str
    wasm: bytes
    error: str = ""
    capabilities: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    abi: str = "core"


def hostile_modules() -> Iterator[Hostile]:
    """Yield all of them."""
    for one in LISTED["module"]:
        wasm = bytes(wat2wasm(one["wat"]))
        yield Hostile(one["name"], wasm, one.get("error", ""), one.get("capabilities", ""))
    valid = bytes(wat2wasm(returning_nothing()))
    yield Hostile("a text", b"hello", "is not valid")
    yield Hostile("half a module", valid[:-9], "is not valid")
    yield Hostile("a module with another byte", valid.replace(b"\x0b", b"\xff", 1), "is not valid")
    yield Hostile("a module of 3 MiB", bytes(3 << 20), "is larger than 2 MiB")
    yield Hostile("a component that is declared as a core module", answering_component(1), 'Write abi = "component"')
    yield Hostile("a core module that is declared as a component", valid, 'Write abi = "core"', abi="component")
    for name, wasm, error in hostile_components():
        yield Hostile(f"component: {name}", wasm, error, abi="component")
    yield from path_escapes()


def path_escapes() -> Iterator[Hostile]:
    """Yield one module for each path that was not granted: it passes its request on to a host function."""
    reading, writing = (bytes(wat2wasm(passing_request(one))) for one in ("read_file", "write_file"))
    for path in (*LISTED["paths"]["read"], *ODD_PATHS):
        yield Hostile(f"reading {path[:40]!r}", reading, "failed: ", FILES, {"path": path})
        name = f"component: reading {path[:40]!r}"
        yield Hostile(name, passing_component("read-file"), "failed: ", FILES, {"path": path}, "component")
    for path in (*LISTED["paths"]["write"], f"docs/{'a/' * 150}x"):
        yield Hostile(f"writing {path[:40]!r}", writing, "failed: ", FILES, {"path": path, "text": "planted"})


def bomb(blocks: int) -> bytes:
    """Return a valid module of one long function, which takes long to compile: 1.7 s for 20,000 blocks."""
    block = "(block (br_if 0 (local.get $a)) (local.set $a (i32.add (local.get $a) (local.get 0))))"
    text = f"(func (param i32) (local $a i32) {block * blocks})"
    return bytes(wat2wasm(returning_nothing().removesuffix(")") + text + ")"))
