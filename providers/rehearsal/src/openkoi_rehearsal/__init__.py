"""A scripted model for OpenKoi's demo, tests and examples: ``Rehearsal`` reads a file, ``Scripted`` a list."""

from .rehearsal import Rehearsal
from .script import Fault, Mishap, Script, Turn, When
from .scripted import Line, Scripted

__all__ = ["Fault", "Line", "Mishap", "Rehearsal", "Script", "Scripted", "Turn", "When"]
