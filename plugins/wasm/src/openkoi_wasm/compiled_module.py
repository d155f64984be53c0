"""Call a compiled module or component once, in a fresh instance, so that calls share no state.

Runs in a thread, which is stopped by the engine's clock.
"""

import threading
from collections.abc import Callable
from time import monotonic
from typing import Protocol

from wasmtime import Store, TrapCode

from openkoi_hookspecs.lazy_dataclass import dataclass

from .active_call import ActiveCall, Instance
from .engine import EngineClock, ticks_in
from .guest import SENTENCES, GuestError

HostFunction = Callable[[ActiveCall, bytes], bytes]
MAX_TABLES, MAX_TABLE_ELEMENTS = 4, 100_000
OUT_OF_TIME = (SENTENCES[TrapCode.OUT_OF_FUEL], SENTENCES[TrapCode.INTERRUPT])


class Prepared(Protocol):
    """A module or component with the host functions that it may call."""

    @property
    def instances(self) -> int:
        """The maximum number of core instances in one call."""

    @property
    def max_memory(self) -> int:
        """The maximum size of its memory in bytes, whatever its manifest says."""

    @property
    def may_run_at_once(self) -> bool:
        """Whether its limits bound the whole cost of a call; a deadline does not stop wasmtime's own work."""

    def start(self, store: Store) -> Instance:
        """Return an instance; raise GuestError for one that cannot be started."""

    def close(self) -> None:
        """Free it."""


@dataclass(frozen=True, slots=True)
class CompiledModule:
    """A module or component, ready for any number of calls."""

    clock: EngineClock
    prepared: Prepared
    local: threading.local

    def call(self, request: bytes, call: ActiveCall) -> bytes:
        """Return the module's answer; raise GuestError."""
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
        """Start the module, and return its answer."""
        limits, prepared = call.limits, self.prepared
        memory = min(limits.memory, prepared.max_memory)
        store.set_limits(memory, MAX_TABLE_ELEMENTS, prepared.instances, MAX_TABLES, 1)
        store.set_fuel(limits.fuel)
        store.set_epoch_deadline(ticks_in(limits.seconds))
        call.guest = guest = prepared.start(store)
        answer = guest.answer(request, call)
        if call.failure:
            raise GuestError(call.failure)
        return answer

    def call_at_once(self, request: bytes, call: ActiveCall) -> bytes | None:
        """Return the answer to a call under the limits for this; None if the call needs more, without any effect."""
        if not self.prepared.may_run_at_once:
            return None
        try:
            return self.call(request, call)
        except GuestError as error:
            if call.host_calls or str(error) in OUT_OF_TIME:
                return None
            raise

    def cancel(self, call: ActiveCall) -> None:
        """End a call that nothing waits for: at once if no other call would end with it, else at its deadline."""
        call.cancelled = True
        self.clock.stop_if_all(is_cancelled, call.limits.seconds)


def is_cancelled(call: object) -> bool:
    return isinstance(call, ActiveCall) and call.cancelled


def perform(call: ActiveCall, function: HostFunction, length: int, read: Callable[[], bytes]) -> bytes:
    """Return the answer of a host function to the arguments that ``read`` returns; empty if the call has to end."""
    try:
        running(call)
        call.host_calls += 1
        if call.host_calls > call.limits.host_calls:
            raise GuestError(f"called OpenKoi more than {call.limits.host_calls:,} times")
        if length > call.limits.output:
            raise GuestError(f"passed {length:,} bytes to OpenKoi; the limit is {call.limits.output:,}")
        return function(call, read())
    except GuestError as error:
        fail(call, str(error))
    except BaseException as error:  # whatever happens here is an error of ours, and ends this call alone
        fail(call, f"made a call that OpenKoi could not handle: {type(error).__name__}: {error}")
    return b""


def running(call: ActiveCall) -> Instance:
    """Return the instance, unless the call must end."""
    if call.guest is None:
        raise GuestError("called OpenKoi before it was started")
    if call.failure or call.cancelled:
        raise GuestError(call.failure or "was cancelled")
    if call.seconds_left <= 0:
        raise GuestError("did not answer in time")
    return call.guest


def fail(call: ActiveCall, why: str) -> None:
    """Record why a call must end, and end it at the next loop or function call of the module."""
    call.failure = call.failure or why
    if call.guest:
        call.guest.stop()


def first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].strip()
