"""Call a component, which has up to 16 MiB of memory: texts in, texts out, as the world of ``plugin.wit`` declares.

This calls wasmtime's C interface itself where a component passes a text: the classes of wasmtime copy a text twice
before its length can be checked.
"""

import ctypes
import threading
from collections.abc import Iterator, Mapping
from ctypes import POINTER, byref, c_uint8
from typing import Any

from wasmtime import Engine, Store, TrapCode, WasmtimeError
from wasmtime import _ffi as ffi
from wasmtime.component import Component, ComponentInstanceType, FuncType, Linker, String

from openkoi_hookspecs import ConfigError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .active_call import ActiveCall
from .compiled_module import CompiledModule, HostFunction, perform
from .engine import EngineClock
from .guest import SENTENCES, GuestError
from .limits import MIB

HOST, CALL = "openkoi:plugin/host@1.0.0", "call"
MAX_MEMORY = 16 * MIB  # a text is three times in the memory of OpenKoi, and no deadline stops its conversion
MAX_INSTANCES = 16  # core instances; a toolchain makes four of one module
VALUE = ffi.wasmtime_component_val_t
REASONS = {
    "all fuel consumed": TrapCode.OUT_OF_FUEL,
    "wasm trap: interrupt": TrapCode.INTERRUPT,
    "call stack exhausted": TrapCode.STACK_OVERFLOW,
    "out of bounds memory access": TrapCode.MEMORY_OUT_OF_BOUNDS,
    "undefined element": TrapCode.TABLE_OUT_OF_BOUNDS,
    "`unreachable`": TrapCode.UNREACHABLE,
}


@dataclass(frozen=True, slots=True)
class PreparedComponent:
    """A component with the functions that it may call. ``callbacks`` are kept for as long as it may call them."""

    instances = MAX_INSTANCES
    may_run_at_once = False
    max_memory = MAX_MEMORY
    component: Component
    linker: Linker
    callbacks: tuple[object, ...]

    def start(self, store: Store) -> "ComponentGuest":
        """Return an instance."""
        try:
            instance = self.linker.instantiate(store, self.component)
        except WasmtimeError as error:
            reason = explain_error(error)
            raise GuestError(reason if reason in SENTENCES.values() else f"cannot be started: {reason}") from None
        function = instance.get_func(store, CALL)
        assert function  # what a component exports was checked before
        return ComponentGuest(store._context(), function._func)

    def close(self) -> None:
        """Free it."""
        self.linker.close()
        self.component.close()


@dataclass(frozen=True, slots=True)
class ComponentGuest:
    """An instance that answers requests."""

    context: Any
    function: Any

    def answer(self, request: bytes, call: ActiveCall) -> bytes:
        """Return the text that ``call`` returns."""
        argument, result = VALUE(), VALUE()
        put_text(argument, request)
        try:
            error = ffi.wasmtime_component_func_call(
                byref(self.function), self.context, byref(argument), 1, byref(result), 1
            )
        finally:
            ffi.wasmtime_component_val_delete(byref(argument))
        if error:
            raise GuestError(explain_error(WasmtimeError._from_ptr(error)))
        try:
            if (size := result.of.string.size) > call.limits.output:
                raise GuestError(f"returned {size:,} bytes; the limit is {call.limits.output:,}")
            return read_text(result)
        finally:
            ffi.wasmtime_component_val_delete(byref(result))

    def stop(self) -> None:
        """Take all fuel."""
        ffi.wasmtime_context_set_fuel(self.context, 0)


def link_component(clock: EngineClock, component: Component, functions: Mapping[str, HostFunction]) -> CompiledModule:
    """Return a component that can call these functions, and no others."""
    local = threading.local()
    linker = Linker(clock.engine)
    callbacks = []
    with linker.root() as root, root.add_instance(HOST) as host:
        for name, function in functions.items():
            callbacks.append(host_caller(local, function))
            define_function(host, kebab(name), callbacks[-1])
    return CompiledModule(clock, PreparedComponent(component, linker, tuple(callbacks)), local)


def define_function(host: Any, name: str, callback: Any) -> None:
    """Add a function to an instance of a linker."""
    encoded = name.encode()
    ours = ctypes.CFUNCTYPE(None, ctypes.c_void_p)()
    error = ffi.wasmtime_component_linker_instance_add_func(host.ptr(), encoded, len(encoded), callback, None, ours)
    if error:
        raise WasmtimeError._from_ptr(error)


def host_caller(local: threading.local, function: HostFunction) -> Any:
    """Return what a component calls; it never raises, and returns an error of wasmtime when the call has to end."""

    def invoke(_data: Any, _context: Any, _type: Any, given: Any, _count: Any, results: Any, _results: Any) -> Any:
        call: ActiveCall = local.call
        answer = perform(call, function, given[0].of.string.size, lambda: read_text(given[0]))
        if call.failure:
            return ctypes.cast(WasmtimeError(call.failure)._consume(), ctypes.c_void_p).value
        put_text(results[0], answer)
        return 0

    return ffi.wasmtime_component_func_callback_t(invoke)


def put_text(value: Any, text: bytes) -> None:
    """Set a value to a copy of a text."""
    value.kind = ffi.WASMTIME_COMPONENT_STRING
    ffi.wasm_byte_vec_new(byref(value.of.string), len(text), ctypes.cast(ctypes.c_char_p(text), POINTER(c_uint8)))


def read_text(value: Any) -> bytes:
    """Return a text."""
    return ctypes.string_at(value.of.string.data, value.of.string.size)


def kebab(name: str) -> str:
    """Return a name as components write it."""
    return name.replace("_", "-")


def check_component(component: Component, engine: Engine, functions: Mapping[str, str]) -> None:
    """Raise ConfigError for a component that cannot be called; ``functions`` are as for a core module."""
    for problem in (*import_problems(component, engine, functions), *export_problems(component, engine)):
        raise ConfigError(f"The component cannot be used: {problem}.")


def import_problems(component: Component, engine: Engine, functions: Mapping[str, str]) -> Iterator[str]:
    """Yield the errors in the imports."""
    known = {kebab(name): need for name, need in functions.items()}
    for name, one in component.type.imports(engine).items():
        if name != HOST or not isinstance(one.ty, ComponentInstanceType):
            yield f"it imports {name}, which OpenKoi does not provide. It may import only {HOST}, not WASI"
            continue
        for function, kind in one.ty.exports(engine).items():
            if function not in known:
                yield f"it imports {function} of {name}. Available: {', '.join(known)}"
            elif known[function]:
                yield f"it imports {function}, which needs {known[function]} in its manifest"
            elif not is_text_function(kind.ty):
                yield f"{function} must be imported as func(arguments: string) -> string"


def export_problems(component: Component, engine: Engine) -> Iterator[str]:
    """Yield the errors in the exports."""
    found = component.type.exports(engine).get(CALL)
    if found is None or not is_text_function(found.ty):
        yield "it does not export a function call(request: string) -> string"


def is_text_function(kind: object) -> bool:
    """Whether a type is that of a function from one text to another."""
    if not isinstance(kind, FuncType):
        return False
    return [type(one) for _, one in kind.params] == [String] and isinstance(kind.result, String)


def explain_error(error: WasmtimeError) -> str:
    """Return why a component was stopped, as a clause."""
    text = str(error).strip()
    for words, code in REASONS.items():
        if words in text:
            return SENTENCES[code]
    return f"was stopped: {text.splitlines()[-1].strip()}"
