"""One setting is changed in a file, and all else stands."""

import tomllib
from pathlib import Path

import pytest

from openkoi_hookspecs import ConfigError, Json
from openkoi_settings import write_setting

CONFIG = """\
# mine
[models]
default = "acme/one"   # the best

[iteration]
max_iterations = 5
"""


def test_a_setting_is_changed_and_all_else_stands(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(CONFIG)
    write_setting(file, "models.default", "borg/two")
    write_setting(file, "providers.custom.base_url", "http://127.0.0.1:1/v1")
    text = file.read_text()

    assert CONFIG.replace("acme/one", "borg/two") in text
    assert '[providers.custom]\nbase_url = "http://127.0.0.1:1/v1"' in text


def test_a_configuration_is_made_where_there_is_none(tmp_path: Path) -> None:
    file = write_setting(tmp_path / "new" / "config.toml", "models.default", 'a/"b"')

    assert "[models]\ndefault = 'a/\"b\"'\n" == file.read_text() or '\\"b\\"' in file.read_text()


@pytest.mark.parametrize("broken", ["[models\n", "models = 3\n"])
def test_a_configuration_that_cannot_be_changed_is_left_as_it_is(tmp_path: Path, broken: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(broken)

    with pytest.raises(ConfigError, match=r"config\.toml"):
        write_setting(file, "models.default", "a/b")
    assert broken == file.read_text()


def test_a_table_is_written_and_removed(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(CONFIG)
    server: dict[str, Json] = {"command": "npx", "args": ["-y", "x"], "env": {"A": "${A}"}}
    write_setting(file, "mcp.servers.files", server)

    assert server == tomllib.loads(file.read_text())["mcp"]["servers"]["files"]
    write_setting(file, "mcp.servers.files", None)
    write_setting(file, "mcp.servers.files", None)
    assert file.read_text().startswith(CONFIG)
    assert {} == tomllib.loads(file.read_text())["mcp"]["servers"]
