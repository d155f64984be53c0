"""Split a prompt into pieces by layer, most stable first, with tokens and source."""

import json
from collections.abc import Iterable, Sequence

from openkoi_base.schema.deferred_tools import CALL_TOOL, FIND_TOOL, visible_tools
from openkoi_base.tokens import estimate_tokens
from openkoi_hookspecs import File, Layer, Plan, Section, Task, Text, Tool
from openkoi_hookspecs.lazy_dataclass import dataclass

LAYERS = ("tools", "system", "project", "task", "loop")
LAYER_NAMES = {Layer.SYSTEM: "system", Layer.PROJECT: "project", Layer.TASK: "task"}
KERNEL, MEMORY, USER = "openkoi", "memory", "you"
RECALLED = ("learned", "recall")


@dataclass(frozen=True, slots=True)
class PromptPiece:
    """A piece of a prompt; ``tokens`` is None if its length is unknown."""

    layer: str
    name: str
    tokens: int | None
    source: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """The pieces of a task's prompt; ``notes`` are remarks about the whole."""

    task: str
    pieces: Sequence[PromptPiece]
    notes: Sequence[str] = ()

    @property
    def tokens(self) -> int:
        """The estimated length in tokens, without pieces of unknown length."""
        return sum(piece.tokens or 0 for piece in self.pieces)


def count_tokens(text: str) -> int:
    """Return the estimated tokens of a text."""
    return estimate_tokens((Text(text),))


def make_task_pieces(task: Task) -> list[PromptPiece]:
    """Return earlier messages, the task, piped input, and images and files."""
    earlier = sum(estimate_tokens(message.parts) for message in task.history)
    pieces = [PromptPiece("task", "earlier messages", earlier, USER)] if earlier else []
    pieces.append(PromptPiece("task", "the task", count_tokens(task.text), USER))
    if task.context:
        pieces.append(PromptPiece("task", "input", count_tokens(task.context), USER, quoted=True))
    for part in task.parts:
        name = part.name if isinstance(part, File) else part.media_type
        pieces.append(PromptPiece("task", name, estimate_tokens((part,)), USER, quoted=True))
    return pieces


def make_plan_pieces(plan: Plan) -> list[PromptPiece]:
    """Return the sections of a plan by layer, and its steps."""
    steps = "\n".join(plan.steps)
    pieces = [make_section_piece(section) for layer in Layer for section in plan.sections if section.layer is layer]
    return [*pieces, *([PromptPiece("task", "steps", count_tokens(steps), KERNEL)] if steps else [])]


def make_section_piece(section: Section) -> PromptPiece:
    """Return the piece of a section; a section without a source is from memory or the kernel."""
    source = section.source or (MEMORY if section.name in RECALLED else KERNEL)
    return PromptPiece(LAYER_NAMES[section.layer], section.name, count_tokens(section.text), source, section.untrusted)


def make_tool_pieces(rows: Sequence[tuple[str, Sequence[Tool]]]) -> list[PromptPiece]:
    """Return the tools by plugin; deferred tools are only listed by name."""
    every = visible_tools([tool for _, tools in rows for tool in tools])
    sent = {tool.name: tool for tool in every if tool.name not in (FIND_TOOL, CALL_TOOL)}
    pieces = []
    for source, tools in rows:
        own = [tool for tool in tools if sent.get(tool.name) is tool]
        if own:
            pieces.append(PromptPiece("tools", ", ".join(tool.name for tool in own), count_schemas(own), source))
    finding = [tool for tool in every if tool.name in (FIND_TOOL, CALL_TOOL)]
    rare = [tool.name for _, tools in rows for tool in tools if tool.deferred]
    if rare:
        names = f"{FIND_TOOL}, {CALL_TOOL} (for {', '.join(rare)})"
        pieces.append(PromptPiece("tools", names, count_schemas(finding), KERNEL))
    return pieces


def count_schemas(tools: Sequence[Tool]) -> int:
    """Return the estimated tokens of the tools' schemas."""
    return sum(count_tokens(f"{tool.name}{tool.description}{json.dumps(tool.parameters)}") for tool in tools)


def sort_pieces(pieces: Iterable[PromptPiece]) -> list[PromptPiece]:
    """Sort the pieces by layer."""
    return sorted(pieces, key=lambda piece: LAYERS.index(piece.layer))
