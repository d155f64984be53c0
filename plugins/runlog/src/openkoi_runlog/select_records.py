"""Select records by the start of their lines, so that most lines of a log are never parsed.

This is the only place that looks into unparsed lines: others pass classes of events.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Set
from contextlib import suppress
from json.encoder import encode_basestring_ascii as quote
from pathlib import Path
from sys import maxsize
from typing import NamedTuple

from openkoi_hookspecs import Event, Record
from openkoi_hookspecs.events import ModelResponse

from .blobs import NO_BLOBS, blob_folder
from .record_format import encode_kind, parse_head, parse_kind, read_line
from .segment_files import is_packed, iterate_lines, iterate_spans, original_name

RESPONSE = ModelResponse.name.encode()
TEXTLESS = RESPONSE + b" without text"
UNREADABLE = b'"'  # the name of a line whose kind cannot be read; no kind is spelled so
TEXT_MARK = b'"is":"Text"'
SPANS: dict[Path, Callable[[int, Set[bytes]], list[tuple[int, int]]]] = {}  # of the segments that this process writes
SMALL_BYTES = 200_000  # of a segment that is quickly read as a whole: 1 ms


class SelectedLine(NamedTuple):
    """A line that was selected by its start; ``kind`` is None for an event that was not requested."""

    kind: type[Event] | None
    id: str
    run: str
    raw: bytes


def encode_names(kinds: Iterable[type[Event]]) -> tuple[bytes, ...]:
    """Return the names of kinds as lines spell them."""
    return tuple(map(encode_kind, kinds))


def is_kind(line: bytes, names: Collection[bytes]) -> bool:
    """Return whether a line is of one of these kinds, as ``encode_names`` returns them."""
    return parse_kind(line) in names


def name_needed(kinds: Iterable[type[Event]], *, textless: bool = True) -> frozenset[bytes]:
    """Return the names of needed lines: those of the kinds, optionally without model responses that contain no text.

    Damaged lines are needed too. Without kinds there are no names, and all lines are needed.
    """
    names = {*encode_names(kinds)}
    more = {UNREADABLE, TEXTLESS} if textless and RESPONSE in names else {UNREADABLE}
    return frozenset(names | more if names else ())


def name_line(line: bytes) -> bytes:
    """Return the name of a line: its kind; responses without text and damaged lines have special names."""
    kind = parse_kind(line)
    return UNREADABLE if kind is None else TEXTLESS if kind == RESPONSE and TEXT_MARK not in line else kind


def is_needed(line: bytes, names: Set[bytes]) -> bool:
    """Return whether a line has one of these names; without names, all lines are needed."""
    return not names or name_line(line) in names


def iterate_needed(path: Path, start: int, names: Set[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a segment from an offset on, each with its end; skip blocks without needed ones.

    The last line is always among them.
    """
    find_spans = SPANS.get(path) if names else None
    return iterate_spans(path, find_spans(start, names) if find_spans else [(start, maxsize)])


def select_lines(
    lines: Iterable[bytes], kinds: Iterable[type[Event]], ids: Collection[str] = ()
) -> Iterator[SelectedLine]:
    """Yield the lines of some kinds, and those of records with these ids; skip damaged ones."""
    by_name = {encode_names((kind,))[0]: kind for kind in kinds}
    wanted = {id.encode() for id in ids}
    for line in lines:
        head = parse_head(line)
        if head and (head.kind in by_name or head.id in wanted):
            id, run = head.id.decode("ascii", "replace"), head.run.decode("ascii", "replace")
            yield SelectedLine(by_name.get(head.kind), id, run, line)


def lines_with_ids(data: bytes, ids: Collection[str]) -> Iterator[bytes]:
    """Yield the lines of a log in which one of these ids is a value, in their order."""
    names = b"|".join(re.escape(quote(id)[1:-1].encode()) for id in ids)
    named, end = re.compile(b'":"(?:%b)"' % names), 0
    while ids and (found := named.search(data, end)):
        start = data.rfind(b"\n", end, found.start()) + 1 or end
        end = data.find(b"\n", found.end()) + 1 or len(data)
        yield data[start:end]


def select_records(
    lines: Iterable[bytes],
    kinds: Iterable[type[Event]] | None,
    run: str = "",
    path: Path | None = None,
    *,
    since: str = "",
) -> Iterator[Record]:
    """Read the records of some kinds, or of all, from lines of a file; skip damaged ones.

    Only those of one run if it is named, and only those ``since`` a time.
    """
    names, wanted, first = None if kinds is None else frozenset(encode_names(kinds)), run.encode(), since.encode()
    segment, blobs = (original_name(path), blob_folder(path)) if path else ("", NO_BLOBS)
    for line in lines:
        head = parse_head(line)
        if head and head.at >= first and (names is None or head.kind in names) and wanted in (b"", head.run):
            with suppress(ValueError, TypeError, KeyError):
                yield read_line(line, segment, blobs=blobs)


def select_from(path: Path, kinds: Iterable[type[Event]], run: str = "", *, since: str = "") -> Iterator[Record]:
    """Read the records of some kinds from a segment of the log, of one run if it is named, and since a time."""
    start: int | None = 0
    with suppress(OSError):  # it was just archived, and is read from its beginning
        if run and not is_packed(path) and path.stat().st_size > SMALL_BYTES:
            from .run_offsets import find_run_start

            start = find_run_start(path, run)
    if start is not None:
        yield from select_records(iterate_lines(path, start), kinds, run, path, since=since)
