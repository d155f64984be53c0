"""Offer the connected apps to the model as tools: content that they read is data, and sending needs approval."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import DataDir, Koi, KoiError, Run, Tool

from .connected_apps import connected_apps
from .database import FILE


class AppTools:
    """Lists the tools of the apps that are connected."""

    def __init__(self, *, folder: Annotated[Path, DataDir("assistant")]) -> None:
        self.folder = folder

    async def health(self) -> Mapping[str, str]:
        """Return who may send tasks to the assistant, by app."""
        if not (self.folder / FILE).exists():
            return {"users": "none"}
        from .daemon_status import list_users

        return {f"users of {app}": users for app, users in list_users(self.folder).items()} or {"users": "none"}

    async def tools(self, run: Run) -> Sequence[Tool]:
        """Return the tools of all connected apps; warn about apps that do not work, and omit them."""
        return [tool for name in connected_apps(run.koi) for tool in await tools_of(name, run.koi)]


async def tools_of(name: str, koi: Koi) -> Sequence[Tool]:
    """Return the tools of an app."""
    from .app_tools import build_tools

    try:
        return build_tools(name, await koi.load("integrations", name), koi)
    except KoiError as error:
        koi.warn(f"The tools of {name} are unavailable: {error}")
        return []
