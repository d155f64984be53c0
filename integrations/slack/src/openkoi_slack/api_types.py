"""The types of the Web API: its responses, what is sent to it, and what calls one of its methods."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Facts = Mapping[str, Any]
Call = Callable[..., Awaitable[dict[str, Any]]]
