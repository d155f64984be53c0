"""A prompt as pieces in layers, the steadiest first: what each is called, its tokens, who brought it. Pure."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from openkoi_base.schema import CALL_TOOL, FIND_TOOL, visible_tools
from openkoi_hookspecs import File, Layer, Plan, Section, Task, Text, Tool
from openkoi_models import answer_tokens

LAYERS = ("tools", "system", "project", "task", "loop")
OF = {Layer.SYSTEM: "system", Layer.PROJECT: "project", Layer.TASK: "task"}
KERNEL, MEMORY, PERSON = "openkoi", "memory", "you"
RECALLED = ("learned", "recall")


@dataclass(frozen=True, slots=True)
class PromptPiece:
    """A piece of a prompt; without ``tokens`` its length is unknown."""

    layer: str
    name: str
    tokens: int | None
    source: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """All pieces, for which task; ``notes`` are sentences about the whole."""

    task: str
    pieces: Sequence[PromptPiece]
    notes: Sequence[str] = ()

    @property
    def tokens(self) -> int:
        """About how long it is, as far as that is known."""
        return sum(piece.tokens or 0 for piece in self.pieces)


def tokens_of(text: str) -> int:
    """About how many tokens a text is."""
    return answer_tokens((Text(text),))


def task_pieces(task: Task) -> list[PromptPiece]:
    """What was said before, what the user asks for, what was piped in, and the images and files."""
    said = sum(answer_tokens(message.parts) for message in task.history)
    pieces = [PromptPiece("task", "earlier messages", said, PERSON)] if said else []
    pieces.append(PromptPiece("task", "the task", tokens_of(task.text), PERSON))
    if task.context:
        pieces.append(PromptPiece("task", "input", tokens_of(task.context), PERSON, quoted=True))
    for part in task.parts:
        name = part.name if isinstance(part, File) else part.media_type
        pieces.append(PromptPiece("task", name, answer_tokens((part,)), PERSON, quoted=True))
    return pieces


def plan_pieces(plan: Plan) -> list[PromptPiece]:
    """The sections of a plan, layer by layer, and its steps."""
    steps = "\n".join(plan.steps)
    told = [section_piece(section) for layer in Layer for section in plan.sections if section.layer is layer]
    return [*told, *([PromptPiece("task", "steps", tokens_of(steps), KERNEL)] if steps else [])]


def section_piece(section: Section) -> PromptPiece:
    """One section; what memory brought has no other source."""
    source = section.source or (MEMORY if section.name in RECALLED else KERNEL)
    return PromptPiece(OF[section.layer], section.name, tokens_of(section.text), source, section.untrusted)


def tool_pieces(brought: Sequence[tuple[str, Sequence[Tool]]]) -> list[PromptPiece]:
    """The tools that are sent with every request, by who brings them; the rare ones are only named."""
    every = visible_tools([tool for _, tools in brought for tool in tools])
    sent = {tool.name: tool for tool in every if tool.name not in (FIND_TOOL, CALL_TOOL)}
    pieces = []
    for source, tools in brought:
        own = [tool for tool in tools if sent.get(tool.name) is tool]
        if own:
            pieces.append(PromptPiece("tools", ", ".join(tool.name for tool in own), schemas(own), source))
    finding = [tool for tool in every if tool.name in (FIND_TOOL, CALL_TOOL)]
    rare = [tool.name for _, tools in brought for tool in tools if tool.deferred]
    if rare:
        names = f"{FIND_TOOL}, {CALL_TOOL} (for {', '.join(rare)})"
        pieces.append(PromptPiece("tools", names, schemas(finding), KERNEL))
    return pieces


def schemas(tools: Sequence[Tool]) -> int:
    """About how many tokens the schemas of tools are."""
    return sum(tokens_of(f"{tool.name}{tool.description}{json.dumps(tool.parameters)}") for tool in tools)


def in_order(pieces: Iterable[PromptPiece]) -> list[PromptPiece]:
    """Pieces by their layers, as they came within each."""
    return sorted(pieces, key=lambda piece: LAYERS.index(piece.layer))
