"""Run commands that are written ``async def``."""

from contextlib import closing
from typing import Any

from .invocation import Invocation


def run_async_command(invocation: Invocation, result: Any) -> Any:
    """Run an asynchronous command while its Koi is alive."""
    from .interruptible import interruptible

    async def live() -> Any:
        koi = invocation.koi or invocation.open()
        async with koi:
            return await result

    with closing(result):  # it was never begun, when there is no Koi for it
        return interruptible(live(), invocation.runner)
