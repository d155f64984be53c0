"""What a model is told of tools, and what it gives them. A library, without entry points."""

from .arguments import fitted
from .rare import CALL, FIND, meant, offered

__all__ = ["CALL", "FIND", "fitted", "meant", "offered"]
