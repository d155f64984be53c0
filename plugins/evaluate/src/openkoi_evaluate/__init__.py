"""OpenKoi's evaluators alone: work that is there already is judged, and nothing is done to it."""

from .worker import AsItStands

__all__ = ["AsItStands"]
