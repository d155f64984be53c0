"""Read agents from YAML files: a library, without entry points."""

from .reading import read_agent
from .spec import Bounds, Spec

__all__ = ["Bounds", "Spec", "read_agent"]
