"""What was spared, told by the records alone: each run is gone through again, and what would have been sent is counted.

Each way of sparing is taken away by itself, all else as it was. Tokens of texts are a quarter of their characters; what
was sent is as the vendor counted it. What a way of sparing cost counts against it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from openkoi_hookspecs import (
    Evaluation,
    EvaluationMode,
    Finding,
    Message,
    Record,
    Severity,
    Text,
    ToolResult,
    Usage,
    events,
)

from .figures import tokens_text
from .ledger import Copies
from .worth import PriceOf, cache_worth, loss, no_price, read, worth

CHARACTERS = 4


class Saving(StrEnum):
    """A way of sparing tokens."""

    DELTA = "delta"
    COMPRESSION = "compression"
    EVAL_SKIP = "eval_skip"
    INCREMENTAL = "incremental"
    PROMPT_CACHE = "prompt_cache"


SAVING_TITLES = {
    Saving.DELTA: "Delta feedback",
    Saving.COMPRESSION: "Compression",
    Saving.EVAL_SKIP: "Eval skipping",
    Saving.INCREMENTAL: "Incremental eval",
    Saving.PROMPT_CACHE: "Prompt caching",
}


@dataclass(frozen=True, slots=True)
class SavedTokens:
    """Tokens saved in one way at one time; ``usd`` is None when their price is unknown."""

    at: str
    by: Saving
    tokens: int
    usd: float | None = None


@dataclass(slots=True)
class Replay:
    """One run, gone through again. ``carries`` is what each turn would carry besides, by the way that spares it."""

    price: PriceOf = no_price
    saved: list[SavedTokens] = field(default_factory=list)
    carries: dict[Saving, int] = field(default_factory=dict)
    evaluation: Evaluation | None = None
    judged: dict[str, events.JudgeVoted] = field(default_factory=dict)
    judge: tuple[str, Usage] = ("", Usage())
    size: int = 0
    grown: int = 0
    aside: list[events.ModelResponse] = field(default_factory=list)
    shortened: bool = False
    turn: bool = False
    begun: bool = False
    decided: bool = False
    asked: bool = False

    def take(self, record: Record) -> None:
        """Take the run's next record."""
        match record.event:
            case events.CycleStarted():
                self.turn, self.aside = True, []
            case events.MessageAdded(message=message, new_conversation=fresh):
                self.add_message(message, fresh=fresh)
            case events.ToolCallFinished(result=result, by_plugin=False):
                self.grown, self.aside = self.grown + tokens_of(result.text), []
            case events.HistoryCompacted():
                self.add_compaction(record.at)
            case events.ModelResponse() as answered:
                self.add_response(record.at, answered)
            case events.ExecutionFinished():
                self.asked, self.aside = False, []
            case events.EvaluationFinished(evaluation=evaluation):
                self.evaluation = evaluation
            case events.IterationFinished(mode=EvaluationMode.CACHED):
                self.add_reuse(record.at)
            case events.DecisionMade():
                self.decided = True
            case events.JudgeVoted() as judging:
                self.heard(record.at, judging)

    def add_message(self, message: Message, *, fresh: bool) -> None:
        """Record a message; at the start of an iteration it only lists what is still open."""
        self.grown += sum(tokens_of(part.text) for part in message.parts if isinstance(part, (Text, ToolResult)))
        if fresh:
            self.begun, self.shortened = True, self.size > 0
            self.carries.pop(Saving.DELTA, None)
        elif self.decided and self.evaluation:
            self.carries[Saving.DELTA] = self.carries.get(Saving.DELTA, 0) + tokens_of(left_out(self.evaluation))
        self.decided = False

    def add_compaction(self, at: str) -> None:
        """Old turns are put aside; what was asked to sum them up is what that cost."""
        for one in self.aside:
            self.add(at, Saving.COMPRESSION, -one.usage.total, loss(one.usd, self.price(one.model)))
        self.shortened, self.aside = True, []
        self.carries.pop(Saving.DELTA, None)

    def add_response(self, at: str, answered: events.ModelResponse) -> None:
        """Record a response: the executor's turn, a judge's, or a summary for compaction."""
        usage, price = answered.usage, self.price(answered.model)
        if usage.cache_read:
            self.add(at, Saving.PROMPT_CACHE, usage.cache_read, cache_worth(usage, price))
        if answered.role == "evaluator":
            self.judge = answered.model, usage
        elif self.turn and (answered.messages > 1 or self.begun):
            self.spoke(at, answered)
        else:
            self.aside.append(answered)

    def spoke(self, at: str, answered: events.ModelResponse) -> None:
        """A turn of the model: it read less than it would have."""
        sent = read(answered.usage)
        if self.shortened and self.size:
            left = max(0, self.size + self.grown - sent)
            self.carries[Saving.COMPRESSION] = self.carries.get(Saving.COMPRESSION, 0) + left
        for by, tokens in self.carries.items():
            self.add(at, by, tokens, worth(tokens, answered.usage, self.price(answered.model)))
        self.size, self.grown = sent + answered.usage.output, 0
        self.turn = self.begun = self.shortened = False

    def heard(self, at: str, judging: events.JudgeVoted) -> None:
        """Record a judgment: skipped, partial, or full after a partial one."""
        first, self.asked = judging.rubric not in self.judged, True
        self.judged[judging.rubric] = judging
        if judging.skipped:
            self.spare(at, Saving.EVAL_SKIP, judging.saved_characters)
        elif judging.mode is not EvaluationMode.FULL or not first:
            self.spare(at, Saving.INCREMENTAL, judging.saved_characters)

    def add_reuse(self, at: str) -> None:
        """Record that the same work was not judged again."""
        if not self.asked:
            for judging in self.judged.values():
                self.spare(at, Saving.EVAL_SKIP, judging.full_characters)

    def spare(self, at: str, by: Saving, characters: int) -> None:
        model, usage = self.judge
        tokens = characters // CHARACTERS
        self.add(at, by, tokens, worth(tokens, usage, self.price(model)))

    def add(self, at: str, by: Saving, tokens: int, usd: float | None) -> None:
        if tokens:
            self.saved.append(SavedTokens(at, by, tokens, usd))


def savings_of(records: Iterable[Record], price: PriceOf = no_price) -> list[SavedTokens]:
    """What was spared in all runs; what a fork wrote down again of another run's past was spared there."""
    replays: dict[str, Replay] = {}
    copies = Copies()
    for record in records:
        replay = replays.setdefault(record.run, Replay(price))
        before = len(replay.saved)
        replay.take(record)
        if copies.has(record):
            del replay.saved[before:]
    return [saved for replay in replays.values() for saved in replay.saved]


def totals(saved: Iterable[SavedTokens]) -> dict[Saving, int]:
    """Return the tokens by the way that saved them."""
    sums = dict.fromkeys(Saving, 0)
    for one in saved:
        sums[one.by] += one.tokens
    return sums


def saved_text(saved: Mapping[Saving, int]) -> str:
    """``Saved 9.1k tokens: prompt caching 9.0k, delta feedback 82``: the most first. A loss is negative."""
    parts = sorted(((tokens, by) for by, tokens in saved.items() if tokens), reverse=True)
    named = ", ".join(f"{SAVING_TITLES[by].lower()} {tokens_text(tokens)}" for tokens, by in parts)
    return f"Saved {tokens_text(sum(saved.values()))} tokens: {named}"


def left_out(evaluation: Evaluation) -> str:
    """Return what an evaluation contains and the next iteration is not shown: scores, suggestions, output of checks."""
    scores = [f"{score.dimension}: {score.value:g}" for score in evaluation.scores]
    checks = [f"{check.name}: {'passed' if check.passed else 'failed'}" for check in evaluation.checks]
    return "\n".join([*scores, *checks, *filter(None, map(untold, evaluation.findings)), evaluation.log])


def untold(finding: Finding) -> str:
    """Return the part of a finding that is not shown: a suggestion, and the reason where a fix is given."""
    if finding.severity is Severity.SUGGESTION:
        return f"- [{finding.severity}] {finding.title} ({finding.where}): {finding.detail} {finding.fix}"
    return finding.detail if finding.fix else ""


def tokens_of(text: str) -> int:
    return len(text) // CHARACTERS
