"""Check plugins for ``openkoi doctor``: a broken plugin does not prevent the others from being checked."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openkoi_hookspecs import Koi

ANSWER_TIMEOUT_SECONDS = 3.0  # estimate: a local server that is loading a model
BLOCKED_SECONDS = 1.0  # estimate: a third of what the others have, so that they still answer in time
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


async def describe_states(
    names: Sequence[str], ask: Callable[[str], Awaitable[str]], seconds: float
) -> Mapping[str, tuple[str, str]]:
    """Ask plugins at the same time; return the state and the problem of each, as ``describe_state`` does.

    One that blocks the event loop is named, and the others are asked again without it.
    """
    from openkoi_base.side_effects.watched_function import WatchedAwaitable

    blocking: list[str] = []

    async def ask_one(name: str) -> str:
        return str(await WatchedAwaitable(ask(name), BlockingWatch(name), blocking.append))

    async def ask_all(some: Sequence[str]) -> Mapping[str, tuple[str, str]]:
        answers = await asyncio.gather(*(describe_state(name, ask_one(name), seconds) for name in some))
        return dict(zip(some, answers, strict=True))

    states = {**await ask_all(names)}
    if blocking:
        states |= await ask_all([name for name in names if name not in blocking])
    return states | {name: (states[name][0], describe_blocking(name)) for name in blocking}


def describe_blocking(name: str) -> str:
    return f"{name} blocked all other checks for more than {BLOCKED_SECONDS:g} s. Its code must wait with `await`."


class BlockingWatch:
    """Detect a plugin that blocks the event loop, and name it at once: it may never return."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_blocking = False

    @contextmanager
    def step(self) -> Iterator[None]:
        """Watch the code that runs meanwhile."""
        timer = Timer(BLOCKED_SECONDS, self.note)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def note(self) -> None:
        import click

        self.is_blocking = True
        click.echo(f"Waiting for {self.name}, which blocks all other checks.", err=True)

    def finish(self, report: Callable[[str], object]) -> None:
        """Report the name of a plugin that blocked."""
        if self.is_blocking:
            report(self.name)
