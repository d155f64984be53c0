"""An index that is kept in a file, by the hash of its texts."""

from pathlib import Path

from openkoi_search.saved_index import open_saved_index

TEXTS = {"koi": "Feed the koi with bread", "roses": "Water the roses at noon"}


def test_an_index_is_built_once_for_the_same_texts_and_again_for_others(tmp_path: Path) -> None:
    first = open_saved_index(TEXTS, tmp_path, "skills")
    [file] = tmp_path.iterdir()
    again = open_saved_index(TEXTS, tmp_path, "skills")
    other = open_saved_index({**TEXTS, "koi": "Sell the koi"}, tmp_path, "skills")

    assert ["koi"] == first("bread for koi", 1) == again("bread for koi", 1) == other("sell koi", 1)
    assert file.name not in [one.name for one in tmp_path.iterdir()]
    assert 1 == len(list(tmp_path.iterdir()))


def test_a_damaged_file_is_built_again_and_a_folder_without_room_only_costs_time(tmp_path: Path) -> None:
    open_saved_index(TEXTS, tmp_path, "skills")
    [file] = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:40])
    (tmp_path / "blocked").write_text("")

    assert ["roses"] == open_saved_index(TEXTS, tmp_path, "skills")("water at noon", 1)
    assert ["roses"] == open_saved_index(TEXTS, tmp_path / "blocked" / "x", "skills")("water at noon", 1)
