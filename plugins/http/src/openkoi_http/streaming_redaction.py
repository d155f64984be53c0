"""Mask secrets in a body that arrived in pieces, also when a secret spans several pieces or events."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from openkoi_base.redact import MASK, Redactor, is_secret_name
from openkoi_hookspecs import Json
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

LINE = lazy_pattern(r"^(?:data:)?[ \t]*([{\[].*[}\]])[ \t]*\r?$", re.MULTILINE)

QUERY_FIELD = lazy_pattern(r"([?&]([^=&]*)=)[^&]+")

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A replacement for a range of text."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class JsonSpan:
    """A JSON document and its position in a text."""

    start: int
    end: int
    value: Json


@dataclass(frozen=True, slots=True)
class JsonText:
    """A string in a document; ``strand`` is equal for the event that continues it."""

    path: Path
    strand: Path
    text: str


def mask_pieces(pieces: Sequence[bytes], redact: Redactor) -> list[bytes]:
    """Return the pieces without secrets; drop pieces that become empty."""
    texts = [piece.decode("latin-1") for piece in pieces]
    texts = apply_edits(texts, [TextEdit(*span, MASK) for span in redact.spans("".join(texts))])
    texts = apply_edits(texts, find_json_edits("".join(texts), redact))
    return [text.encode("latin-1") for text in texts if text]


def mask_address(path: str, redact: Redactor) -> str:
    """Return a request's path and query without secrets, including query fields named like one."""
    return QUERY_FIELD.sub(lambda field: f"{field[1]}{MASK}" if is_secret_name(field[2]) else field[0], redact(path))


def apply_edits(pieces: Sequence[str], edits: Sequence[TextEdit]) -> list[str]:
    """Apply edits to a text in pieces; a replacement goes where its range starts. Edits are ordered and disjoint."""
    found, start = [], 0
    for piece in pieces:
        found.append(edit_piece(piece, start, edits) if edits else piece)
        start += len(piece)
    return found


def edit_piece(piece: str, offset: int, edits: Sequence[TextEdit]) -> str:
    """Apply edits to one piece at an offset."""
    parts, at, end = [], offset, offset + len(piece)
    for edit in edits:
        if edit.end <= offset or edit.start >= end:
            continue
        if edit.start >= offset:
            parts += [piece[at - offset : edit.start - offset], edit.new]
        at = min(edit.end, end)
    return "".join((*parts, piece[at - offset :]))


def find_json_edits(text: str, redact: Redactor) -> list[TextEdit]:
    """Return edits that mask secrets within JSON documents."""
    found = list(find_documents(text))
    changes = find_changes(found, redact)
    return [
        TextEdit(document.start, document.end, json.dumps(replace_strings(document.value, changes[n])))
        for n, document in enumerate(found)
        if n in changes
    ]


def find_documents(text: str) -> Iterator[JsonSpan]:
    """Yield the JSON documents that a text, or its lines, consist of."""
    whole = parse_latin1_json(text)
    if whole is not None:
        yield JsonSpan(0, len(text), whole)
        return
    for match in LINE.finditer(text):
        value = parse_latin1_json(match[1])
        if value is not None:
            yield JsonSpan(*match.span(1), value)


def parse_latin1_json(text: str) -> Json:
    """Parse JSON from bytes decoded as Latin-1; return None when that fails."""
    try:
        value: Json = json.loads(text.encode("latin-1"))
    except (ValueError, RecursionError):
        return None
    return value


def find_changes(found: Sequence[JsonSpan], redact: Redactor) -> dict[int, dict[Path, str]]:
    """Return the changed strings of each document."""
    strands: dict[Path, list[tuple[int, JsonText]]] = defaultdict(list)
    for n, document in enumerate(found):
        for leaf in walk_strings(document.value):
            strands[leaf.strand].append((n, leaf))
    changes: dict[int, dict[Path, str]] = defaultdict(dict)
    for strand in strands.values():
        texts = [leaf.text for _, leaf in strand]
        edits = [TextEdit(*span, MASK) for span in redact.spans("".join(texts))]
        for (n, leaf), text in zip(strand, apply_edits(texts, edits) if edits else (), strict=False):
            if text != leaf.text:
                changes[n][leaf.path] = text
    return changes


def walk_strings(value: Json, path: Path = (), strand: Path = ()) -> Iterator[JsonText]:
    """Yield the strings in a document; an object's index links strings across events."""
    if isinstance(value, str):
        yield JsonText(path, strand, value)
    if isinstance(value, dict):
        index = value.get("index")
        numbered = (*strand, index) if isinstance(index, int) else strand
        for key, item in value.items():
            yield from walk_strings(item, (*path, key), (*numbered, key))
    if isinstance(value, list):
        for n, item in enumerate(value):
            yield from walk_strings(item, (*path, n), (*strand, n))


def replace_strings(value: Json, changes: Mapping[Path, str], path: Path = ()) -> Json:
    """Return a document with other strings."""
    if isinstance(value, dict):
        return {key: replace_strings(item, changes, (*path, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [replace_strings(item, changes, (*path, n)) for n, item in enumerate(value)]
    return changes.get(path, value)
