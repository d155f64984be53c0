"""The types of the Web API: what it answers and sends, and what calls one of its methods."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Facts = Mapping[str, Any]
Call = Callable[..., Awaitable[dict[str, Any]]]
