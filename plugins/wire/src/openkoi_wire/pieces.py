"""Mask a body that came in pieces, also where a secret is spread over several of them, or over several events.

Knows bytes and JSON, alone or line by line; knows no vendor's format. The pieces stay pieces.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from openkoi_hookspecs import Json
from openkoi_redact import MASK, Redactor, is_secret_name

LINE = re.compile(r"^(?:data:)?[ \t]*([{\[].*[}\]])[ \t]*\r?$", re.MULTILINE)

FIELD = re.compile(r"([?&]([^=&]*)=)[^&]+")

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """What is to stand in place of a stretch of text."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON document and where in a text it stands."""

    start: int
    end: int
    value: Json


@dataclass(frozen=True, slots=True)
class Leaf:
    """A text in a document. ``strand`` is the same in the next event that goes on with it."""

    path: Path
    strand: Path
    text: str


def masked(pieces: Sequence[bytes], redact: Redactor) -> list[bytes]:
    """Return the pieces without secrets; one of which nothing is left is left out."""
    texts = [piece.decode("latin-1") for piece in pieces]
    texts = edited(texts, [Edit(*span, MASK) for span in redact.spans("".join(texts))])
    texts = edited(texts, spread("".join(texts), redact))
    return [text.encode("latin-1") for text in texts if text]


def address(path: str, redact: Redactor) -> str:
    """The path and query of a request without secrets, the values of fields that are named like one included."""
    return FIELD.sub(lambda field: f"{field[1]}{MASK}" if is_secret_name(field[2]) else field[0], redact(path))


def edited(pieces: Sequence[str], edits: Sequence[Edit]) -> list[str]:
    """Rewrite a text in pieces; what is new goes where the old began. Edits are in order and apart."""
    found, start = [], 0
    for piece in pieces:
        found.append(rewritten(piece, start, edits) if edits else piece)
        start += len(piece)
    return found


def rewritten(piece: str, offset: int, edits: Sequence[Edit]) -> str:
    """Rewrite one piece, which begins at an offset."""
    parts, at, end = [], offset, offset + len(piece)
    for edit in edits:
        if edit.end <= offset or edit.start >= end:
            continue
        if edit.start >= offset:
            parts += [piece[at - offset : edit.start - offset], edit.new]
        at = min(edit.end, end)
    return "".join((*parts, piece[at - offset :]))


def spread(text: str, redact: Redactor) -> list[Edit]:
    """Find the documents that hold secrets, or parts of them, and write them anew."""
    found = list(documents(text))
    changes = changed(found, redact)
    return [
        Edit(document.start, document.end, json.dumps(replaced(document.value, changes[n])))
        for n, document in enumerate(found)
        if n in changes
    ]


def documents(text: str) -> Iterator[Document]:
    """List the JSON documents that a text is, or that its lines are."""
    whole = read(text)
    if whole is not None:
        yield Document(0, len(text), whole)
        return
    for match in LINE.finditer(text):
        value = read(match[1])
        if value is not None:
            yield Document(*match.span(1), value)


def read(text: str) -> Json:
    """Read JSON from bytes in the guise of characters; None when it is none."""
    try:
        value: Json = json.loads(text.encode("latin-1"))
    except (ValueError, RecursionError):
        return None
    return value


def changed(found: Sequence[Document], redact: Redactor) -> dict[int, dict[Path, str]]:
    """The leaves of each document that are not to stay as they are."""
    strands: dict[Path, list[tuple[int, Leaf]]] = defaultdict(list)
    for n, document in enumerate(found):
        for leaf in leaves(document.value):
            strands[leaf.strand].append((n, leaf))
    changes: dict[int, dict[Path, str]] = defaultdict(dict)
    for strand in strands.values():
        texts = [leaf.text for _, leaf in strand]
        edits = [Edit(*span, MASK) for span in redact.spans("".join(texts))]
        for (n, leaf), text in zip(strand, edited(texts, edits) if edits else (), strict=False):
            if text != leaf.text:
                changes[n][leaf.path] = text
    return changes


def leaves(value: Json, path: Path = (), strand: Path = ()) -> Iterator[Leaf]:
    """List the texts in a document. What carries an index goes on where the same index comes again."""
    if isinstance(value, str):
        yield Leaf(path, strand, value)
    if isinstance(value, dict):
        index = value.get("index")
        numbered = (*strand, index) if isinstance(index, int) else strand
        for key, item in value.items():
            yield from leaves(item, (*path, key), (*numbered, key))
    if isinstance(value, list):
        for n, item in enumerate(value):
            yield from leaves(item, (*path, n), (*strand, n))


def replaced(value: Json, changes: Mapping[Path, str], path: Path = ()) -> Json:
    """Build a document with other leaves."""
    if isinstance(value, dict):
        return {key: replaced(item, changes, (*path, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [replaced(item, changes, (*path, n)) for n, item in enumerate(value)]
    return changes.get(path, value)
