"""Find the scripts of a workspace, each as a plugin. Every run imports this; the rest only where there are scripts."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import DataDir, Koi, PluginEntry, SharedSetting

CALL_SECONDS = 1.0


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

    def discover(self, koi: Koi, workspace: Path) -> Iterable[PluginEntry]:
        """List the scripts that the user has not refused."""
        places = (self.folder, workspace / ".openkoi" / "hooks")
        if not self.scripts and not any(place.is_dir() for place in places):
            return []
        from .listing import find_entries

        return find_entries(self, koi, workspace)
