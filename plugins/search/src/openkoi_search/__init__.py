"""Search texts by words, meaning, neighbors and names: a library for plugins that keep texts."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .making import TextIndex, make_index

__all__ = ["TextIndex", "make_index"]


def __getattr__(name: str) -> Any:
    """Import what makes an index when it is asked for: a run never does."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import making

    return getattr(making, name)
