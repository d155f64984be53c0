"""One instance of a module while it is called: its memory, and its function ``koi_call``.

This calls wasmtime's C interface itself, as the classes of wasmtime do: they describe the type of a function again at
each call, which takes longer than all the rest of a short call (measured: 90 of 320 microseconds, here 10 of 130).
Knows bytes; knows neither JSON nor what they mean.
"""

import ctypes
from ctypes import POINTER, byref
from typing import TYPE_CHECKING, Any

from wasmtime import Store, Trap, TrapCode, WasmtimeError
from wasmtime import _ffi as ffi

if TYPE_CHECKING:
    from wasmtime import Instance

VALUE = ffi.wasmtime_val_t
MEMORY, CALL = b"memory", b"koi_call"
SENTENCES = {
    TrapCode.OUT_OF_FUEL: "exceeded its instruction limit",
    TrapCode.INTERRUPT: "did not answer in time",
    TrapCode.STACK_OVERFLOW: "overflowed its call stack",
    TrapCode.MEMORY_OUT_OF_BOUNDS: "accessed memory that it does not have",
    TrapCode.TABLE_OUT_OF_BOUNDS: "accessed a table entry that does not exist",
    TrapCode.UNREACHABLE: "ended itself (unreachable)",
}


class GuestError(Exception):
    """A module did something forbidden; the message is a clause without a subject, such as "did not answer in time"."""


class Guest:
    """An instance in its own store, used by one thread."""

    def __init__(self, store: Store, instance: "Instance") -> None:
        self.context = store._context()
        self.memory = find_export(self.context, instance, MEMORY).of.memory
        self.function = find_export(self.context, instance, CALL).of.func

    def call(self, length: int) -> int:
        """Call ``koi_call`` with the length of a request; return what it returns, as an unsigned number."""
        argument, result = VALUE(), VALUE()
        argument.kind = ffi.WASMTIME_I32
        argument.of.i32 = length
        trap = POINTER(ffi.wasm_trap_t)()
        error = ffi.wasmtime_func_call(
            self.context, byref(self.function), byref(argument), 1, byref(result), 1, byref(trap)
        )
        if error:
            raise GuestError(str(WasmtimeError._from_ptr(error)))
        if trap:
            raise GuestError(explain_trap(Trap._from_ptr(trap)))
        return int(result.of.i64) & (1 << 64) - 1

    def read(self, start: int, length: int) -> bytes:
        """Return bytes of the memory; raise GuestError for a place outside it."""
        return ctypes.string_at(self.address(start, length), length)

    def write(self, start: int, data: bytes) -> None:
        """Put bytes into the memory; raise GuestError for a place outside it."""
        ctypes.memmove(self.address(start, len(data)), data, len(data))

    def address(self, start: int, length: int) -> int:
        """Return the current address of a place in the memory, which may have grown."""
        size = ffi.wasmtime_memory_data_size(self.context, byref(self.memory))
        if start < 0 or length < 0 or start + length > size:
            raise GuestError(f"referred to {length:,} bytes at {start:,}, outside its memory of {size:,} bytes")
        base = ctypes.cast(ffi.wasmtime_memory_data(self.context, byref(self.memory)), ctypes.c_void_p).value or 0
        return base + start

    def stop(self) -> None:
        """Take all fuel, so that the module ends as soon as it loops or calls a function."""
        ffi.wasmtime_context_set_fuel(self.context, 0)


def find_export(context: Any, instance: "Instance", name: bytes) -> Any:
    """Return an export of an instance; exports were checked before."""
    found = ffi.wasmtime_extern_t()
    if not ffi.wasmtime_instance_export_get(context, byref(instance._instance), name, len(name), byref(found)):
        raise GuestError(f"does not export {name.decode()}")
    return found


def explain_trap(trap: Trap) -> str:
    """Return why a module was stopped, as a clause."""
    code = trap.trap_code
    if code in SENTENCES:
        return SENTENCES[code]
    return f"was stopped: {str(trap).strip().splitlines()[-1].strip()}"
