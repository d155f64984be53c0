"""List scripts as plugins."""

from collections.abc import Iterator
from functools import partial

from openkoi_hookspecs import Koi, KoiError, PluginEntry

from .consent import is_approved, is_refused
from .script_files import ScriptFile, ScriptPlaces, find_scripts


def list_scripts(places: ScriptPlaces, koi: Koi) -> Iterator[ScriptFile]:
    """Yield the scripts of a workspace, the first of each name; warn of those that cannot be used."""
    names: set[tuple[str, bool]] = set()
    for found in find_scripts(places):
        if isinstance(found, KoiError):
            koi.warn(str(found))
        elif (found.name, found.is_command) in names:
            koi.warn(f"{found.path} is not used, because another script is named {found.name!r}.")
        else:
            names.add((found.name, found.is_command))
            yield found


def find_entries(places: ScriptPlaces, seconds: float, koi: Koi) -> list[PluginEntry]:
    """Return an entry for each script that the user has not refused; a call of one may take so many seconds."""
    usable = [one for one in list_scripts(places, koi) if not is_refused(one, koi)]
    return [make_entry(one, seconds, koi) for one in usable]


def make_entry(script: ScriptFile, seconds: float, koi: Koi) -> PluginEntry:
    """Return the entry of a script; another one when it, or the decision about it, has changed."""
    version = f"{script.digest} {is_approved(script, koi)} {seconds}"
    kind = "commands" if script.is_command else "hooks"
    return PluginEntry(kind, script.name, str(script.path), partial(load_script, script, seconds, koi), version=version)


async def load_script(script: ScriptFile, seconds: float, koi: Koi) -> object:
    """Make the plugin of a script."""
    if script.is_command:
        from .script_command import make_command

        return await make_command(script, seconds)
    if script.is_python:
        from .python_hooks import PythonHooks

        return PythonHooks(script, koi)
    from .script_hooks import ScriptHooks

    return ScriptHooks(script, koi, seconds)
