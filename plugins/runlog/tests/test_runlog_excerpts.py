"""An excerpt is what would be found in the segments themselves."""

import gzip
from pathlib import Path

from openkoi_runlog import LineCache


def packed(folder: Path, name: str, data: bytes) -> Path:
    """A segment that was put away."""
    path = folder / f"{name}.jsonl.gz"
    path.write_bytes(gzip.compress(data))
    return path


def excerpts(folder: Path, need: bytes = b"a") -> LineCache:
    """Those of the lines that begin so."""
    return LineCache(folder / "cache" / "lines.json", need, lambda line: line.startswith(need))


def test_it_has_the_wanted_lines_of_each_segment_also_where_there_are_none(tmp_path: Path) -> None:
    paths = [packed(tmp_path, "one", b"a1\nb1\na2\n"), packed(tmp_path, "two", b"b2\n")]

    for _ in range(2):
        assert {"one.jsonl": [b"a1\n", b"a2\n"], "two.jsonl": []} == excerpts(tmp_path).load(paths)


def test_another_segment_of_the_same_name_and_another_need_are_taken_anew(tmp_path: Path) -> None:
    path = packed(tmp_path, "one", b"a1\nb1\n")
    assert {"one.jsonl": [b"a1\n"]} == excerpts(tmp_path).load([path])

    other = packed(tmp_path / "cache", "one", b"a9\nb9\n")

    assert {"one.jsonl": [b"a9\n"]} == excerpts(tmp_path).load([other])
    assert {"one.jsonl": [b"b9\n"]} == excerpts(tmp_path, b"b").load([other])


def test_nothing_is_kept_of_what_is_not_there_any_more_or_not_whole(tmp_path: Path) -> None:
    whole, torn = packed(tmp_path, "one", b"a secret\n"), packed(tmp_path, "two", b"a2\n")
    excerpts(tmp_path).load([whole])

    torn.write_bytes(torn.read_bytes()[:-9] + b"damaged!!")

    assert {} == excerpts(tmp_path).load([torn])
    assert "secret" not in (tmp_path / "cache" / "lines.json").read_text()


def test_without_room_for_it_it_is_taken_each_time(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    path = packed(tmp_path, "one", b"a1\n")

    assert {"one.jsonl": [b"a1\n"]} == excerpts(tmp_path).load([path]) == excerpts(tmp_path).load([path])
