"""Import the modules of a package when one of their names is first used, as PEP 810 lets packages do from Python 3.15.

with LazyExports(globals()):
    from .agent import Agent as Agent
    from .agent import Team as Team
"""

import builtins
from _thread import allocate_lock  # what threading.Lock is, without its module
from importlib import import_module
from typing import Any


class Export(tuple[str, str]):
    """A name that a package exports: its module, and its name there."""

    __slots__ = ()


class Exports:
    """A placeholder for a module while a package declares which of its names it exports."""

    def __init__(self, module: str) -> None:
        self.__module = module

    def __getattr__(self, name: str) -> Export:
        return Export((self.__module, name))


# Of two threads that import packages, the second would otherwise restore the hook of the first.
ONE_AT_A_TIME = allocate_lock()


class LazyExports:
    """Collect the imports of a package's ``__init__``; each is carried out when its name is first used."""

    def __init__(self, package: dict[str, Any]) -> None:
        self.package = package
        self.exports: dict[str, Export] = {}

    def __enter__(self) -> None:
        ONE_AT_A_TIME.acquire()
        self.import_now = builtins.__import__
        builtins.__import__ = self.note

    def note(self, name: str, *details: Any, **named: Any) -> Any:
        """Record an import of the package; carry out imports of other modules, in other threads."""
        if not details or details[0] is not self.package:
            return self.import_now(name, *details, **named)
        relative = details[-1] > 0
        return Exports(f"{self.package['__name__']}.{name}".rstrip(".") if relative else name)

    def __exit__(self, *_: object) -> None:
        builtins.__import__ = self.import_now
        ONE_AT_A_TIME.release()
        self.exports = {name: value for name, value in self.package.items() if isinstance(value, Export)}
        for name in self.exports:
            del self.package[name]
        self.package |= {
            "__all__": sorted(self.exports),
            "__getattr__": self.load,
            "__dir__": lambda: sorted({*self.package, *self.exports}),
        }

    def load(self, name: str) -> object:
        """Import the object that a name refers to, and keep it."""
        package = self.package["__name__"]
        if name not in self.exports:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, attribute = self.exports[name]
        is_module = module == package  # from . import hooks
        value = import_module(f"{package}.{attribute}") if is_module else getattr(import_module(module), attribute)
        self.package[name] = value
        return value
