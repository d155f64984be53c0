"""Call a core module: it points to bytes in its memory, and copies pending results with ``koi.read``.

The result of a host function stays in ``pending`` until the module copies it.
"""

import threading
from collections.abc import Callable, Mapping

from wasmtime import FuncType, InstancePre, Linker, Module, Store, Trap, ValType, WasmtimeError

from openkoi_hookspecs.lazy_dataclass import dataclass

from .active_call import ActiveCall
from .compiled_module import CompiledModule, HostFunction, fail, first_line, perform, running
from .engine import EngineClock
from .guest import Guest, GuestError, explain_trap
from .limits import MAX_MEMORY_MIB, MIB
from .module_check import NAMESPACE, READ


@dataclass(frozen=True, slots=True)
class PreparedModule:
    """A core module with the functions that it may call."""

    instances = 1
    may_run_at_once = True
    max_memory = MAX_MEMORY_MIB * MIB
    prepared: InstancePre

    def start(self, store: Store) -> "CoreGuest":
        """Return an instance; its start function has run then, which can call no host function."""
        try:
            return CoreGuest(store, self.prepared.instantiate(store))
        except Trap as trap:
            raise GuestError(explain_trap(trap)) from None
        except WasmtimeError as error:
            raise GuestError(f"cannot be started: {first_line(error)}") from None

    def close(self) -> None:
        """Free it."""
        self.prepared.close()


class CoreGuest(Guest):
    """An instance that answers requests."""

    def answer(self, request: bytes, call: ActiveCall) -> bytes:
        """Return the bytes that ``koi_call`` points to: the place is in the upper 32 bits, the length in the others."""
        call.pending = request
        packed = self.call(len(request))
        start, length = packed >> 32, packed & 0xFFFFFFFF
        if length > call.limits.output:
            raise GuestError(f"returned {length:,} bytes; the limit is {call.limits.output:,}")
        return self.read(start, length)


def link_module(clock: EngineClock, module: Module, functions: Mapping[str, HostFunction]) -> CompiledModule:
    """Return a module that can call these functions, and no others."""
    local = threading.local()
    linker = Linker(clock.engine)
    number, answer = ValType.i32(), [ValType.i32()]
    linker.define_func(NAMESPACE, READ, FuncType([number], []), lambda start: copy_pending(local, start))
    for name, function in functions.items():
        linker.define_func(NAMESPACE, name, FuncType([number, number], answer), host_caller(local, function))
    try:
        return CompiledModule(clock, PreparedModule(linker.instantiate_pre(module)), local)
    except WasmtimeError as error:
        raise GuestError(f"cannot be linked: {first_line(error)}") from None


def copy_pending(local: threading.local, start: int) -> None:
    """Write the pending result to the address that the module gives."""
    call: ActiveCall = local.call
    try:
        guest_of(call).write(start & 0xFFFFFFFF, call.pending)
    except GuestError as error:
        fail(call, str(error))


def host_caller(local: threading.local, function: HostFunction) -> Callable[[int, int], int]:
    """Return what a module calls: it never raises, because wasmtime keeps what is raised for whichever thread asks."""

    def invoke(start: int, length: int) -> int:
        call: ActiveCall = local.call
        call.pending = b""
        call.pending = perform(
            call, function, length & 0xFFFFFFFF, lambda: guest_of(call).read(start & 0xFFFFFFFF, length & 0xFFFFFFFF)
        )
        return len(call.pending)

    return invoke


def guest_of(call: ActiveCall) -> CoreGuest:
    """Return the instance of a call, unless the call must end."""
    guest = running(call)
    assert isinstance(guest, CoreGuest)
    return guest
