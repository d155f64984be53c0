"""Implement an app that is a folder: a messenger and document store, shared by every program that can access it."""

from pathlib import Path

from openkoi_hookspecs.integrations import SenderKind

from .documents_folder import DocumentsFolder
from .posts_file import PostsFile


class FolderApp(PostsFile, DocumentsFolder):
    """Use ``[integrations.folder] path = "..."``; ``user`` is the account's name, ``name`` the app's.

    Another user is another object with another ``user``. A channel whose name begins with ``@`` is a direct one.
    """

    def __init__(self, *, path: Path, user: str = "koi", name: str = "folder", bot: bool = True) -> None:
        self.path, self.user, self.name = Path(path), user, name
        self.kind = SenderKind.BOT if bot else SenderKind.PERSON

    async def health(self) -> dict[str, str]:
        """Return the path of the folder; raise AppUnavailableError if it is missing."""
        self.require_folder()
        return {"folder": str(self.path), "user": self.user}
