"""Format a prompt as a table or JSON."""

import json
from dataclasses import asdict

from openkoi_base.printable import one_line

from .prompt_layers import Prompt, PromptPiece

NAME_WIDTH, TITLE_WIDTH = 52, 60


def format_table(prompt: Prompt) -> str:
    """Return a row per piece, the sum, and the notes."""
    lines, layer = [f"{'layer':<9}{'tokens':>8}  {'section':<{NAME_WIDTH}}  from"], ""
    for piece in prompt.pieces:
        lines.append(format_piece(piece, "" if piece.layer == layer else piece.layer))
        layer = piece.layer
    lines.append(f"{'':<9}{prompt.tokens:>8,}  estimated total")
    return "\n".join([f"Task: {truncate_text(one_line(prompt.task), TITLE_WIDTH)}", *lines, *prompt.notes])


def format_piece(piece: PromptPiece, layer: str) -> str:
    tokens = "?" if piece.tokens is None else f"{piece.tokens:,}"
    name = f"{piece.name} (as data)" if piece.quoted else piece.name
    return f"{layer:<9}{tokens:>8}  {truncate_text(name, NAME_WIDTH):<{NAME_WIDTH}}  {piece.source}"


def truncate_text(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def prompt_to_json(prompt: Prompt) -> str:
    """Return the prompt as JSON."""
    content = {"task": prompt.task, "tokens": prompt.tokens, "pieces": [asdict(piece) for piece in prompt.pieces]}
    return json.dumps({**content, "notes": list(prompt.notes)}, indent=1)
