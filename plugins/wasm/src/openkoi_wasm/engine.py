"""The engine (wasmtime) that all modules of a process run on: their features, and the clock that stops them.

The child that compiles a module makes the same engine, because a compiled module fits only an engine of its features.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wasmtime import Engine, Module
    from wasmtime.component import Component

MEMORY_BYTES = 64 << 20
TICK_SECONDS = 0.01  # how exactly a call is stopped in time
IDLE_TICKS = 100  # the clock of an engine that is not used stops after a second
FEATURES = "2"  # another one for other features than below: compiled modules are kept by it
COMPONENT = b"\x0d\x00\x01\x00"
OFF = (
    *("wasm_threads", "wasm_memory64", "wasm_multi_memory", "wasm_gc", "wasm_function_references"),
    *("wasm_exceptions", "wasm_stack_switching", "shared_memory", "gc_support"),
)


def create_engine() -> "Engine":
    """Return an engine on which nothing runs without fuel and a deadline."""
    from wasmtime import Config, Engine

    config = Config()
    config.consume_fuel = True
    config.epoch_interruption = True
    config.parallel_compilation = False
    config.memory_reservation = MEMORY_BYTES  # virtual memory; by default 4 GiB for each call
    config.memory_may_move = False
    for name in OFF:
        setattr(config, name, False)
    return Engine(config)


def is_component(wasm: bytes) -> bool:
    """Return whether these bytes are a component; a core module has a different second word."""
    return wasm[4:8] == COMPONENT


def compiled_class(wasm: bytes) -> "type[Module] | type[Component]":
    """Return the class of wasmtime that compiles these bytes."""
    from wasmtime import Module
    from wasmtime.component import Component

    return Component if is_component(wasm) else Module


class EngineClock:
    """Ticks while calls are under way; a call is stopped after as many ticks as it was given."""

    def __init__(self, engine: "Engine") -> None:
        self.engine = engine
        self.calls: set[object] = set()
        self.idle = 0
        self.changed = threading.Condition()
        self.thread: threading.Thread | None = None
        self.closed = False

    @contextmanager
    def running(self, call: object) -> Iterator[None]:
        """Tick during the body."""
        with self.changed:
            self.calls.add(call)
            if self.thread is None:
                self.thread = threading.Thread(target=self.tick, name="openkoi-wasm-clock", daemon=True)
                self.thread.start()
            elif self.idle >= IDLE_TICKS:
                self.changed.notify()
        try:
            yield
        finally:
            with self.changed:
                self.calls.discard(call)
                self.idle = 0

    def tick(self) -> None:
        """Count the time; sleep while nothing runs."""
        while not self.closed:
            with self.changed:
                if not self.calls and self.idle >= IDLE_TICKS:
                    self.changed.wait()
                self.idle = 0 if self.calls else self.idle + 1
            time.sleep(TICK_SECONDS)
            self.engine.increment_epoch()

    def stop_if_all(self, condition: Callable[[object], bool], seconds: float) -> None:
        """Stop every call if all of them meet a condition; none begins meanwhile that would be stopped with them."""
        with self.changed:
            if all(map(condition, self.calls)):
                self.stop_all(seconds)

    def stop_all(self, seconds: float) -> None:
        """Stop every call whose time limit is at most ``seconds``."""
        for _ in range(ticks_in(seconds) + 1):
            self.engine.increment_epoch()

    def close(self) -> None:
        """Stop ticking, and free the engine."""
        self.closed = True
        with self.changed:
            self.changed.notify()
        if self.thread:
            self.thread.join()
        self.engine.close()


def ticks_in(seconds: float) -> int:
    """Return how many ticks a call with this time limit may take."""
    return max(1, round(seconds / TICK_SECONDS))
