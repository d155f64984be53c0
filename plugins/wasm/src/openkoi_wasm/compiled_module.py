"""Call a compiled module once, in a fresh instance: nothing of one call is left for the next one.

Runs in a thread, which is stopped by the engine's clock. What a host function returns waits in ``pending`` until the
module copies it into its memory by ``koi.read``.
"""

import threading
from collections.abc import Callable, Mapping
from time import monotonic

from wasmtime import FuncType, InstancePre, Linker, Module, Store, Trap, ValType, WasmtimeError

from openkoi_hookspecs.lazy_dataclass import dataclass

from .active_call import ActiveCall
from .engine import EngineClock, ticks_in
from .guest import Guest, GuestError, explain_trap
from .limits import CallLimits
from .module_check import NAMESPACE, READ

HostFunction = Callable[[ActiveCall, bytes], bytes]
MAX_TABLES, MAX_TABLE_ELEMENTS = 4, 100_000


@dataclass(frozen=True, slots=True)
class CompiledModule:
    """A module with the host functions that it may call, ready for any number of calls."""

    clock: EngineClock
    prepared: InstancePre
    local: threading.local

    def call(self, request: bytes, call: ActiveCall) -> bytes:
        """Return what the module answers; raise GuestError."""
        self.local.call = call
        call.until = monotonic() + call.limits.seconds
        store = Store(self.clock.engine)
        try:
            with self.clock.running(call):
                return self.run(request, call, store)
        except GuestError as error:
            raise GuestError(call.failure or str(error)) from None
        finally:
            call.ended, call.guest, self.local.call = True, None, None
            store.close()

    def run(self, request: bytes, call: ActiveCall, store: Store) -> bytes:
        """Start the module, call it, and copy its answer."""
        limits = call.limits
        store.set_limits(limits.memory, MAX_TABLE_ELEMENTS, 1, MAX_TABLES, 1)
        store.set_fuel(limits.fuel)
        store.set_epoch_deadline(ticks_in(limits.seconds))
        call.pending = request
        call.guest = guest = self.start(store)
        packed = guest.call(len(request))
        if call.failure:
            raise GuestError(call.failure)
        return read_answer(guest, packed, limits)

    def start(self, store: Store) -> Guest:
        """Return an instance; its start function has run then, which can call no host function."""
        try:
            return Guest(store, self.prepared.instantiate(store))
        except Trap as trap:
            raise GuestError(explain_trap(trap)) from None
        except WasmtimeError as error:
            raise GuestError(f"cannot be started: {first_line(error)}") from None

    def cancel(self, call: ActiveCall) -> None:
        """End a call that nothing waits for: at once if no other call would end with it, else at its deadline."""
        call.cancelled = True
        self.clock.stop_if_all(is_cancelled, call.limits.seconds)


def is_cancelled(call: object) -> bool:
    return isinstance(call, ActiveCall) and call.cancelled


def read_answer(guest: Guest, packed: int, limits: CallLimits) -> bytes:
    """Return the bytes that ``koi_call`` points to: the place in the upper 32 bits, the length in the lower ones."""
    start, length = packed >> 32, packed & 0xFFFFFFFF
    if length > limits.output:
        raise GuestError(f"answered {length:,} bytes; the limit is {limits.output:,}")
    return guest.read(start, length)


def link_module(clock: EngineClock, module: Module, functions: Mapping[str, HostFunction]) -> CompiledModule:
    """Return a module that can call these functions, and no others."""
    local = threading.local()
    linker = Linker(clock.engine)
    number, answer = ValType.i32(), [ValType.i32()]
    linker.define_func(NAMESPACE, READ, FuncType([number], []), lambda start: copy_pending(local, start))
    for name, function in functions.items():
        linker.define_func(NAMESPACE, name, FuncType([number, number], answer), host_caller(local, function))
    try:
        return CompiledModule(clock, linker.instantiate_pre(module), local)
    except WasmtimeError as error:
        raise GuestError(f"cannot be linked: {first_line(error)}") from None


def copy_pending(local: threading.local, start: int) -> None:
    """Write what waits for the module to where it wants it."""
    call: ActiveCall = local.call
    try:
        running(call).write(start & 0xFFFFFFFF, call.pending)
    except GuestError as error:
        fail(call, str(error))


def host_caller(local: threading.local, function: HostFunction) -> Callable[[int, int], int]:
    """Return what a module calls: it never raises, because wasmtime keeps what is raised for whichever thread asks."""

    def invoke(start: int, length: int) -> int:
        call: ActiveCall = local.call
        try:
            call.pending = b""
            call.pending = perform(call, function, start & 0xFFFFFFFF, length & 0xFFFFFFFF)
        except GuestError as error:
            fail(call, str(error))
        except BaseException as error:  # whatever happens here is an error of ours, and ends this call alone
            fail(call, f"could not be served: {type(error).__name__}: {error}")
        return len(call.pending)

    return invoke


def perform(call: ActiveCall, function: HostFunction, start: int, length: int) -> bytes:
    """Call a host function with the bytes that the module points to."""
    guest = running(call)
    call.host_calls += 1
    if call.host_calls > call.limits.host_calls:
        raise GuestError(f"called OpenKoi more than {call.limits.host_calls:,} times")
    if length > call.limits.output:
        raise GuestError(f"passed {length:,} bytes to OpenKoi; the limit is {call.limits.output:,}")
    return function(call, guest.read(start, length))


def running(call: ActiveCall) -> Guest:
    """Return the instance, if the call is to go on."""
    if call.guest is None:
        raise GuestError("called OpenKoi before it was started")
    if call.failure or call.cancelled:
        raise GuestError(call.failure or "was cancelled")
    if call.seconds_left <= 0:
        raise GuestError("did not answer in time")
    return call.guest


def fail(call: ActiveCall, why: str) -> None:
    """Note why a call must end, and end it at the next loop or function call of the module."""
    call.failure = call.failure or why
    if call.guest:
        call.guest.stop()


def first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].strip()
