"""Find the redactor of the program that is running, for code that is not given one: HTTP clients, commands."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .known import environment_secrets
from .redactor import Redactor

CURRENT: ContextVar[Redactor | None] = ContextVar("redactor", default=None)


def current_redactor() -> Redactor:
    """Return the current redactor; without one, a new one that knows the secrets of the environment."""
    return CURRENT.get() or Redactor(environment_secrets(os.environ))


@contextmanager
def use_redactor(redactor: Redactor) -> Iterator[None]:
    """Use a redactor in this block."""
    before = CURRENT.set(redactor)
    try:
        yield
    finally:
        CURRENT.reset(before)
