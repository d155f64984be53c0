"""Measure what a pickle would make before it is made: values that are nested or shared too much are refused.

Python hashes a tuple of tuples without a check: a deep one ends the process, and one that contains another twice, again
and again, blocks it forever. Neither can be caught once the pickle is loaded.
"""

import pickle
import re
from collections.abc import Callable
from dataclasses import field

from openkoi_hookspecs.lazy_dataclass import dataclass

MAX_DEPTH = 200  # estimate: JSON of a tool may be nested, facts are a few levels deep
MAX_VALUES = 10_000_000  # estimate: an answer with 5,000 vectors of 2,000 numbers
MAX_STEPS = 10_000_000
STEPS = 20  # of an instruction, if a number is one step: measured, half a million take about a second
ATOMS = re.compile(rb"(?:G.{8}|K.|M..|J....|[N\x88\x89]){1,10000}", re.DOTALL)
ATOM = re.compile(rb"G.{8}|K.|M..|J....|[N\x88\x89]", re.DOTALL)
SIZES = {b"\x8c": 1, b"X": 4, b"\x8d": 8, b"C": 1, b"B": 4, b"\x8e": 8, b"\x96": 8, b"\x8a": 1, b"\x8b": 4}
SKIPPED = {b"\x80": 1, b"\x95": 8}
EMPTY = frozenset({b"]", b"}", b")", b"\x8f"})
JOINS = {b"\x85": 1, b"\x86": 2, b"\x87": 3, b"\x93": 2, b"R": 2, b"\x81": 2, b"\x92": 3, b"Q": 1}
JOINS_TO_MARK = frozenset({b"t", b"\x91"})
CHANGES = {b"a": 1, b"s": 2, b"b": 1}
CHANGES_FROM_MARK = frozenset({b"e", b"u", b"\x90"})


@dataclass(slots=True)
class Measured:
    """How deep a value is, and how many values it has if each shared one is counted where it is used."""

    depth: int = 1
    values: int = 1
    shared: bool = False

    def add(self, parts: "list[Measured]") -> None:
        """Let it contain others; raise UnpicklingError if it contains too much."""
        for part in parts:
            self.depth = max(self.depth, part.depth + 1)
            self.values += part.values
        if self.depth > MAX_DEPTH or self.values > MAX_VALUES:
            raise pickle.UnpicklingError("its values are nested too deeply, or too many")


SIMPLE = Measured()  # a number, a text or another value that contains none


@dataclass(slots=True)
class Meter:
    """Follows what a pickle does, without its values."""

    data: bytes
    place: int = 0
    steps: int = 0
    stack: list[Measured] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    memo: list[Measured] = field(default_factory=list)

    def measure(self) -> None:
        """Raise UnpicklingError if the values are too much, or the pickle does what none of ours does."""
        while self.place < len(self.data):
            if found := ATOMS.match(self.data, self.place):
                count = len(ATOM.findall(self.data, self.place, found.end()))
                self.stack += [SIMPLE] * count
                self.steps += count
                self.place = found.end()
            else:
                code = self.data[self.place : self.place + 1]
                self.place += 1
                self.steps += STEPS
                self.follow(code)
            if self.steps > MAX_STEPS:
                raise pickle.UnpicklingError("its values are too many")

    def follow(self, code: bytes) -> None:
        """Follow one instruction."""
        if code in SIZES:
            length = self.number(SIZES[code])
            self.place += length
            self.stack.append(SIMPLE)
        elif code in SKIPPED:
            self.place += SKIPPED[code]
        elif code in EMPTY:
            self.stack.append(Measured())
        elif code in JOINS or code in JOINS_TO_MARK:
            joined = Measured()
            joined.add(self.take(JOINS[code]) if code in JOINS else self.take_to_mark())
            self.stack.append(joined)
        elif code in CHANGES or code in CHANGES_FROM_MARK:
            parts = self.take(CHANGES[code]) if code in CHANGES else self.take_to_mark()
            if not self.stack or self.stack[-1].shared or self.stack[-1] is SIMPLE:
                raise pickle.UnpicklingError("a value contains itself, or is changed after it was used")
            self.stack[-1].add(parts)
        else:
            self.follow_other(code)

    def follow_other(self, code: bytes) -> None:
        """Follow an instruction that makes no value."""
        others: dict[bytes, Callable[[], None]] = {
            b"(": lambda: self.marks.append(len(self.stack)),
            b"\x94": lambda: self.memo.append(self.stack[-1]),
            b"h": lambda: self.use(self.number(1)),
            b"j": lambda: self.use(self.number(4)),
            b"0": lambda: self.take(1).clear(),
            b"1": lambda: self.take_to_mark().clear(),
            b".": self.stack.clear,
        }
        if code not in others:
            raise pickle.UnpicklingError(f"it contains an unknown instruction {code!r}")
        try:
            others[code]()
        except IndexError:
            raise pickle.UnpicklingError("it uses a value that it does not have") from None

    def use(self, index: int) -> None:
        """Use a value again."""
        value = self.memo[index]
        if value is not SIMPLE:
            value.shared = True
        self.stack.append(value)

    def take(self, count: int) -> list[Measured]:
        """Remove the last values."""
        if len(self.stack) - (self.marks[-1] if self.marks else 0) < count:
            raise pickle.UnpicklingError("it uses a value that it does not have")
        taken = self.stack[-count:]
        del self.stack[-count:]
        return taken

    def take_to_mark(self) -> list[Measured]:
        """Remove the values since the last mark."""
        if not self.marks:
            raise pickle.UnpicklingError("it uses a value that it does not have")
        start = self.marks.pop()
        taken = self.stack[start:]
        del self.stack[start:]
        return taken

    def number(self, size: int) -> int:
        """Read a number of some bytes."""
        self.place += size
        return int.from_bytes(self.data[self.place - size : self.place], "little")


def measure_pickles(data: bytes) -> None:
    """Raise UnpicklingError if the pickles would make values that are nested or shared too much."""
    Meter(data).measure()
