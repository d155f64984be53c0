"""Watch one call of a plugin's function: what it prints, changes for all other code, and leaves running."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from time import perf_counter
from typing import TYPE_CHECKING, Any

from .effect_text import PRINTED, describe_effects
from .fact_changes import FactSnapshot, HookNames
from .left_running import (
    Started,
    StartWatch,
    child_processes,
    describe_callback,
    describe_task,
    describe_thread,
    scheduled_callbacks,
)
from .options import EFFECT, END, HID, START, TOOK, WatchOptions
from .plugin_output import DescriptorOutput, PrintedText, quote
from .process_state import QUICK_PARTS, Part, read_state, restore_state

if TYPE_CHECKING:
    from .module_changes import ModuleSnapshot

FEW_STEPS, ALL_STEPS = 20, 1_000_000  # to watch a step takes 50 microseconds
CANCELLED = "cancelled OpenKoi's tasks"
HOOKS_CHANGED = "changed which hooks are called"
COPIES = [0]  # of this process, made by os.fork
WATCHING = RLock()  # one thread at a time watches, because what is watched belongs to the process


def count_copy() -> None:
    """Count a fork of this process."""
    COPIES[0] += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_parent=count_copy)


class WatchedCall:
    """A call whose steps are watched: an asynchronous function has several, and other code runs in between."""

    def __init__(self, plugin: str, hook: str, options: WatchOptions, kind: str = "hooks") -> None:
        self.name = kind, plugin, hook
        self.facts: Sequence[Any] = ()
        self.is_own = False
        self.steps_left = ALL_STEPS if options.is_thorough else FEW_STEPS
        self.options = options
        self.changes: dict[str, None] = {}
        self.first: Before | None = None
        self.started = Started(set(), set(), set(), set(), (), has_cancelled=False)
        self.process = os.getpid()
        self.began = perf_counter()
        self.watching = 0.0

    @contextmanager
    def step(self) -> Iterator[None]:
        """Watch the code in the block, and restore its changes if possible."""
        self.steps_left -= 1
        if self.steps_left < 0 or not WATCHING.acquire(blocking=False):
            yield
            return
        entered = perf_counter()
        try:
            before = Before(self.facts, self.options.is_thorough)
        except BaseException:
            WATCHING.release()
            raise
        self.first = self.first or before
        self.options.note(START, *self.name)
        began = perf_counter()
        try:
            yield
        finally:
            ended = perf_counter()
            if os.getpid() != self.process:
                os._exit(1)  # a copy of this process would do the rest of the task a second time
            try:
                self.compare(before)
            finally:
                self.options.note(END)
                WATCHING.release()
            self.watching += perf_counter() - ended + began - entered

    def compare(self, before: "Before") -> None:
        """Record what a step changed and started."""
        started = before.starts.finish()
        self.changes |= dict.fromkeys(before.find_changes())
        self.started.threads.update(started.threads)
        self.started.tasks.update(started.tasks)
        self.started.callbacks.update(started.callbacks)
        self.started.processes.update(started.processes)
        self.changes |= dict.fromkeys(started.calls)
        if started.has_cancelled and not self.is_own:
            self.changes[CANCELLED] = None

    def finish(self, report: Callable[[str], object]) -> None:
        """Report what the call changed, and what it left running."""
        if self.options.is_thorough and self.first:
            self.changes |= dict.fromkeys(self.first.find_lasting_changes())
        self.options.note(TOOK, *self.name, str(perf_counter() - self.began - self.watching))
        left = [describe_thread(one) for one in self.started.threads if one.is_alive()]
        left += [describe_task(one) for one in self.started.tasks if not one.done()]
        left += [describe_callback(one) for one in self.started.callbacks & scheduled_callbacks()]
        left += ["left a process running"] if self.started.processes & child_processes() else []
        if effects := [text for text in (*self.changes, *left) if text]:
            _, plugin, hook = self.name
            text = describe_effects(plugin, hook, *effects)
            may_end_others = any(left) or CANCELLED in self.changes
            self.options.note(EFFECT, text, *([plugin] if may_end_others else []))
            if HOOKS_CHANGED in self.changes:
                self.options.note(HID, *self.name)
            report(text)


def take_module_snapshot() -> "ModuleSnapshot":
    """Return the functions and classes of the watched modules."""
    from .module_changes import ModuleSnapshot

    return ModuleSnapshot.take()


def all_parts() -> Sequence[Part]:
    """Return all parts of the state of the process."""
    from .system_state import ALL_PARTS

    return ALL_PARTS


class Before:
    """The state before a step, for comparison afterwards."""

    def __init__(self, facts: Sequence[Any], is_thorough: bool) -> None:
        self.copies = COPIES[0]
        self.facts = FactSnapshot(facts)
        self.hooks = HookNames(facts) if is_thorough else None
        self.modules = take_module_snapshot() if is_thorough else None
        self.parts = all_parts() if is_thorough else QUICK_PARTS
        self.state = read_state(self.parts)
        self.output = DescriptorOutput() if is_thorough else None
        self.printed = PrintedText()
        self.starts = StartWatch(with_processes=is_thorough)

    def find_lasting_changes(self) -> list[str]:
        """Return the changes that other threads made for the call while it waited."""
        from .system_state import LASTING_PARTS

        return restore_state(LASTING_PARTS, self.state[-len(LASTING_PARTS) :])

    def find_changes(self) -> Iterator[str]:
        """Yield the step's output and changes, and undo the changes."""
        printed = self.printed.finish()
        written = self.output.finish() if self.output else ""
        if printed or written:
            yield f"{PRINTED} {quote(printed or written)} to standard output"
        if COPIES[0] != self.copies:
            yield "forked the process (os.fork)"
        yield from restore_state(self.parts, self.state)
        if self.modules:
            yield from (f"replaced {name}" for name in self.modules.restore())
        yield from (f"changed {name}, which other plugins share" for name in self.facts.restore())
        if self.hooks and self.hooks.have_changed():
            yield HOOKS_CHANGED
