"""Read the prompt of a past task from its records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from openkoi_hookspecs import DataDir, KoiError, Plan, Record, Role, Task, Usage, events
from openkoi_models import answer_tokens
from openkoi_runlog import Past, all_segments, find_task, records_of

from .layers import KERNEL, Prompt, PromptPiece, in_order, plan_pieces, task_pieces, tokens_of

TOOLS = "tools, and what the vendor adds"
MOMENT = "before_execute"


@dataclass(frozen=True, slots=True)
class Sessions:
    """The location of the run log, as a type of its own so that the data folder is injected."""

    sessions: Annotated[Path, DataDir("sessions")]

    def find(self, id: str) -> tuple[Past, list[Record]]:
        """A task by the beginning of its id, the last one without; raises KoiError when there is none."""
        if not all_segments(self.sessions):
            raise KoiError('No tasks yet. To preview a prompt, run: openkoi context "TASK"')
        past = find_task(self.sessions, id)
        return past, [record for record in records_of(self.sessions, past) if record.run == past.run]


@dataclass(slots=True)
class RecordReader:
    """What is read out of a run's records, in their order."""

    task: Task | None = None
    plan: Plan = field(default_factory=Plan)
    before: dict[str, int] = field(default_factory=dict)
    said: int = 0
    turns: int = 0
    results: int = 0
    answers: int = 0
    feedback: int = 0
    compacted: int = 0
    begun: bool = False
    usages: list[Usage] = field(default_factory=list)

    def take(self, record: Record) -> None:
        """Take the next record."""
        match record.event:
            case events.TaskStarted(task=task):
                self.task = self.task or task
            case events.PlanReady(plan=plan):
                self.plan = plan
            case events.HookReturned(hook=moment, plugin=plugin, answer=answer) if moment == MOMENT:
                self.before[plugin] = self.before.get(plugin, 0) + sum(map(length, answer or ()))
            case events.MessageAdded(message=message, new_conversation=fresh):
                self.begun = fresh
                self.feedback += 0 if fresh else answer_tokens(message.parts)
            case events.ModelResponse(role=role, response=reply, messages=messages) if role == self.role:
                if messages <= 1 and not self.begun:
                    return  # asked beside the conversation: a summary, a reflection
                self.begun = False
                self.turns, self.said = self.turns + 1, self.said + answer_tokens(reply.parts)
                self.usages.append(reply.done.usage)
            case events.ToolCallFinished(result=result, by_plugin=False):
                self.answers, self.results = self.answers + 1, self.results + answer_tokens((result,))
            case events.HistoryCompacted():
                self.compacted += 1

    @property
    def role(self) -> str:
        """What the model that works is asked as."""
        return (self.task and self.task.agent and self.task.agent.model) or "executor"


def length(section: Any) -> int:
    """The tokens of a section as the log has it: an answer of any kind."""
    text = section.get("text", "") if isinstance(section, Mapping) else getattr(section, "text", "")
    return tokens_of(str(text))


def read_prompt(records: Iterable[Record]) -> Prompt:
    """Return the prompt in a log and how the conversation grew; raise KoiError without a start."""
    told = RecordReader()
    for record in records:
        told.take(record)
    if told.task is None:
        raise KoiError("The log does not hold the beginning of this task, so there is nothing to show.")
    pieces = [*task_pieces(told.task), *plan_pieces(told.plan), *loop_pieces(told)]
    return Prompt(told.task.text, in_order([rest(told, pieces), *pieces]), notes(told))


def rest(told: RecordReader, pieces: Sequence[PromptPiece]) -> PromptPiece:
    """What the vendor counted in the first request beyond what is known of it."""
    if not told.usages:
        return PromptPiece("tools", TOOLS, None, KERNEL)
    known = sum(piece.tokens or 0 for piece in pieces if piece.layer != "loop") + sum(told.before.values())
    return PromptPiece("tools", TOOLS, max(0, read(told.usages[0]) - known), KERNEL)


def loop_pieces(told: RecordReader) -> list[PromptPiece]:
    """What came after: sections of one iteration, feedback, the model's turns, the results of tools."""
    pieces = [PromptPiece("loop", "for one iteration", size, plugin) for plugin, size in told.before.items()]
    grown = (
        ("feedback", told.feedback, KERNEL),
        (format_count(told.turns, "turn of the model", "turns of the model"), told.said, str(Role.ASSISTANT)),
        (format_count(told.answers, "result of a tool", "results of tools"), told.results, "tools"),
    )
    return pieces + [PromptPiece("loop", name, size, source) for name, size, source in grown if size]


def format_count(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def notes(told: RecordReader) -> list[str]:
    """What the vendor counted, how much of it was cached, and how often the history was made shorter."""
    lines = []
    if told.usages:
        last = told.usages[-1]
        asked, cached = sum(map(read, told.usages)), sum(usage.cache_read for usage in told.usages)
        lines.append(
            f"Requests: {len(told.usages)}, the first of {read(told.usages[0]):,} tokens, the last of {read(last):,}; "
            f"{100 * cached // max(1, asked)} % of all that was sent came from the vendor's cache."
        )
    if told.compacted:
        lines.append(
            f"The history was made shorter {format_count(told.compacted, 'time', 'times')}; what it left out is "
            "in the log."
        )
    return lines


def read(usage: Usage) -> int:
    """All tokens that a request sent, cached ones among them."""
    return usage.input + usage.cache_read + usage.cache_write
