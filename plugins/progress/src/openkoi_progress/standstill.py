"""Whether a run gets anywhere, told from its tool calls and what they brought. Pure; knows no clock, file or model.

Real progress is a workspace as it never was, something else read (by a tool, or by a command that only shows files), or
the same question with a new answer. Something is a new text that another command printed: it may be useful, or not.
Nothing is what was seen before. A few cycles of nothing end a run; many cycles without real progress do, too.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from hashlib import sha256

from openkoi_hookspecs import ToolCall, ToolResult

from .reading import only_reads

STUCK_AFTER = 5


class Gain(IntEnum):
    """What a call brought."""

    NOTHING = 0
    SOMETHING = 1
    REAL = 2


@dataclass(frozen=True, slots=True)
class Step:
    """A call that is over. ``reads``: its tool changes nothing. ``polls``: its tool is meant to be called again."""

    call: ToolCall
    result: ToolResult
    reads: bool = False
    polls: bool = False


@dataclass(frozen=True, slots=True)
class Ceilings:
    """Cycles without real progress after which a person is warned, is asked, and the run ends."""

    warning: int = 10
    critical: int = 20
    breaker: int = 30


@dataclass(slots=True)
class Standstill:
    """Counts cycles since something new was seen (``idle``), and since there was real progress (``aimless``)."""

    ceilings: Ceilings = field(default_factory=Ceilings)
    answers: dict[bytes, bytes] = field(default_factory=dict)
    texts: set[bytes] = field(default_factory=set)
    last: list[bytes] = field(default_factory=list)
    idle: int = 0
    aimless: int = 0

    def note(self, steps: Iterable[Step], *, changed: bool = False) -> None:
        """Take the calls of one cycle into account; the best of them counts. ``changed``: the workspace is another."""
        gains = [self.gain(step) for step in steps]
        best = Gain.REAL if changed else max(gains, default=Gain.NOTHING)
        self.idle = self.idle + 1 if best is Gain.NOTHING else 0
        self.aimless = 0 if best is Gain.REAL else self.aimless + 1

    def gain(self, step: Step) -> Gain:
        """What one call brought; it is known from now on."""
        question, answer = digest([step.call.tool, step.call.arguments]), digest(step.result.text)
        before, unseen = self.answers.get(question), answer not in self.texts
        self.answers[question] = answer
        self.texts.add(answer)
        self.last = [*self.last[-1:], answer]
        if step.polls or (before is None and step.reads and not step.result.failed):
            return Gain.REAL
        if not unseen:
            return Gain.NOTHING
        read = not step.result.failed and only_reads(step.call.arguments)
        return Gain.REAL if read or before is not None else Gain.SOMETHING

    @property
    def stuck(self) -> bool:
        """Whether it goes on without getting anywhere."""
        return self.idle >= STUCK_AFTER or self.aimless >= self.ceilings.breaker

    @property
    def detector(self) -> str:
        """What it looks like, by the name that is in use for it."""
        if self.idle < STUCK_AFTER:
            return "global_circuit_breaker"
        return "generic_repeat" if len({*self.last}) == 1 else "ping_pong"


def digest(said: object) -> bytes:
    text = json.dumps(said, sort_keys=True, default=str)
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
