"""Check a module's imports and exports, and refuse one that does not fit, with the reason."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from openkoi_hookspecs import ConfigError

from .limits import MIB, CallLimits

if TYPE_CHECKING:
    from wasmtime import Module

NAMESPACE, READ = "koi", "read"
PAGE = 65_536  # bytes of a memory page in WebAssembly
WASI = "wasi_"
FROM_WASI = "it imports {0} of {1}. OpenKoi does not support WASI: build for wasm32-unknown-unknown, or its equivalent"


def check_module(module: "Module", functions: Mapping[str, str], limits: CallLimits) -> None:
    """Raise ConfigError for a module that cannot be called; ``functions`` are those of OpenKoi, each with its need.

    A need is what a manifest must ask for to be granted a function; it is empty for one that is granted.
    """
    for problem in (*import_problems(module, functions), *export_problems(module, limits)):
        raise ConfigError(f"The module cannot be used: {problem}.")


def import_problems(module: "Module", functions: Mapping[str, str]) -> Iterator[str]:
    """Yield the errors in the imports."""
    for one in module.imports:
        name = one.name or ""
        if one.module.startswith(WASI):
            yield FROM_WASI.format(name, one.module)
        elif one.module != NAMESPACE or name not in {READ, *functions}:
            known = ", ".join((READ, *functions))
            yield f"it imports {name} of {one.module}, which OpenKoi does not provide. {NAMESPACE!r} has {known}"
        elif need := functions.get(name, ""):
            yield f"it imports {name}, which needs {need} in its manifest"
        elif signature_of(one.type) != (["i32"] if name == READ else ["i32", "i32"], [] if name == READ else ["i32"]):
            yield f"{name} must be imported as ({'i32' if name == READ else 'i32, i32) -> (i32'})"


def export_problems(module: "Module", limits: CallLimits) -> Iterator[str]:
    """Yield the errors in the exports."""
    from wasmtime import MemoryType

    exports = {one.name: one.type for one in module.exports}
    memory = exports.get("memory")
    if not isinstance(memory, MemoryType):
        yield "it does not export its memory as `memory`"
    elif memory.limits.min * PAGE > limits.memory:
        yield f"it starts with {memory.limits.min * PAGE // MIB} MiB of memory; the limit is {limits.memory // MIB} MiB"
    if signature_of(exports.get("koi_call")) != (["i32"], ["i64"]):
        yield "it does not export a function koi_call(i32) -> i64"


def signature_of(kind: object) -> tuple[list[str], list[str]] | None:
    """Return the parameters and results of a function's type; None for any other type."""
    from wasmtime import FuncType

    if not isinstance(kind, FuncType):
        return None
    return [str(one) for one in kind.params], [str(one) for one in kind.results]
