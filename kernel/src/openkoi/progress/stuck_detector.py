"""Detect from tool calls and their results whether a run is stuck, as in a loop, or makes progress.

Real progress is a new state of the workspace, something new read (by a tool, or by a command that only shows files), a
call that waited, or a different result of the same call after a change of the workspace. Something is any other text
that was not seen before: it may be useful or not; a clock prints a new one each time. Nothing is what was seen before.
A few cycles of nothing end a run, and so do many cycles without real progress.
"""

import json
from collections.abc import Iterable
from dataclasses import field
from hashlib import sha256

from openkoi_hookspecs import Text, ToolCall, ToolResult
from openkoi_hookspecs.lazy_dataclass import dataclass

from .gain import Gain
from .read_only_commands import only_reads, without_comments
from .volatile import mask_volatile

STUCK_AFTER = 5  # requests of one kind that return nothing new; the sixth ends the run (estimate)
WAITED = 2_000  # milliseconds a call must take to count as polling, so `sleep 0` does not count (issue 15)


@dataclass(frozen=True, slots=True)
class Step:
    """A finished call. ``reads``: its tool changes nothing. ``polls``: its tool may be called repeatedly."""

    call: ToolCall
    result: ToolResult
    reads: bool = False
    polls: bool = False

    @property
    def edits(self) -> bool:
        """Whether the tool itself may have changed files; what a program changes is seen only in the files."""
        return not self.reads and self.result.exit_code is None

    @property
    def outcome(self) -> str:
        """The whole result of the call, with images and files as their digests."""
        parts = (part.text if isinstance(part, Text) else part.digest for part in self.result.parts)
        return "\n".join((self.result.text, *parts))


@dataclass(frozen=True, slots=True)
class StuckLimits:
    """Cycles without real progress after which the user is warned, is asked, and the run ends."""

    warning: int = 10
    critical: int = 20
    breaker: int = 30


@dataclass(frozen=True, slots=True)
class Answer:
    """The last result of a call, and how often the workspace had changed and been edited until then."""

    text: bytes
    changes: int
    edits: int


@dataclass(slots=True)
class StuckDetector:
    """Counts cycles without news (nothing new was seen) and cycles without real progress."""

    limits: StuckLimits = field(default_factory=StuckLimits)
    answers: dict[bytes, Answer] = field(default_factory=dict)
    texts: set[bytes] = field(default_factory=set)
    last: list[bytes] = field(default_factory=list)
    changes: int = 0
    edits: int = 0
    without_news: int = 0
    without_progress: int = 0

    def record_cycle(self, steps: Iterable[Step], *, changed: Gain = Gain.NOTHING) -> None:
        """Record the calls of one cycle; the best one counts. ``changed`` is the progress seen in the workspace.

        If all calls were made before, one more line in a file, or another number in it, is not progress.
        """
        taken = tuple(steps)
        repeated = all(digest_call(step.call) in self.answers for step in taken)
        gain = max(map(self.measure_gain, taken), default=Gain.NOTHING)
        best = gain if repeated and changed is Gain.SOMETHING else max(changed, gain)
        self.changes += changed > Gain.NOTHING
        self.edits += changed > Gain.NOTHING and any(step.edits for step in taken)
        self.without_news = self.without_news + 1 if best is Gain.NOTHING else 0
        self.without_progress = 0 if best is Gain.REAL else self.without_progress + 1

    def measure_gain(self, step: Step) -> Gain:
        """Return the progress of a call, and remember the call."""
        call, answer = digest_call(step.call), hash_value(step.outcome)
        like, before = hash_value(["like", mask_volatile(step.outcome)]), self.answers.get(call)
        unseen, unlike = answer not in self.texts, like not in self.texts
        self.answers[call] = Answer(answer, self.changes, self.edits)
        self.texts |= {answer, like}
        self.last = [*self.last[-1:], answer]
        if step.polls or step.result.milliseconds >= WAITED:
            return Gain.REAL
        if before is None and step.reads and not step.result.failed:
            return Gain.REAL
        if not unseen:
            return Gain.NOTHING
        return Gain.REAL if self.is_real_progress(step, before, unlike=unlike) else Gain.SOMETHING

    def is_real_progress(self, step: Step, before: Answer | None, *, unlike: bool) -> bool:
        """Return whether a new text is real progress."""
        if before is None:
            return not step.result.failed and only_reads(step.call.arguments)
        return step.reads or self.edits > before.edits or (self.changes > before.changes and unlike)

    @property
    def is_stuck(self) -> bool:
        """Whether the run repeats itself without progress."""
        return self.without_news >= STUCK_AFTER or self.without_progress >= self.limits.breaker

    @property
    def long_without_progress(self) -> bool:
        """Whether there were so many cycles without real progress that the user must be asked."""
        return self.without_progress >= self.limits.critical

    @property
    def detector(self) -> str:
        """The kind of repetition, by its common name."""
        if self.without_news < STUCK_AFTER:
            return "global_circuit_breaker"
        return "generic_repeat" if len({*self.last}) == 1 else "ping_pong"


def digest_call(call: ToolCall) -> bytes:
    """Return the digest of a call."""
    return hash_value([call.tool, without_comments(call.arguments)])


def hash_value(value: object) -> bytes:
    text = json.dumps(value, sort_keys=True, default=str)
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
