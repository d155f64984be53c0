"""Parse a YAML file to plain values with their locations.

Keys may be in camelCase. Duplicate keys, references and tags are errors.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias

import yaml

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

MAX_DEPTH, MAX_VALUES = 40, 20_000
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
    """Where something starts, counted from one, and how it is written there."""

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


class Loader(yaml.SafeLoader):
    """Composes nodes; rejects references, and excessive nesting."""

    depth = count = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Compose one node and those in it."""
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]  # the stubs leave its type out
        if isinstance(event, yaml.AliasEvent):
            raise yaml_error("references (*) are not supported: write out the value", event)
        if self.depth > MAX_DEPTH:
            raise yaml_error(f"nesting is limited to {MAX_DEPTH} levels", event)
        if self.count > MAX_VALUES:
            raise yaml_error(f"a file is limited to {MAX_VALUES:,} values", event)
        self.count += 1
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def yaml_error(text: str, event: yaml.Event) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(None, None, text, event.start_mark)  # type: ignore[arg-type]  # either kind of mark will do


def parse_document(text: str, file: str) -> YamlDocument:
    """Read a text; what is wrong with it stands in the document's faults."""
    document = YamlDocument(file)
    try:
        node = yaml.compose(text, Loader=Loader)
    except yaml.MarkedYAMLError as error:
        document.faults.append(encoding_error(error, file))
    except yaml.reader.ReaderError as error:
        where = text.count("\n", 0, error.position) + 1
        document.faults.append(SpecProblem(file, where, 1, "this line contains a character that YAML does not allow."))
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        document.faults.append(SpecProblem(file, 1, 1, f"invalid YAML: {error}."))
    else:
        document.data = read_node(node, (), document) if node is not None else None
    return document


def encoding_error(error: yaml.MarkedYAMLError, file: str) -> SpecProblem:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    problem = " ".join((error.problem or error.context or "something is missing").split())
    if "\\t" in problem:
        problem = "tab used for indentation: use spaces"
    return SpecProblem(file, line, column, f"unsupported YAML: {problem}.")


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
    """Return a number, true, false or null; text where it only looks like one."""
    constructor = yaml.constructor.SafeConstructor()
    try:
        return Scalar(str(node.value), constructor.construct_object(node))
    except (yaml.YAMLError, ValueError, LookupError, OverflowError):
        return str(node.value)


def mark_of(node: yaml.Node, spelled: str = "") -> Mark:
    return Mark(node.start_mark.line + 1, node.start_mark.column + 1, spelled)


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
