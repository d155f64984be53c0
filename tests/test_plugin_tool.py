"""Test installing and removing plugins in an environment of ``uv tool`` or pipx, from a local package index."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli_process import CLEARED
from local_index import UV, Index, Installation, add_our_code, local_index, only_from

pytestmark = pytest.mark.skipif(os.name != "posix" or not UV, reason="uv is not installed, or lays it out differently")


@dataclass(frozen=True, slots=True)
class Tool:
    """OpenKoi as installed by ``uv tool install`` or ``pipx install``."""

    installation: Installation
    environment: Mapping[str, str]
    index: Index

    def __call__(self, *arguments: str) -> str:
        """Run the command line; return its output."""
        command = [str(self.installation.python), "-m", "openkoi", *arguments]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=120, check=False)
        return done.stdout + done.stderr

    @property
    def installed(self) -> set[str]:
        """The distributions of the environment itself."""
        found = self.installation.folder.glob("lib/*/site-packages/*.dist-info")
        return {path.name.partition("-")[0] for path in found}


@pytest.fixture(params=["uv", pytest.param("pipx", marks=pytest.mark.campaign)])
def tool(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Tool]:
    with local_index(tmp_path / "index") as index:
        for name in ("openkoi", "acme-style", "acme-judge"):
            index.publish("1.0", name)
        yield install_tool(tmp_path, index) if request.param == "uv" else install_with_pipx(tmp_path, index)


def install_tool(folder: Path, index: Index) -> Tool:
    """Install OpenKoi by ``uv tool`` from an index alone."""
    places = {"UV_TOOL_DIR": str(folder / "tools"), "UV_TOOL_BIN_DIR": str(folder / "bin"), "UV_PYTHON": sys.executable}
    environment = {**own_environment(folder), **only_from(index.url), **places}
    subprocess.run([str(UV), "tool", "install", "--quiet", "openkoi"], env=environment, check=True)
    return as_tool(folder / "tools" / "openkoi", environment, index)


def install_with_pipx(folder: Path, index: Index) -> Tool:
    """Install pipx from the usual index, and with it OpenKoi from an index alone."""
    place, own = folder / "with-pipx", own_environment(folder)
    made = ["venv", "--quiet", "--python", sys.executable, str(place)]
    filled = ["pip", "install", "--quiet", "--python", str(place), "pipx"]
    if any(subprocess.run([str(UV), *one], env=own, check=False).returncode for one in (made, filled)):
        pytest.skip("pipx cannot be installed here")
    places = {"PIPX_HOME": str(folder / "pipx"), "PIPX_BIN_DIR": str(folder / "bin")}
    path = f"{place / 'bin'}{os.pathsep}{own['PATH']}"
    environment = {**own, **only_from(index.url), **places, "PIPX_DEFAULT_PYTHON": sys.executable, "PATH": path}
    subprocess.run([str(place / "bin" / "pipx"), "install", "--quiet", "openkoi"], env=environment, check=True)
    return as_tool(folder / "pipx" / "venvs" / "openkoi", environment, index)


def own_environment(folder: Path) -> dict[str, str]:
    """Return our variables except those of tools, with a home in a folder."""
    kept = {name: value for name, value in os.environ.items() if not CLEARED.match(name)}
    return {**kept, "HOME": str(folder), "OPENKOI_HOME": str(folder / "home"), "PYTHONWARNINGS": ""}


def as_tool(environment: Path, variables: Mapping[str, str], index: Index) -> Tool:
    """Let an environment with OpenKoi find our code."""
    add_our_code(environment)
    return Tool(Installation(environment), variables, index)


def test_plugins_are_installed_beside_others_and_removed_alone(tool: Tool) -> None:
    before = tool.installed
    tool("plugin", "install", "acme-style")
    tool("plugin", "install", "acme-judge")
    both = tool.installed
    printed = tool("plugin", "remove", "acme-style")

    assert {"openkoi"} == before
    assert {"openkoi", "acme_style", "acme_judge"} == both
    assert {"openkoi", "acme_judge"} == tool.installed
    assert "Removed acme-style.\n" == printed


def test_what_is_not_installed_is_not_said_to_be_removed(tool: Tool) -> None:
    tool("plugin", "install", "acme-style")
    printed = tool("plugin", "remove", "Acme_Style", "acme-judge")

    assert (
        "Error: Not installed: acme-judge. Nothing was removed. To list what is installed, run `openkoi plugin list`.\n"
        == printed
    )
    assert {"openkoi", "acme_style"} == tool.installed


def test_a_new_release_of_a_plugin_is_installed(tool: Tool) -> None:
    tool("plugin", "install", "acme-style")
    tool.index.publish("2.0", "acme-style")
    printed = tool("plugin", "update", "acme-style")

    assert "Updated acme-style from 1.0 to 2.0." in printed
    assert "2.0" == tool.installation.version("acme-style")
