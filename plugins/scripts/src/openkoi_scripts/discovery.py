"""Find the scripts of a workspace, each as a plugin. Every run imports this module; the others only with scripts."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from openkoi_hookspecs import DataDir, Koi, PluginEntry, SharedSetting

if TYPE_CHECKING:
    from .script_files import ScriptPlaces

CALL_SECONDS = 1.0  # default of a call: a hook delays every task (estimate)


class Scripts:
    """Lists the scripts of ``[plugins] scripts``, of the user's folder, of bundles and of the project.

    Configured by ``[sources.scripts]``: ``seconds`` is the time that a call of a script may take.
    """

    def __init__(
        self,
        *,
        scripts: Annotated[Sequence[str], SharedSetting("plugins.scripts")] = (),
        seconds: float = CALL_SECONDS,
        folder: Annotated[Path, DataDir("plugins/scripts")],
    ) -> None:
        self.scripts, self.seconds, self.folder = scripts, seconds, folder

    async def discover(self, koi: Koi, workspace: Path) -> Iterable[PluginEntry]:
        """List the scripts that the user has not refused."""
        bundles = koi.plugins("bundles")
        places = (self.folder, *(workspace / ".openkoi" / name for name in ("hooks", "commands")))
        if not self.scripts and len(bundles) <= 1 and not any(place.is_dir() for place in places):
            return []
        from .listing import find_entries

        return find_entries(await self.places(koi, workspace), self.seconds, koi)

    async def places(self, koi: Koi, workspace: Path) -> "ScriptPlaces":
        """Return the locations of scripts."""
        from .script_files import ScriptPlaces, find_bundle_folders

        return ScriptPlaces(self.scripts, self.folder, await find_bundle_folders(koi.plugins("bundles")), workspace)
