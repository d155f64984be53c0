"""Where files are kept."""

from pathlib import Path

import pytest

from openkoi_hookspecs import Paths
from openkoi_settings import find_paths
from openkoi_settings.paths import HOME_VARIABLE

HOME = Path("~").expanduser()


@pytest.mark.row("C6", "MEM-01", "MEM-02")
@pytest.mark.parametrize(
    ("environment", "config", "data"),
    [
        ({}, HOME / ".openkoi/config.toml", HOME / ".local/share/openkoi"),
        ({"XDG_CONFIG_HOME": "/x"}, Path("/x/openkoi/config.toml"), HOME / ".local/share/openkoi"),
        ({"XDG_DATA_HOME": "/x"}, HOME / ".openkoi/config.toml", Path("/x/openkoi")),
        ({"OPENKOI_CONFIG": "/c.toml", "XDG_CONFIG_HOME": "/x"}, Path("/c.toml"), HOME / ".local/share/openkoi"),
        ({"OPENKOI_DATA": "/d", "XDG_DATA_HOME": "/x"}, HOME / ".openkoi/config.toml", Path("/d")),
        (
            {"OPENKOI_HOME": "/h", "OPENKOI_CONFIG": "/c.toml", "OPENKOI_DATA": "/d", "XDG_DATA_HOME": "/x"},
            Path("/h/config.toml"),
            Path("/h/data"),
        ),
        ({"OPENKOI_HOME": "~/koi"}, HOME / "koi/config.toml", HOME / "koi/data"),
        ({"OPENKOI_CONFIG": "~/c.toml", "OPENKOI_DATA": "~/d"}, HOME / "c.toml", HOME / "d"),
        ({"OPENKOI_HOME": "", "XDG_CONFIG_HOME": "", "OPENKOI_DATA": ""}, HOME / ".openkoi/config.toml", None),
        ({"XDG_CONFIG_HOME": "x", "XDG_DATA_HOME": "./x"}, HOME / ".openkoi/config.toml", None),
    ],
    ids=["home", "xdg config", "xdg data", "config", "data", "one folder", "tilde", "tildes", "empty", "relative xdg"],
)
def test_variables_say_where(environment: dict[str, str], config: Path, data: Path | None) -> None:
    assert Paths(config, data or HOME / ".local/share/openkoi") == find_paths(environment)


@pytest.mark.row("CLI-17")
@pytest.mark.parametrize("environment", [{}, {"OPENKOI_HOME": "/h"}, {"OPENKOI_CONFIG": "/c.toml"}])
def test_a_file_that_is_named_on_the_line_outranks_variables(environment: dict[str, str]) -> None:
    assert Path("/mine.toml") == find_paths(environment, "/mine.toml").config


@pytest.mark.row("C52")
def test_a_folder_may_stand_for_the_file_in_it(tmp_path: Path) -> None:
    assert tmp_path / "config.toml" == find_paths({"OPENKOI_CONFIG": str(tmp_path)}).config
    assert tmp_path / "config.toml" == find_paths({}, str(tmp_path)).config


@pytest.mark.row("C52", "MEM-01")
def test_credentials_lie_beside_the_configuration_and_sessions_in_the_data() -> None:
    paths = Paths(Path("/c/config.toml"), Path("/d"))

    assert (Path("/c/credentials"), Path("/d/sessions")) == (paths.credentials, paths.sessions)


def test_finding_paths_makes_nothing(tmp_path: Path) -> None:
    find_paths({"OPENKOI_HOME": str(tmp_path / "new")})

    assert [] == list(tmp_path.iterdir())


def test_the_home_folder_is_that_of_the_environment_given(tmp_path: Path) -> None:
    environment = {HOME_VARIABLE: str(tmp_path), "OPENKOI_DATA": "~/data"}

    assert Paths(tmp_path / ".openkoi" / "config.toml", tmp_path / "data") == find_paths(environment)
    assert tmp_path / "mine.toml" == find_paths(environment, "~/mine.toml").config
