"""Parse YAML to nodes that know their line and column, without references or deep nesting."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from openkoi_hookspecs import KoiError

if TYPE_CHECKING:
    import yaml

    Node: TypeAlias = yaml.ScalarNode | yaml.SequenceNode | yaml.MappingNode

MAX_DEPTH = 60  # of nested values: PyYAML's time grows with the square of it, and libyaml crashes at about 30,000
MAX_VALUES = 20_000  # in a file; estimate: PyYAML takes a second for them
# Errors of YAML's own tags for invalid text, such as ``!!timestamp x``, and of escapes such as ``"\U00110000"``.
VALUE_ERRORS = (RecursionError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError)


class InvalidYamlError(KoiError):
    """A text that is not YAML, or that is ``unsupported`` YAML; ``line`` and ``column`` count from one."""

    def __init__(self, problem: str, line: int = 1, column: int = 1, *, unsupported: bool = False) -> None:
        super().__init__(f"line {line}, column {column}: {problem}")
        self.problem, self.line, self.column = problem, line, column
        self.unsupported = unsupported


def parse_yaml(text: str) -> "Node | None":
    """Return the root of a document, or None if it is empty. Raises InvalidYamlError."""
    import yaml

    with suppress(yaml.YAMLError):  # libyaml is six times as fast; what is wrong, PyYAML's own parser says better
        return compose_node(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    try:
        return compose_node(text, yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        problem = " ".join((error.problem or error.context or "something is missing").split())
        if problem.startswith("but ") and error.context:
            problem = f"{error.context}, {problem}"
        raise InvalidYamlError(problem, *locate(error.problem_mark or error.context_mark)) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InvalidYamlError("this line contains a character that YAML does not allow", line) from error
    except (yaml.YAMLError, *VALUE_ERRORS) as error:
        raise InvalidYamlError(str(error)) from error


def compose_node(text: str, loader: "type[yaml.SafeLoader]") -> "Node | None":
    """Return the root by a loader of PyYAML. Raises YAMLError, and InvalidYamlError for what is unsupported."""
    import yaml

    depth = count = 0
    for event in yaml.parse(text, Loader=loader):  # which does not recurse, as composing does
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        count += isinstance(event, yaml.NodeEvent)
        if problem := find_unsupported(event, depth, count):
            raise InvalidYamlError(problem, *locate(event.start_mark), unsupported=True)
    return cast("Node | None", yaml.compose(text, Loader=loader))  # a node is one of the three


def find_unsupported(event: "yaml.Event", depth: int, count: int) -> str:
    """Return what is unsupported at an event: a reference, or too many or too deep values; empty if nothing is."""
    import yaml

    if isinstance(event, yaml.AliasEvent):
        return "references (*) are not supported: write out the value"
    if depth > MAX_DEPTH:
        return f"values are nested more than {MAX_DEPTH} deep"
    return f"a file is limited to {MAX_VALUES:,} values" if count > MAX_VALUES else ""


def locate(mark: Any) -> tuple[int, int]:
    """Return the line and column of a mark of either parser, from one."""
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


def read_value(node: "yaml.Node") -> object:
    """Return the value of a node and those in it. Raises InvalidYamlError for an invalid one."""
    import yaml

    try:
        return yaml.constructor.SafeConstructor().construct_document(node)
    except yaml.MarkedYAMLError as error:
        raise InvalidYamlError(str(error.problem), *locate(error.problem_mark)) from error
    except VALUE_ERRORS as error:
        raise InvalidYamlError("a value does not match its tag", *locate(node.start_mark)) from error
