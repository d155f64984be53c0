"""Searching texts: by words, meaning, neighbours and names. A library, for whoever keeps texts.

``make_index(chunks)`` makes of any texts an index that is called with a question. A memory asks ``ranking.answer``.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .making import Index, make_index

__all__ = ["Index", "make_index"]


def __getattr__(name: str) -> Any:
    """Import what makes an index when it is asked for: a run never does."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import making

    return getattr(making, name)
