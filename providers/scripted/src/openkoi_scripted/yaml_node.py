"""Read values from a YAML file, with line numbers in errors."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from openkoi_base.yaml_nodes import InvalidYamlError, parse_yaml, read_value
from openkoi_hookspecs import Json, RequestRejectedError
from openkoi_hookspecs.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from openkoi_base.yaml_nodes import Node


@dataclass(frozen=True, slots=True)
class YamlNode:
    """A value, the path of keys to it, and its file."""

    node: Node
    file: str
    key: str = ""

    @property
    def line(self) -> int:
        """Line on which the value starts, from one."""
        return int(self.node.start_mark.line) + 1

    def error(self, text: str) -> RequestRejectedError:
        """Return an error that names the file, line and key."""
        return RequestRejectedError(f"{self.file}, line {self.line}: {self.key or 'the file'} {text}.")

    def type_error(self, what: str) -> RequestRejectedError:
        """Return the error for a value of another type."""
        return self.error(f"must be {what}, not {describe_node(self.node)}")

    def table(self, known: Collection[str]) -> Mapping[str, YamlNode]:
        """Return a mapping; raise for unknown or duplicate keys."""
        if self.node.id != "mapping":
            raise self.type_error(f"a table with {', '.join(known)}")
        found: dict[str, YamlNode] = {}
        for key, value in self.node.value:
            name = str(key.value)
            here = YamlNode(key, self.file, f"{self.key}.{name}".lstrip("."))
            if name not in known:
                raise here.error(f"is not a valid key. Valid keys: {', '.join(known)}")
            if name in found:
                raise here.error("is a duplicate key")
            found[name] = YamlNode(value, self.file, here.key)
        return found

    def items(self) -> Sequence[YamlNode]:
        """Return a list."""
        if self.node.id != "sequence":
            raise self.type_error("a list")
        return [YamlNode(node, self.file, f"{self.key}[{n}]") for n, node in enumerate(self.node.value, 1)]

    def value(self) -> Json:
        """Return a value that JSON can represent."""
        try:
            value = read_value(self.node)
        except InvalidYamlError as error:
            raise self.type_error("a plain value") from error
        if not is_plain(value):
            raise self.type_error("text, a number, true, false, null, or lists and tables of these (quote dates)")
        return cast("Json", value)  # plain() has looked at every value in it

    def text(self) -> str:
        """Return a string."""
        value = self.value()
        if not isinstance(value, str):
            raise self.type_error("text (in quotes)")
        return value

    def texts(self) -> tuple[str, ...]:
        """Return a string or a list of strings as a tuple."""
        return tuple(item.text() for item in self.items()) if self.node.id == "sequence" else (self.text(),)

    def number(self) -> float:
        """Return a number of at least zero."""
        value = self.value()
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise self.type_error("a number, zero or more")
        return float(value)

    def count(self) -> int:
        """Return a whole number of at least zero."""
        value = self.value()
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self.type_error("a whole number, zero or more")
        return value

    def flag(self) -> bool:
        """Return true or false."""
        value = self.value()
        if not isinstance(value, bool):
            raise self.type_error("true or false")
        return value


def load_yaml(path: Path) -> YamlNode:
    """Load a YAML file safely."""
    try:
        content = path.read_bytes()
        node = parse_yaml(content.decode("utf-8-sig"))
    except OSError as error:
        raise RequestRejectedError(f"Cannot read the script {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise RequestRejectedError(f"{path}, line {line}: not valid UTF-8. Save the file as UTF-8.") from error
    except InvalidYamlError as error:
        raise RequestRejectedError(f"{path}, line {error.line}: invalid YAML: {error.problem}.") from error
    if node is None:
        raise RequestRejectedError(f"The script {path} is empty. It needs a list of turns.")
    return YamlNode(node, str(path))


def is_plain(value: object) -> bool:
    """Return whether JSON can represent a value."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_plain(item) for key, item in value.items())
    if isinstance(value, list):
        return all(is_plain(item) for item in value)
    return value is None or isinstance(value, bool | int | float | str)


def describe_node(node: Node) -> str:
    """Return a short description of a value."""
    names = {"mapping": "a table", "sequence": "a list"}
    return names.get(node.id) or repr(str(node.value)[:40])
