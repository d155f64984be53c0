"""Use OpenKoi without its hooks, whose import takes longer than commands that only read."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openkoi_hookspecs import OpenedKoi


@asynccontextmanager
async def without_hooks(koi: "OpenedKoi") -> AsyncIterator["OpenedKoi"]:
    """Yield OpenKoi, and close the plugins that were loaded in the block."""
    async with AsyncExitStack() as stack:
        stack.push_async_exit(koi)
        yield koi
