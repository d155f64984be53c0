"""Test what a plugin supports, and skip what it does not."""

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

T = TypeVar("T")


def require_protocol(plugin: object, protocol: Callable[..., T]) -> T:
    """Return a plugin as one that supports this; skip the test where it does not."""
    kind: Any = protocol
    if not isinstance(plugin, kind):
        pytest.skip(f"{type(plugin).__name__} is not a {kind.__name__}")
    supported: T = plugin
    return supported
