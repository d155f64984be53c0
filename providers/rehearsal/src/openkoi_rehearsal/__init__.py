"""A scripted model for OpenKoi's demo, tests and examples: ``Rehearsal`` reads a file, ``Scripted`` a list."""

from .rehearsal import Rehearsal
from .script import Script, ScriptedFailure, ScriptedFailureKind, ScriptedTurn, TurnCondition
from .scripted import Line, Scripted

__all__ = [
    "Line",
    "Rehearsal",
    "Script",
    "Scripted",
    "ScriptedFailure",
    "ScriptedFailureKind",
    "ScriptedTurn",
    "TurnCondition",
]
