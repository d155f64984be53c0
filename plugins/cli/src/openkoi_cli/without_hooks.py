"""Use OpenKoi without its hooks, which commands that only look do not need: importing them takes longer than that."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openkoi_hookspecs import OpenedKoi


@asynccontextmanager
async def without_hooks(koi: "OpenedKoi") -> AsyncIterator["OpenedKoi"]:
    """Lend OpenKoi, and leave the plugins that were loaded meanwhile."""
    async with AsyncExitStack() as stack:
        stack.push_async_exit(koi)
        yield koi
