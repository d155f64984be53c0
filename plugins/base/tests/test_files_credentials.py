"""Saved keys: which file holds one, and what is said of a file that cannot be used."""

from pathlib import Path

import pytest
from privileges import bound_by_modes

from openkoi_base.files import SavedKey, find_key
from openkoi_hookspecs import ConfigError


def stored(folder: Path, content: str | bytes, name: str = "providers.json") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.row("C1")
def test_a_key_is_saved_by_its_providers_name(tmp_path: Path) -> None:
    store = stored(tmp_path, '{"acme": "k-1", "other": "k-2"}')

    assert SavedKey("k-1", str(store)) == find_key(tmp_path, "acme")


@pytest.mark.row("C1")
def test_a_file_of_older_habits_is_read_too(tmp_path: Path) -> None:
    single = stored(tmp_path, "  k-3\n", "acme.key")

    assert SavedKey("k-3", str(single)) == find_key(tmp_path, "acme")


def test_the_store_outranks_older_files(tmp_path: Path) -> None:
    stored(tmp_path, "k-3", "acme.key")
    store = stored(tmp_path, '{"acme": "k-1"}')

    assert SavedKey("k-1", str(store)) == find_key(tmp_path, "acme")


@pytest.mark.parametrize("content", ['{"other": "k"}', '{"acme": 5}', '{"acme": ""}', '{"acme": null}', "{}"])
def test_a_store_without_the_key_leaves_it_to_older_files(tmp_path: Path, content: str) -> None:
    stored(tmp_path, content)
    assert None is find_key(tmp_path, "acme")

    single = stored(tmp_path, "k-3", "acme.key")
    assert SavedKey("k-3", str(single)) == find_key(tmp_path, "acme")


def test_an_empty_file_is_no_key(tmp_path: Path) -> None:
    stored(tmp_path, "\n", "acme.key")

    assert None is find_key(tmp_path, "acme")


def test_without_a_folder_there_is_no_key(tmp_path: Path) -> None:
    assert None is find_key(tmp_path / "none", "acme")


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        ("{not json", "is not valid JSON"),
        ("[" * 10_000, "is not valid JSON"),
        ('["k"]', "must contain one JSON object"),
        (b"\xff\xfe", "cannot be read"),
    ],
)
def test_a_store_that_cannot_be_used_is_named(tmp_path: Path, content: str | bytes, wrong: str) -> None:
    stored(tmp_path, content)

    with pytest.raises(ConfigError, match=rf"providers\.json {wrong}"):
        find_key(tmp_path, "acme")


def test_a_key_file_that_holds_no_text_is_named(tmp_path: Path) -> None:
    stored(tmp_path, b"\xff", "acme.key")

    with pytest.raises(ConfigError, match=r"acme\.key cannot be read"):
        find_key(tmp_path, "acme")


def test_a_key_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    stored(tmp_path, "k", "acme.key").chmod(0)

    with bound_by_modes(), pytest.raises(ConfigError, match=r"acme\.key cannot be read"):
        find_key(tmp_path, "acme")
