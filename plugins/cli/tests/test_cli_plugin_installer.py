"""Plugins are installed by whatever made OpenKoi's environment."""

import sys
from pathlib import Path

import pytest

from openkoi_cli.plugin_kit.installer import (
    describe_installed,
    distribution_name,
    install_command,
    refuse_managed,
    remove_command,
)
from openkoi_hookspecs import KoiError

RECEIPT = """[tool]
requirements = [{ name = "openkoi" }, { name = "openkoi-slack" }, { directory = "/src/fish", name = "fish" }]
"""


@pytest.fixture(name="uv_tool")
def make_uv_tool(tmp_path: Path) -> Path:
    """Return an environment of ``uv tool`` with two plugins."""
    prefix = tmp_path / "openkoi"
    prefix.mkdir()
    (prefix / "uv-receipt.toml").write_text(RECEIPT)
    return prefix


def test_an_environment_of_uv_tool_keeps_its_plugins(uv_tool: Path) -> None:
    added = install_command(["openkoi-slack", "carp"], uv_tool, upgrade=False)
    removed = remove_command(["openkoi_Slack"], uv_tool)
    without_folder = remove_command(["fish"], uv_tool)

    start = ["uv", "tool", "install", "--quiet", "openkoi"]
    assert [*start, "--with", "openkoi-slack", "--with", "/src/fish", "--with", "carp"] == added
    assert [*start, "--with", "/src/fish"] == removed
    assert [*start, "--with", "openkoi-slack"] == without_folder


def test_pipx_injects_plugins(tmp_path: Path) -> None:
    prefix = tmp_path / "openkoi"
    prefix.mkdir()
    (prefix / "pipx_metadata.json").write_text("{}")

    assert ["pipx", "inject", "--quiet", "openkoi", "carp"] == install_command(["carp"], prefix, upgrade=False)
    assert "--force" in install_command(["carp"], prefix, upgrade=True)
    assert ["pipx", "uninject", "--quiet", "openkoi", "carp"] == remove_command(["carp"], prefix)


def test_a_virtual_environment_is_changed_with_uv_or_else_with_pip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    monkeypatch.setenv("PATH", str(bin_folder))
    plain = install_command(["carp"], tmp_path, upgrade=True)
    for name in ("uv", "uv.exe"):
        (bin_folder / name).write_text("")
        (bin_folder / name).chmod(0o755)
    with_uv = install_command(["carp"], tmp_path, upgrade=True)

    assert [sys.executable, "-P", "-m", "pip", "install", "--quiet", "--upgrade", "carp"] == plain
    assert ["uv", "pip", "install", "--quiet", "--python", sys.executable, "--upgrade", "carp"] == with_uv
    assert ["uv", "pip", "uninstall", "--quiet", "--python", sys.executable, "carp"] == remove_command(
        ["carp"], tmp_path
    )


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("/tmp/openkoi-install-x/acme_style-1.0-py3-none-any.whl", "acme-style"),
        ("/tmp/acme_style-1.0.tar.gz", "acme-style"),
        ("openkoi[mcp]>=1,<2; python_version > '3'", "openkoi"),
        ("Acme.Style", "acme-style"),
        ("acme-style @ https://example.com/acme.zip", "acme-style"),
        ("git+https://example.com/acme.git", ""),
        ("/nowhere", ""),
    ],
)
def test_what_is_installed_is_named_however_it_was_given(source: str, name: str) -> None:
    assert name == distribution_name(source)


def test_a_folder_is_named_as_its_project(tmp_path: Path) -> None:
    unnamed = distribution_name(str(tmp_path))
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'acme-style'\n")
    named = distribution_name(str(tmp_path))
    (tmp_path / "pyproject.toml").write_text("name = [")

    assert ("", "acme-style", "") == (unnamed, named, distribution_name(str(tmp_path)))


def test_what_an_installation_changed_is_said_with_the_next_step() -> None:
    step = "To see what it adds, run `openkoi plugin info carp`."
    assert f"Installed carp 1.0. {step}" == describe_installed("carp", "", "1.0", upgrade=False)
    assert f"Installed carp 1.0. {step}" == describe_installed("carp", "1.0", "1.0", upgrade=False)
    assert f"Updated carp from 1.0 to 1.1. {step}" == describe_installed("carp", "1.0", "1.1", upgrade=False)
    assert "carp 1.0 is already up to date." == describe_installed("carp", "1.0", "1.0", upgrade=True)
    assert f"Installed carp. {step}" == describe_installed("carp", "", "", upgrade=False)


def test_an_environment_of_the_system_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "EXTERNALLY-MANAGED").write_text("")
    refuse_managed(tmp_path)  # a virtual environment has another prefix
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))

    with pytest.raises(KoiError, match="is managed by the system, so nothing can be installed there"):
        refuse_managed(tmp_path)
