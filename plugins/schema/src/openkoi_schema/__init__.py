"""What a model gives a tool, held against the tool's JSON Schema. A library, without entry points."""

from .arguments import fitted

__all__ = ["fitted"]
