"""A prompt as a table, or as JSON. Pure."""

import json
from dataclasses import asdict

from .layers import Prompt, PromptPiece

NAME, WIDE = 52, 60


def table(prompt: Prompt) -> str:
    """Layer, tokens, section and source, a line each; then the sum and what else there is to say."""
    lines, layer = [f"{'layer':<9}{'tokens':>8}  {'section':<{NAME}}  from"], ""
    for piece in prompt.pieces:
        lines.append(line(piece, "" if piece.layer == layer else piece.layer))
        layer = piece.layer
    lines.append(f"{'':<9}{prompt.tokens:>8,}  about, in all")
    return "\n".join([f"Task: {cut(prompt.task.strip().splitlines()[0], WIDE)}", *lines, *prompt.notes])


def line(piece: PromptPiece, layer: str) -> str:
    tokens = "?" if piece.tokens is None else f"{piece.tokens:,}"
    name = f"{piece.name} (as data)" if piece.quoted else piece.name
    return f"{layer:<9}{tokens:>8}  {cut(name, NAME):<{NAME}}  {piece.source}"


def cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def as_json(prompt: Prompt) -> str:
    """The same for programs."""
    told = {"task": prompt.task, "tokens": prompt.tokens, "pieces": [asdict(piece) for piece in prompt.pieces]}
    return json.dumps({**told, "notes": list(prompt.notes)}, indent=1)
