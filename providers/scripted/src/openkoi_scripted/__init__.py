"""A fake model with a script, for the demo, tests and examples: ScriptedProvider reads a file, Scripted a list."""

from .script import ScriptedFailure, ScriptedFailureKind, ScriptedTurn
from .script_file_provider import ScriptedProvider
from .scripted import Line, Scripted

__all__ = [
    "Line",
    "Scripted",
    "ScriptedFailure",
    "ScriptedFailureKind",
    "ScriptedProvider",
    "ScriptedTurn",
]
