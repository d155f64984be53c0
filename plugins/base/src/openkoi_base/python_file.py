"""Load a module from the text of one Python file, and find where in the file an error was raised."""

from traceback import walk_tb
from types import ModuleType

from openkoi_hookspecs import PluginError

from .isolation import format_error


def make_module(name: str, path: str, text: str) -> ModuleType:
    """Return the module of a plugin, created from the text that the user approved; the file is not read again."""
    module = ModuleType(f"script_{name.replace('-', '_')}")
    module.__file__ = path
    try:
        exec(compile(text, path, "exec"), vars(module))  # consent is given
    except Exception as error:
        place = find_place(error, path) or path
        raise PluginError(name, "loading", f"{place}: {format_error(error)}") from error
    return module


def find_place(error: BaseException, path: str) -> str:
    """Return the file and line where an error was raised; empty if that is outside the file."""
    if isinstance(error, SyntaxError):
        return f"{path}:{error.lineno}" if error.filename == path else ""
    lines = [frame.f_lineno for frame, _ in walk_tb(error.__traceback__) if frame.f_code.co_filename == path]
    return f"{path}:{lines[-1]}" if lines else ""
