"""A prompt as pieces in layers, the steadiest first: what each is called, its tokens, who brought it. Pure."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from openkoi_hookspecs import File, Layer, Plan, Section, Task, Text, Tool
from openkoi_models import answer_tokens
from openkoi_schema import CALL_TOOL, FIND_TOOL, visible_tools

LAYERS = ("tools", "system", "project", "task", "loop")
OF = {Layer.SYSTEM: "system", Layer.PROJECT: "project", Layer.TASK: "task"}
KERNEL, MEMORY, PERSON = "openkoi", "memory", "you"
RECALLED = ("learned", "recall")


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of a prompt. Without ``tokens`` it is there, but nobody tells how long it is."""

    layer: str
    name: str
    tokens: int | None
    source: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """All pieces, for which task; ``notes`` are sentences about the whole."""

    task: str
    pieces: Sequence[Piece]
    notes: Sequence[str] = ()

    @property
    def tokens(self) -> int:
        """About how long it is, as far as that is known."""
        return sum(piece.tokens or 0 for piece in self.pieces)


def tokens_of(text: str) -> int:
    """About how many tokens a text is."""
    return answer_tokens((Text(text),))


def task_pieces(task: Task) -> list[Piece]:
    """What was said before, what the user asks for, what was piped in, and the images and files."""
    said = sum(answer_tokens(message.parts) for message in task.history)
    pieces = [Piece("task", "earlier messages", said, PERSON)] if said else []
    pieces.append(Piece("task", "the task", tokens_of(task.text), PERSON))
    if task.context:
        pieces.append(Piece("task", "input", tokens_of(task.context), PERSON, quoted=True))
    for part in task.parts:
        name = part.name if isinstance(part, File) else part.media_type
        pieces.append(Piece("task", name, answer_tokens((part,)), PERSON, quoted=True))
    return pieces


def plan_pieces(plan: Plan) -> list[Piece]:
    """The sections of a plan, layer by layer, and its steps."""
    steps = "\n".join(plan.steps)
    told = [section_piece(section) for layer in Layer for section in plan.sections if section.layer is layer]
    return [*told, *([Piece("task", "steps", tokens_of(steps), KERNEL)] if steps else [])]


def section_piece(section: Section) -> Piece:
    """One section; what memory brought has no other source."""
    source = section.source or (MEMORY if section.name in RECALLED else KERNEL)
    return Piece(OF[section.layer], section.name, tokens_of(section.text), source, section.untrusted)


def tool_pieces(brought: Sequence[tuple[str, Sequence[Tool]]]) -> list[Piece]:
    """The tools that are sent with every request, by who brings them; the rare ones are only named."""
    every = visible_tools([tool for _, tools in brought for tool in tools])
    sent = {tool.name: tool for tool in every if tool.name not in (FIND_TOOL, CALL_TOOL)}
    pieces = []
    for source, tools in brought:
        own = [tool for tool in tools if sent.get(tool.name) is tool]
        if own:
            pieces.append(Piece("tools", ", ".join(tool.name for tool in own), schemas(own), source))
    finding = [tool for tool in every if tool.name in (FIND_TOOL, CALL_TOOL)]
    rare = [tool.name for _, tools in brought for tool in tools if tool.deferred]
    if rare:
        pieces.append(Piece("tools", f"{FIND_TOOL}, {CALL_TOOL} (for {', '.join(rare)})", schemas(finding), KERNEL))
    return pieces


def schemas(tools: Sequence[Tool]) -> int:
    """About how many tokens the schemas of tools are."""
    return sum(tokens_of(f"{tool.name}{tool.description}{json.dumps(tool.parameters)}") for tool in tools)


def in_order(pieces: Iterable[Piece]) -> list[Piece]:
    """Pieces by their layers, as they came within each."""
    return sorted(pieces, key=lambda piece: LAYERS.index(piece.layer))
