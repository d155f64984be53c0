"""List scripts as plugins."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs import Koi, KoiError, PluginEntry

from .consent import is_approved, is_refused
from .script_files import ScriptFile, find_scripts

if TYPE_CHECKING:
    from .discovery import Scripts


def list_scripts(source: "Scripts", koi: Koi, workspace: Path) -> Iterator[ScriptFile]:
    """Yield the scripts of a workspace, the first of each name; warn of those that cannot be used."""
    names: set[str] = set()
    for found in find_scripts(source.scripts, source.folder.resolve(), (), workspace):
        if isinstance(found, KoiError):
            koi.warn(str(found))
        elif found.name in names:
            koi.warn(f"{found.path} is not used, because another script is named {found.name!r}.")
        else:
            names.add(found.name)
            yield found


def find_entries(source: "Scripts", koi: Koi, workspace: Path) -> list[PluginEntry]:
    """Return an entry for each script that the user has not refused."""
    usable = [one for one in list_scripts(source, koi, workspace) if not is_refused(one, koi)]
    return [make_entry(one, source, koi) for one in usable]


def make_entry(script: ScriptFile, source: "Scripts", koi: Koi) -> PluginEntry:
    """Return the entry of a script; another one when it, or the decision about it, has changed."""
    version = f"{script.digest} {is_approved(script, koi)} {source.seconds}"
    return PluginEntry("hooks", script.name, str(script.path), partial(load, script, source, koi), version=version)


async def load(script: ScriptFile, source: "Scripts", koi: Koi) -> object:
    """Make the plugin of a script."""
    if script.is_python:
        from .python_hooks import PythonHooks

        return PythonHooks(script, koi)
    from .script_hooks import ScriptHooks

    return ScriptHooks(script, koi, source.seconds)
