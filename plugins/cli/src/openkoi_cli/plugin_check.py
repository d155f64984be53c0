"""Check plugins for ``openkoi doctor``: a broken plugin does not prevent the others from being checked."""

import asyncio
from collections.abc import Awaitable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openkoi_hookspecs import Koi

ANSWER_TIMEOUT_SECONDS = 3.0  # estimate: a local server that is loading a model
NOT_WORKING = "not working"
NOT_CONNECTED = "not connected"


async def load_before(kind: str, names: Iterable[str], koi: "Koi") -> None:
    """Load plugins one by one, before they are checked at the same time.

    Importing one blocks the others, which might then not answer in time.
    """
    for name in names:
        with suppress(Exception):  # it is loaded again when it is checked, and then reported
            async with asyncio.timeout(ANSWER_TIMEOUT_SECONDS):
                await koi.load(kind, name)


async def describe_state(name: str, answer: Awaitable[str], seconds: float) -> tuple[str, str]:
    """Return the state that a plugin reports within this many seconds, and what is wrong with it."""
    from openkoi_base.isolation import contain_exit, format_error
    from openkoi_hookspecs import KoiError, SignInRequiredError

    try:
        with contain_exit():
            async with asyncio.timeout(seconds):
                return await answer, ""
    except TimeoutError:
        return NOT_WORKING, f"{name} did not answer within {seconds:g} s."
    except KoiError as error:
        missing = isinstance(error, SignInRequiredError) and error.missing
        return NOT_CONNECTED if missing else NOT_WORKING, str(error)
    except Exception as error:  # a plugin may raise anything
        return NOT_WORKING, f"{name} failed: {format_error(error)}"
