"""Build test components in the text format, as a toolchain makes them from a module and the world ``plugin``."""

import json

from wasm_plugins import quoted
from wasmtime import wat2wasm

ANSWER = 16  # where the address and the length of an answer are
TEXT = 1_024
GROWING = """(local $at i32) (local.set $at (global.get $next))
    (global.set $next (i32.add (global.get $next) (local.get 3))) (local.get $at)"""


def component(
    *,
    imports: tuple[str, ...] = (),
    body: str = f"(i32.const {ANSWER})",
    data: str = "",
    realloc: str = GROWING,
    encoding: str = "utf8",
    memory: str = "4",
    kind: str = '(param "request" string) (result string)',
    core: str = "(param i32 i32) (result i32)",
    more: str = "",
    start: str = "",
    functions: str = "",
    given: str = "",
    export: str = "call",
) -> bytes:
    """Return a component; ``body`` is that of its function, which gets the request's address and length."""
    options = f'(memory (core memory $libc "memory")) (realloc (core func $libc "realloc")) string-encoding={encoding}'
    exports = " ".join(f'(export "{one}" (func (param "arguments" string) (result string)))' for one in imports)
    host = f'(import "openkoi:plugin/host@1.0.0" (instance $host {exports}))' if imports else ""
    lowered = "".join(
        f"""(alias export $host "{one}" (func $host_{one}))
        (core func ${one} (canon lower (func $host_{one}) {options}))"""
        for one in imports
    )
    wanted = "".join(f'(import "host" "{one}" (func ${one} (param i32 i32 i32)))' for one in imports)
    given += "".join(f'(export "{one}" (func ${one}))' for one in imports)
    return bytes(
        wat2wasm(f"""(component {host}
        (core module $libc
            (memory (export "memory") {memory}) (global $next (mut i32) (i32.const 65536)) {data}
            (func (export "realloc") (param i32 i32 i32 i32) (result i32) {realloc}))
        (core instance $libc (instantiate $libc))
        {lowered} {functions}
        (core module $main (import "libc" "memory" (memory {memory.split()[0]})) {wanted}
            {more} {start} (func (export "call") {core} {body}))
        (core instance $main (instantiate $main
            (with "libc" (instance $libc)) (with "host" (instance {given}))))
        (func (export "{export}") {kind} (canon lift (core func $main "call") {options})))""")
    )


def answering_component(answer: object) -> bytes:
    """Return a component that always answers this."""
    text = json.dumps({"ok": answer})
    return component(data=data_of(text, len(text.encode())))


def passing_component(function: str) -> bytes:
    """Return a component that passes its request to a host function, and returns the result."""
    calling = f"(call ${function} (local.get 0) (local.get 1) (i32.const {ANSWER})) (i32.const {ANSWER})"
    return component(imports=(function,), body=calling)


def calling_component(function: str, arguments: object) -> bytes:
    """Return a component that calls a host function, and returns the result."""
    text = json.dumps(arguments)
    calling = f"(call ${function} (i32.const {TEXT}) (i32.const {len(text)}) (i32.const {ANSWER})) (i32.const {ANSWER})"
    return component(imports=(function,), body=calling, data=data_of(text, len(text)))


def data_of(text: str, length: int, place: int = TEXT) -> str:
    """Return the data of an answer that is in memory from the start."""
    pair = "".join(f"\\{byte:02x}" for number in (place, length) for byte in number.to_bytes(4, "little"))
    return f'(data (i32.const {ANSWER}) "{pair}") (data (i32.const {TEXT}) {quoted(text)})'
