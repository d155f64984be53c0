"""Offer the connected apps to the model as tools."""

from collections.abc import Sequence

from openkoi_hookspecs import Run, Tool


class AppTools:
    """Lists the tools of the apps that are connected."""

    async def tools(self, run: Run) -> Sequence[Tool]:
        """Return the tools of all connected apps."""
        return []
