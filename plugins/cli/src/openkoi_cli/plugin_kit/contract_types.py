"""Find the types that a contract or an example names, and show how they are imported and defined."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from textwrap import fill

import openkoi_hookspecs
from openkoi_hookspecs.lazy_dataclass import dataclass

CONTRACT = "openkoi_hookspecs"
WIDTH = 100  # columns
MACHINERY = "lazy_"  # modules of the contract that declare how its classes are made


@dataclass(frozen=True, slots=True)
class Definition:
    """A class or an alias of the contract: its code, the names in its types, and whether it is a protocol."""

    name: str
    code: str
    names: tuple[str, ...]
    protocol: bool


def format_types(code: str, defined: Iterable[str] = ()) -> Iterator[str]:
    """Yield the import of the types that code names, and each of their definitions that was not shown yet."""
    found = follow(names_in(ast.parse(code)), {*defined})
    public = sorted(one.name for one in found if one.name in vars(openkoi_hookspecs)["__all__"])
    if public:
        names = fill(", ".join(public), WIDTH, initial_indent="    ", subsequent_indent="    ")
        yield f"from {CONTRACT} import (\n{names},\n)"
    yield from (one.code for one in found)


def follow(names: Iterable[str], defined: set[str]) -> list[Definition]:
    """Return the definitions of names and of the types in them; a protocol is included only by its own name."""
    found: dict[str, Definition] = {}
    known, waiting = definitions(), [*names]
    while waiting:
        name = waiting.pop(0)
        if name in known and name not in found and name not in defined:
            found[name] = known[name]
            inner = () if known[name].protocol else known[name].names
            waiting += [one for one in inner if one in known and not known[one].protocol]
    return [*found.values()]


@cache
def definitions() -> Mapping[str, Definition]:
    """Return the classes and aliases of the contract by their names."""
    files = sorted(Path(openkoi_hookspecs.__file__).parent.glob("[a-z]*.py"))
    texts = [file.read_text(encoding="utf-8") for file in files if not file.name.startswith(MACHINERY)]
    return {one.name: one for text in texts for one in read_definitions(text)}


def read_definitions(text: str) -> Iterator[Definition]:
    """Yield what a module defines."""
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
            yield define(node.name, lines[first - 1 : node.end_lineno], node, protocol="Protocol" in bases)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and is_alias(node):
            yield define(node.target.id, lines[node.lineno - 1 : node.end_lineno], node, protocol=False)


def define(name: str, lines: list[str], node: ast.AST, *, protocol: bool) -> Definition:
    return Definition(name, "\n".join(lines), tuple(dict.fromkeys(names_in(node))), protocol)


def is_alias(node: ast.AnnAssign) -> bool:
    return isinstance(node.annotation, ast.Name) and node.annotation.id == "TypeAlias"


def names_in(tree: ast.AST) -> Iterator[str]:
    """Yield what code imports from the contract, and all names in its annotations, base classes and aliases."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(CONTRACT):
            yield from (alias.name for alias in node.names)
        for part in types_of(node):
            yield from (one.id for one in ast.walk(part) if isinstance(one, ast.Name))
            yield from (
                one.value for one in ast.walk(part) if isinstance(one, ast.Constant) and isinstance(one.value, str)
            )


def types_of(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that are types."""
    match node:
        case ast.AnnAssign() if is_alias(node) and node.value:
            yield node.value
        case ast.AnnAssign(annotation=part) | ast.arg(annotation=ast.expr() as part):
            yield part
        case ast.FunctionDef(returns=ast.expr() as part) | ast.AsyncFunctionDef(returns=ast.expr() as part):
            yield part
        case ast.ClassDef(bases=bases):
            yield from bases
