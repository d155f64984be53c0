"""Configuration files that cannot be read, and what is said of them."""

from pathlib import Path

import pytest

from openkoi.config import Setting, load_config, read_settings
from openkoi.paths import Paths
from openkoi_hookspecs import BadSetting


def written(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("layer", ["bundle/bundle.toml", "config.toml", "work/.openkoi/config.toml"])
def test_a_broken_file_is_named_with_line_and_column(tmp_path: Path, layer: str) -> None:
    path = written(tmp_path / layer, "[iteration]\nmax_iterations = = 3\n")

    with pytest.raises(BadSetting) as refusal:
        load_config(
            Paths(tmp_path / "config.toml", tmp_path), tmp_path / "work", bundles=[tmp_path / "bundle"], environment={}
        )

    assert str(refusal.value).startswith(f"{path} is not valid TOML: ")
    assert "(at line 2, column 18)" in str(refusal.value)
    assert "Mend the line" in str(refusal.value)


@pytest.mark.parametrize("content", [b"a = '\xff'", b"a = " + b"[" * 5_000], ids=["bytes", "depth"])
def test_a_file_of_something_else_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = written(tmp_path / "config.toml", content)

    with pytest.raises(BadSetting, match=r"config\.toml is not valid TOML"):
        read_settings(path)


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()

    with pytest.raises(BadSetting, match=r"config\.toml cannot be read: Is a directory"):
        read_settings(tmp_path / "config.toml")


def test_a_file_that_begins_with_a_mark_of_its_encoding_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "config.toml", b"\xef\xbb\xbf[use]\r\nmemory = 'none'\r\n")

    assert {"use.memory": Setting("none", str(path))} == read_settings(path)
