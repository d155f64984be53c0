"""Record calls of functions whose effect on the process cannot be detected afterwards."""

import sys
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from typing import Any

AT_EXIT = ("atexit", "register")
LASTING = (
    ("codecs", "register"),
    ("copyreg", "pickle"),
    ("faulthandler", "dump_traceback_later"),
    ("gc", "freeze"),
    ("gc", "set_debug"),
    ("mimetypes", "add_type"),
    ("os", "putenv"),
    ("os", "register_at_fork"),
    ("os", "unsetenv"),
    ("random", "seed"),
    ("signal", "set_wakeup_fd"),
    ("signal", "siginterrupt"),
    ("sys", "addaudithook"),
)


class CallRecorder:
    """Records calls until ``finish``; calls by Python's own modules and by imports do not count."""

    def __init__(self, functions: Sequence[tuple[str, str]]) -> None:
        self.found: list[str] = []
        self.before: list[tuple[Any, str, Any]] = []
        for module_name, name in functions:
            module = import_module(module_name)
            if function := getattr(module, name, None):  # not every system has all
                self.before.append((module, name, function))
                setattr(module, name, self.recording(f"{module_name}.{name}", function))

    def recording(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that records each of its calls."""

        @wraps(function)
        def call_recorded(*args: Any, **named: Any) -> Any:
            if is_of_plugin(sys._getframe(1).f_globals):
                self.found.append(describe_call(name, args))
            return function(*args, **named)

        call_recorded.__module__ = __name__  # so that it is not taken for a plugin's
        return call_recorded

    def finish(self) -> list[str]:
        """Return the recorded calls."""
        for module, name, function in self.before:
            setattr(module, name, function)
        return self.found


def is_of_plugin(caller: dict[str, Any]) -> bool:
    """Return whether a call comes from a module that is neither Python's nor OpenKoi's, nor being imported."""
    is_imported = getattr(caller.get("__spec__"), "_initializing", False)
    package = str(caller.get("__name__")).partition(".")[0]
    return not is_imported and not package.startswith("openkoi") and package not in sys.stdlib_module_names


def describe_call(name: str, args: Sequence[Any]) -> str:
    """Return the name of a recorded call; for ``atexit``, with the registered function."""
    if name == ".".join(AT_EXIT):
        return f"registered a function to call at exit ({getattr(args[0], '__qualname__', args[0])})"
    return f"called {name}, which has a lasting effect"
