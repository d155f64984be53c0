"""Config files that cannot be read, and what is said of them."""

import os
from pathlib import Path

import pytest

from openkoi_hookspecs import ConfigError, Paths
from openkoi_settings import Setting, load_config, read_settings
from openkoi_settings.config_toml import MAX_BYTES


def written(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("layer", ["bundle/bundle.toml", "config.toml", "work/.openkoi/config.toml"])
def test_a_broken_file_is_named_with_line_and_column(tmp_path: Path, layer: str) -> None:
    path = written(tmp_path / layer, "[iteration]\nmax_iterations = = 3\n")

    with pytest.raises(ConfigError) as refusal:
        load_config(
            Paths(tmp_path / "config.toml", tmp_path),
            tmp_path / "work",
            bundles={tmp_path / "bundle": "default"},
            environment={},
        )

    assert str(refusal.value).startswith(f"Invalid TOML in {path}: ")
    assert "(at line 2, column 18)" in str(refusal.value)
    assert "Fix the line" in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("[hooks.guard]\nyes = 1\n[hooks.guard]\n", "the table [hooks.guard] occurs twice (at line 3, column 13)"),
        ("quality = 1\nquality = 2\n", "this key is set twice, or is both a value and a table (at line 2, column 12)"),
    ],
)
def test_what_occurs_twice_is_named_as_the_file_writes_it(tmp_path: Path, text: str, wrong: str) -> None:
    path = written(tmp_path / "config.toml", text)

    with pytest.raises(ConfigError) as refusal:
        read_settings(path)

    assert f"Invalid TOML in {path}: {wrong}. Fix the line, or move the file elsewhere." == str(refusal.value)


def test_bytes_that_are_not_utf_8_are_named_with_their_line(tmp_path: Path) -> None:
    path = written(tmp_path / "config.toml", b"[iteration]\nname = '\xe9'\n")

    with pytest.raises(ConfigError) as refusal:
        read_settings(path)

    assert f"{path}, line 2: not valid UTF-8. Save the file as UTF-8." == str(refusal.value)


@pytest.mark.parametrize("content", [b"[" * 5_000, b"9" * 5_000], ids=["depth", "digits"])
def test_a_file_of_something_else_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = written(tmp_path / "config.toml", b"a = " + content)

    with pytest.raises(ConfigError, match=r"Invalid TOML in .*config\.toml"):
        read_settings(path)


def test_a_folder_is_no_configuration(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()

    with pytest.raises(ConfigError, match=r"config\.toml cannot be read: it is not a regular file"):
        read_settings(tmp_path / "config.toml")


@pytest.mark.skipif(os.name != "posix", reason="named pipes are POSIX's")
def test_a_pipe_that_nobody_writes_to_does_not_keep_us_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.toml")

    with pytest.raises(ConfigError, match=r"config\.toml cannot be read: it is not a regular file"):
        read_settings(tmp_path / "config.toml")


def test_a_file_below_a_file_cannot_be_read(tmp_path: Path) -> None:
    path = written(tmp_path / ".openkoi", "") / "config.toml"

    with pytest.raises(ConfigError, match=r"config\.toml cannot be read: "):
        read_settings(path)


def test_a_file_is_read_up_to_a_megabyte(tmp_path: Path) -> None:
    start = b"a = 1\n#"
    fits = written(tmp_path / "fits.toml", start.ljust(MAX_BYTES, b"."))
    large = written(tmp_path / "large.toml", start.ljust(MAX_BYTES + 1, b"."))

    assert {"a": Setting(1, str(fits))} == read_settings(fits)
    with pytest.raises(ConfigError, match=r"large\.toml cannot be read: it is larger than 1 MB"):
        read_settings(large)


def test_a_file_that_begins_with_a_mark_of_its_encoding_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "config.toml", b"\xef\xbb\xbf[use]\r\nmemory = 'none'\r\n")

    assert {"use.memory": Setting("none", str(path))} == read_settings(path)
