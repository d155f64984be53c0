"""Check the folder of an app; a missing folder counts as an unavailable service."""

from pathlib import Path

from openkoi_hookspecs import AppUnavailableError

POLL_SECONDS = 0.02


class SharedFolder:
    """The ``path`` of the folder, and the ``name`` of the app."""

    path: Path
    name: str

    def require_folder(self) -> None:
        """Raise AppUnavailableError if the folder is missing."""
        if not self.path.is_dir():
            raise AppUnavailableError(f"The folder {self.path} does not exist.", retry_after=POLL_SECONDS)
