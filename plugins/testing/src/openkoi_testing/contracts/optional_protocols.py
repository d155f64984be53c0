"""Test the optional protocols that a plugin supports; skip the others."""

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

T = TypeVar("T")


def require_protocol(plugin: object, protocol: Callable[..., T]) -> T:
    """Return a plugin as an implementation of a protocol; skip the test if it is not one."""
    kind: Any = protocol
    if not isinstance(plugin, kind):
        pytest.skip(f"{type(plugin).__name__} is not a {kind.__name__}")
    supported: T = plugin
    return supported
