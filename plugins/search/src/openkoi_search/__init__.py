"""Search texts by words, meaning, neighbours and names: a library for plugins that store texts."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .index import TextIndex, make_index

__all__ = ["TextIndex", "make_index"]


def __getattr__(name: str) -> Any:
    """Import the index on first use, so that a run never pays for it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import index

    return getattr(index, name)
