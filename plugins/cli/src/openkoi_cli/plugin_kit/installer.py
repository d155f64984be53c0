"""Install and uninstall plugins with the installer (pip, uv) that made OpenKoi's environment."""

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import click

from openkoi_hookspecs import KoiError, PluginNotFoundError

from ..releases import UV_RECEIPT, has_uv, is_pipx, is_uv_tool, normalize_name, run_installer

ARCHIVES = (".whl", ".tar.gz")
NOT_INSTALLED = "Not installed: {names}. Nothing was {done}. To list what is installed, run `openkoi plugin list`."
MANAGED = (
    "The Python at {prefix} is managed by the system, so nothing can be installed there. "
    "Install OpenKoi in a virtual environment, or with `uv tool install openkoi` or `pipx install openkoi`."
)


class NotInstalledError(PluginNotFoundError):
    """No plugin of this name is installed."""

    def __init__(self, text: str) -> None:
        KoiError.__init__(self, text)


def install_plugins(names: Sequence[str], *, upgrade: bool = False) -> None:
    """Install distributions into OpenKoi's environment."""
    refuse_managed(Path(sys.prefix))
    located = [locate(name) for name in names]
    wanted = [distribution_name(place) or name for name, place in zip(names, located, strict=True)]
    before = [installed_version(name) for name in wanted]
    run_installer(install_command(located, Path(sys.prefix), upgrade=upgrade), f"install {' '.join(names)}")
    for name, old in zip(wanted, before, strict=True):
        click.echo(describe_installed(name, old, installed_version(name), upgrade=upgrade))


def remove_plugins(names: Sequence[str]) -> None:
    """Uninstall distributions from OpenKoi's environment."""
    refuse_managed(Path(sys.prefix))
    run_installer(remove_command(names, Path(sys.prefix)), f"remove {' '.join(names)}")
    click.echo(f"Removed {', '.join(names)}.")


def is_installed(name: str) -> bool:
    """Return whether a distribution is installed, however its name is spelled."""
    return bool(installed_version(name))


def installed_version(name: str) -> str:
    """Return the version of a distribution; empty if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except (PackageNotFoundError, ValueError):
        return ""


def distribution_name(source: str) -> str:
    """Return the name of the distribution in a requirement, a folder or a file; empty if it is unknown."""
    path = Path(source)
    if (path / "pyproject.toml").is_file():
        return read_project_name(path / "pyproject.toml")
    if path.name.endswith(ARCHIVES):  # acme_style-1.0-py3-none-any.whl, acme_style-1.0.tar.gz
        return normalize_name(path.name.partition("-")[0] if path.suffix == ".whl" else path.name.rpartition("-")[0])
    name = source.partition(" @ ")[0]
    return "" if "://" in name else normalize_name(name)


def read_project_name(file: Path) -> str:
    """Return the name in a pyproject.toml; empty if it has none."""
    try:
        return str(tomllib.loads(file.read_text(encoding="utf-8"))["project"]["name"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""


def describe_installed(name: str, before: str, now: str, *, upgrade: bool) -> str:
    """Return what an installation has changed, with the next step."""
    if now and now == before and upgrade:
        return f"{name} {now} is already up to date."
    if before and now != before:
        return f"Updated {name} from {before} to {now}. To see what it adds, run `openkoi plugin info {name}`."
    return f"Installed {f'{name} {now}'.rstrip()}. To see what it adds, run `openkoi plugin info {name}`."


def install_command(names: Sequence[str], prefix: Path, *, upgrade: bool) -> list[str]:
    """Return the command that installs into the environment at ``prefix``."""
    if is_uv_tool(prefix):
        return tool_command([*read_receipt(prefix).values(), *names], prefix, upgrade=upgrade)
    if is_pipx(prefix):
        return ["pipx", "inject", "--quiet", *(["--force"] if upgrade else []), prefix.name, *names]
    upgraded = ["--upgrade"] if upgrade else []
    if has_uv():
        return ["uv", "pip", "install", "--quiet", "--python", sys.executable, *upgraded, *names]
    return [sys.executable, "-P", "-m", "pip", "install", "--quiet", *upgraded, *names]


def remove_command(names: Sequence[str], prefix: Path) -> list[str]:
    """Return the command that uninstalls from the environment at ``prefix``."""
    if is_uv_tool(prefix):
        removed = {normalize_name(name) for name in names}
        kept = [one for name, one in read_receipt(prefix).items() if normalize_name(name) not in removed]
        return tool_command(kept, prefix)
    if is_pipx(prefix):
        return ["pipx", "uninject", "--quiet", prefix.name, *names]
    if has_uv():
        return ["uv", "pip", "uninstall", "--quiet", "--python", sys.executable, *names]
    return [sys.executable, "-P", "-m", "pip", "uninstall", "--quiet", "--yes", *names]


def tool_command(plugins: Sequence[str], prefix: Path, *, upgrade: bool = False) -> list[str]:
    """Return the command that makes an environment of ``uv tool`` with exactly these plugins."""
    added = [part for name in dict.fromkeys(plugins) for part in ("--with", name)]
    return ["uv", "tool", "install", "--quiet", *(["--upgrade"] if upgrade else []), prefix.name, *added]


def read_receipt(prefix: Path) -> dict[str, str]:
    """Return the source of each plugin that ``uv tool`` has installed with a tool."""
    try:
        receipt = tomllib.loads((prefix / UV_RECEIPT).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    listed = receipt.get("tool", {}).get("requirements", [])
    plugins = [one for one in listed if one["name"] != prefix.name]
    return {one["name"]: one.get("directory") or one.get("path") or one["name"] for one in plugins}


def locate(name: str) -> str:
    """Return a folder or file by its full path, since the installer runs elsewhere; any other name as it is."""
    is_path = name.startswith(".") or "/" in name or name.endswith(".whl")
    return str(Path(name).resolve()) if is_path and Path(name).exists() else name


def refuse_managed(prefix: Path) -> None:
    """Raise KoiError if the system's package manager owns the environment."""
    import sysconfig

    if prefix == Path(sys.base_prefix) and (Path(sysconfig.get_path("stdlib")) / "EXTERNALLY-MANAGED").exists():
        raise KoiError(MANAGED.format(prefix=prefix))
