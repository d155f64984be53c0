"""Run asynchronous commands."""

from contextlib import closing
from typing import Any

from .invocation import Invocation


def run_async_command(invocation: Invocation, result: Any) -> Any:
    """Run an asynchronous command while its Koi is alive."""
    from .interruptible import run_interruptible

    async def live() -> Any:
        koi = invocation.koi or invocation.open()
        async with koi:
            return await result

    with closing(result):  # not started if opening a Koi failed
        return run_interruptible(live(), invocation.runner)
