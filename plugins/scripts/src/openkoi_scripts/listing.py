"""List scripts as plugins."""

from collections.abc import Iterator
from functools import partial

from openkoi_hookspecs import HostFile, Koi, KoiError, PluginEntry

from .consent import is_approved, is_refused
from .script_files import ScriptFile, ScriptPlaces, find_scripts


def list_scripts(places: ScriptPlaces, koi: Koi) -> Iterator[ScriptFile]:
    """Yield the scripts of a workspace, the first of each name; warn about those that cannot be used."""
    names: set[tuple[str, bool]] = set()
    for found in find_scripts(places):
        if isinstance(found, KoiError):
            koi.warn(str(found))
        elif (found.name, found.is_command) in names:
            koi.warn(
                f"{found.path} is not used, because another script is named {found.name!r}. Rename one of the two."
            )
        else:
            names.add((found.name, found.is_command))
            yield found


def find_entries(places: ScriptPlaces, seconds: float, koi: Koi) -> list[PluginEntry]:
    """Return an entry for each script that the user has not refused; ``seconds`` limits each call."""
    usable = [one for one in list_scripts(places, koi) if not is_refused(one, koi)]
    return [make_entry(one, seconds, koi) for one in usable]


def make_entry(script: ScriptFile, seconds: float, koi: Koi) -> PluginEntry:
    """Return the entry of a script, whose version changes with the script and the decision about it."""
    version = f"{script.digest} {is_approved(script, koi)} {seconds}"
    kind = "commands" if script.is_command else "hooks"
    load = partial(load_script, script, seconds, koi)
    load_in_subprocess = partial(load_python, script, koi) if script.is_python else None
    return PluginEntry(kind, script.name, str(script.path), load, version, load_in_subprocess)


async def load_script(script: ScriptFile, seconds: float, koi: Koi) -> object:
    """Make the plugin of a script."""
    if script.is_command:
        from .script_command import make_command

        return await make_command(script, seconds)
    if script.is_python:
        return await load_python(script, koi)
    from .script_hooks import ScriptHooks

    return ScriptHooks(script, koi, seconds)


async def load_python(script: ScriptFile, koi: Koi, host: HostFile | None = None) -> object:
    """Make the plugin of a Python file, in the process of a ``host`` if given."""
    from .python_hooks import PythonHooks

    return PythonHooks(script, koi, host)
