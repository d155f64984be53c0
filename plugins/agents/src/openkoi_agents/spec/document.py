"""Parse a YAML file to plain values with their locations.

Keys may be in camelCase. Duplicate keys, references and tags are errors.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias, cast

import yaml

from openkoi_base.yaml_nodes import InvalidYamlError, locate, parse_yaml, read_value
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

TAG = "tag:yaml.org,2002:"
PLAIN = frozenset(TAG + kind for kind in ("int", "float", "bool", "null"))
TEXTS = frozenset(TAG + kind for kind in ("str", "timestamp"))
TABLES = frozenset({TAG + "map", TAG + "seq"})
HUMP = lazy_pattern(r"(?<=[a-z0-9])[A-Z]")
FREE_KEYS = frozenset({"approvals"})
MAX_SHOWN_CHARACTERS = 40
Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, order=True)
class SpecProblem:
    """An error in a file, and its location."""

    file: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}, column {self.column}: {self.text}"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value that is not text: as written, and as YAML reads it."""

    raw: str
    value: int | float | bool | None


@dataclass(frozen=True, slots=True)
class Mark:
    """The position where a value starts, counted from one, and how it is written there."""

    line: int
    column: int
    spelled: str = ""


@dataclass(slots=True)
class YamlDocument:
    """The content of a file; ``keys`` and ``values`` locate each part by its path."""

    file: str
    data: object = None
    keys: dict[Path, Mark] = field(default_factory=dict)
    values: dict[Path, Mark] = field(default_factory=dict)
    faults: list[SpecProblem] = field(default_factory=list)

    def make_problem(self, path: Path, text: str, *, key: bool = False) -> SpecProblem:
        """Return an error at the value of a path, at its key, or at its parent if it does not exist."""
        marks: Mapping[Path, Mark] = self.keys if key else self.values
        while path and path not in marks:
            path, marks = path[:-1], self.values
        mark = marks.get(path, Mark(1, 1))
        return SpecProblem(self.file, mark.line, mark.column, text)

    def line(self, path: Path) -> int:
        """Return the line of a key."""
        return self.keys[path].line if path in self.keys else 1


def parse_document(text: str, file: str) -> YamlDocument:
    """Parse a text; its errors are in the document's ``faults``."""
    document = YamlDocument(file)
    try:
        node = parse_yaml(text)
    except InvalidYamlError as error:
        document.faults.append(syntax_problem(error, file))
    else:
        document.data = read_node(node, (), document) if node is not None else None
    return document


def syntax_problem(error: InvalidYamlError, file: str) -> SpecProblem:
    kind = "unsupported" if error.unsupported else "invalid"
    problem = "tab used for indentation: use spaces" if "\\t" in error.problem else error.problem
    return SpecProblem(file, error.line, error.column, f"{kind} YAML: {problem}.")


def read_node(node: yaml.Node, path: Path, document: YamlDocument) -> object:
    """Return the value of a node, recording its position."""
    document.values[path] = mark_of(node)
    if isinstance(node, yaml.MappingNode) and node.tag in TABLES:
        return table(node, path, document)
    if isinstance(node, yaml.SequenceNode) and node.tag in TABLES:
        return [read_node(item, (*path, number), document) for number, item in enumerate(node.value)]
    if isinstance(node, yaml.ScalarNode) and node.tag in PLAIN | TEXTS:
        return node.value if node.tag in TEXTS else read_scalar(node)
    document.faults.append(
        document.make_problem(path, f"the tag {abbreviate_value(node.tag)} is not supported: remove it.")
    )
    return Scalar("", None)


def table(node: yaml.MappingNode, path: Path, document: YamlDocument) -> dict[str, object]:
    found: dict[str, object] = {}
    free = bool(path) and path[-1] in FREE_KEYS
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            mark = mark_of(key)
            document.faults.append(SpecProblem(document.file, mark.line, mark.column, "a key must be text."))
            continue
        name = str(key.value) if free else to_snake_case(str(key.value))
        here, mark = (*path, name), mark_of(key, str(key.value))
        if name in found:
            name = abbreviate_value(mark.spelled)
            text = f"{name} occurs twice, first on line {document.line(here)}: remove one of them."
            document.faults.append(SpecProblem(document.file, mark.line, mark.column, text))
            continue
        document.keys[here] = mark
        found[name] = read_node(value, here, document)
    return found


def read_scalar(node: yaml.ScalarNode) -> object:
    """Parse a number, true, false or null; return text that only looks like one unchanged."""
    try:
        return Scalar(str(node.value), cast("int | float | bool | None", read_value(node)))  # by its tag
    except InvalidYamlError:
        return str(node.value)


def mark_of(node: yaml.Node, spelled: str = "") -> Mark:
    return Mark(*locate(node.start_mark), spelled)


def to_snake_case(key: str) -> str:
    """Return a key in snake case: ``maxCycles`` is ``max_cycles``."""
    return HUMP.sub(lambda hump: "_" + hump[0].lower(), key)


def abbreviate_value(value: object) -> str:
    """Return a short description of a value."""
    match value:
        case dict():
            return "a table"
        case list():
            return "a list"
        case Scalar(raw=raw):
            return raw[:MAX_SHOWN_CHARACTERS] or "nothing"
    text = str(value)
    return repr(text if len(text) <= MAX_SHOWN_CHARACTERS else text[: MAX_SHOWN_CHARACTERS - 1] + "…")
