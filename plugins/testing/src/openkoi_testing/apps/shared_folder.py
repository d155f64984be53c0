"""The folder of an app: there, or away as a service can be."""

from pathlib import Path

from openkoi_hookspecs import AppUnavailableError

POLL_SECONDS = 0.02


class SharedFolder:
    """``path`` is the folder, ``name`` what the app is called."""

    path: Path
    name: str

    def require_folder(self) -> None:
        """Raise AppUnavailableError where the folder is missing."""
        if not self.path.is_dir():
            raise AppUnavailableError(f"The folder {self.path} is not there.", retry_after=POLL_SECONDS)
