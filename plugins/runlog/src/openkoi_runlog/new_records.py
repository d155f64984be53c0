"""Read only the new records of some kinds from a log, for caches of results computed from earlier ones."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from openkoi_hookspecs import Event, Record
from openkoi_hookspecs.lazy_dataclass import dataclass

from .line_cache import LineCache
from .segment_files import has_more, is_packed, original_name, uncompressed_length
from .select_records import encode_names, is_kind, iterate_needed, name_needed, select_records


def read_new(path: Path, kinds: Collection[type[Event]], ends: dict[str, int]) -> list[Record]:
    """Return a segment's records beyond its offset in ``ends``, and update that; leave an incomplete last line."""
    name = original_name(path)
    start = ends.get(name, 0)
    if not has_more(path, start):
        return []
    lines: list[bytes] = []
    for end, line in iterate_needed(path, start, name_needed(kinds)):
        if line.endswith(b"\n") or is_packed(path):
            lines.append(line)
            ends[name] = end
    return list(select_records(lines, kinds))


@dataclass(frozen=True, slots=True)
class ArchivedRecords:
    """The records of some kinds in archived segments, whose lines are kept in the file ``cache``."""

    cache: Path
    kinds: Collection[type[Event]]

    def read(self, paths: Iterable[Path], ends: dict[str, int]) -> Iterator[Record]:
        """Yield the records of those of the segments that are archived, and move their offsets in ``ends``."""
        packed = {original_name(path): path for path in paths if is_packed(path)}
        names = encode_names(self.kinds)
        lines = LineCache(self.cache, b" ".join(names), lambda line: is_kind(line, names))
        for name, found in lines.load(packed.values()).items():
            ends[name] = uncompressed_length(packed[name])
            yield from select_records(found, self.kinds)
