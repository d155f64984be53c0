"""Read the prompt of a past task from its records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any

from openkoi_base.counts import format_count
from openkoi_base.tokens import estimate_tokens
from openkoi_hookspecs import DataDir, KoiError, Plan, Record, Role, Task, Usage, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import PastTask, find_task, list_all_segments, read_task_records

from .prompt_layers import KERNEL, Prompt, PromptPiece, count_tokens, make_plan_pieces, make_task_pieces, sort_pieces

TOOLS_NAME = "tools and vendor additions"
EXECUTE_HOOK = "before_execute"


@dataclass(frozen=True, slots=True)
class Sessions:
    """The location of the run log; a separate type, so that the data folder is injected."""

    sessions: Annotated[Path, DataDir("sessions")]

    def find(self, task_id: str) -> tuple[PastTask, list[Record]]:
        """Return a task by id or prefix (default: the last one) with its records; raise KoiError if unknown."""
        if not list_all_segments(self.sessions):
            raise KoiError('No tasks yet. Run `openkoi context "TASK"` to preview a prompt.')
        past = find_task(self.sessions, task_id)
        return past, [record for record in read_task_records(self.sessions, past) if record.run == past.run]


@dataclass(slots=True)
class PromptReader:
    """Collects a prompt's parts from a run's records, in order."""

    task: Task | None = None
    plan: Plan = field(default_factory=Plan)
    before: dict[str, int] = field(default_factory=dict)
    answer_tokens: int = 0
    turns: int = 0
    results: int = 0
    answers: int = 0
    feedback: int = 0
    compacted: int = 0
    begun: bool = False
    usages: list[Usage] = field(default_factory=list)

    def add_record(self, record: Record) -> None:
        """Add the next record."""
        match record.event:
            case events.TaskStarted(task=task):
                self.task = self.task or task
            case events.PlanReady(plan=plan):
                self.plan = plan
            case events.HookReturned(hook=moment, plugin=plugin, answer=answer) if moment == EXECUTE_HOOK:
                self.before[plugin] = self.before.get(plugin, 0) + sum(map(count_section, answer or ()))
            case events.MessageAdded(message=message, new_conversation=fresh):
                self.begun = fresh
                self.feedback += 0 if fresh else estimate_tokens(message.parts)
            case events.ModelResponse(role=role, response=reply, messages=messages) if role == self.role:
                if messages <= 1 and not self.begun:
                    return  # outside of the conversation: a summary, a reflection
                self.begun = False
                self.turns, self.answer_tokens = self.turns + 1, self.answer_tokens + estimate_tokens(reply.parts)
                self.usages.append(reply.done.usage)
            case events.ToolCallFinished(result=result, by_plugin=False):
                self.answers, self.results = self.answers + 1, self.results + estimate_tokens((result,))
            case events.HistoryCompacted():
                self.compacted += 1

    @property
    def role(self) -> str:
        """The role that requests name for the model that does the task."""
        return (self.task and self.task.agent and self.task.agent.model) or "executor"


def count_section(section: Any) -> int:
    """Return the tokens of a section in the log, whatever its type."""
    text = section.get("text", "") if isinstance(section, Mapping) else getattr(section, "text", "")
    return count_tokens(str(text))


def read_prompt(records: Iterable[Record]) -> Prompt:
    """Return the prompt in a log and how the conversation grew; raise KoiError without a start."""
    reader = PromptReader()
    for record in records:
        reader.add_record(record)
    if reader.task is None:
        raise KoiError("The start of this task is missing from the log, so its prompt cannot be shown.")
    pieces = [*make_task_pieces(reader.task), *make_plan_pieces(reader.plan), *make_loop_pieces(reader)]
    return Prompt(reader.task.text, sort_pieces([make_rest_piece(reader, pieces), *pieces]), format_notes(reader))


def make_rest_piece(reader: PromptReader, pieces: Sequence[PromptPiece]) -> PromptPiece:
    """Return the tokens of the first request, by the vendor's count, that no known piece explains."""
    if not reader.usages:
        return PromptPiece("tools", TOOLS_NAME, None, KERNEL)
    known = sum(piece.tokens or 0 for piece in pieces if piece.layer != "loop") + sum(reader.before.values())
    return PromptPiece("tools", TOOLS_NAME, max(0, reader.usages[0].prompt - known), KERNEL)


def make_loop_pieces(reader: PromptReader) -> list[PromptPiece]:
    """Return later additions: sections per iteration, feedback, model turns, tool results."""
    pieces = [PromptPiece("loop", "for one iteration", size, plugin) for plugin, size in reader.before.items()]
    grown = (
        ("feedback", reader.feedback, KERNEL),
        (
            format_count(reader.turns, "model turn"),
            reader.answer_tokens,
            str(Role.ASSISTANT),
        ),
        (format_count(reader.answers, "tool result"), reader.results, "tools"),
    )
    return pieces + [PromptPiece("loop", name, size, source) for name, size, source in grown if size]


def format_notes(reader: PromptReader) -> list[str]:
    """Return the vendor's counts, the share of cached tokens, and the number of compactions."""
    lines = []
    if reader.usages:
        sent, cached = [usage.prompt for usage in reader.usages], sum(usage.cache_read for usage in reader.usages)
        lines.append(
            f"Requests: {len(sent)} (first {sent[0]:,} tokens, last {sent[-1]:,}); "
            f"{100 * cached // max(1, sum(sent))} % of all input tokens were cached by the provider."
        )
    if reader.compacted:
        lines.append(
            f"The history was compacted {format_count(reader.compacted, 'time')}; the removed turns are in the log."
        )
    return lines
