"""A fake model with a script, for the demo, tests and examples: ScriptedProvider reads a file, Scripted a list."""

from .script import ScriptedFailure as ScriptedFailure
from .script import ScriptedFailureKind as ScriptedFailureKind
from .script import ScriptedTurn as ScriptedTurn
from .script_file_provider import ScriptedProvider as ScriptedProvider
from .scripted import Line as Line
from .scripted import Scripted as Scripted
