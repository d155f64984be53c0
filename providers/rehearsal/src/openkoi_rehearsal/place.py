"""A value in a YAML file that knows where it stands, so that a mistake can be pointed at. Knows nothing of scripts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from openkoi_hookspecs import Json, RequestRejectedError

if TYPE_CHECKING:
    import yaml

    Node: TypeAlias = yaml.ScalarNode | yaml.SequenceNode | yaml.MappingNode


@dataclass(frozen=True, slots=True)
class Place:
    """One value, the keys that lead to it, and its file."""

    node: Node
    file: str
    key: str = ""

    @property
    def line(self) -> int:
        """The line it begins on, counted from one."""
        return int(self.node.start_mark.line) + 1

    def mistake(self, text: str) -> RequestRejectedError:
        """Say what is wrong, and where."""
        return RequestRejectedError(f"{self.file}, line {self.line}: {self.key or 'the file'} {text}.")

    def expected(self, what: str) -> RequestRejectedError:
        """Say what belongs here instead."""
        return self.mistake(f"must be {what}, not {shown(self.node)}")

    def table(self, known: Collection[str]) -> Mapping[str, Place]:
        """Read a mapping whose keys are known."""
        if self.node.id != "mapping":
            raise self.expected(f"a table with {', '.join(known)}")
        found: dict[str, Place] = {}
        for key, value in self.node.value:
            name = str(key.value)
            here = Place(key, self.file, f"{self.key}.{name}".lstrip("."))
            if name not in known:
                raise here.mistake(f"is not a key here. Known: {', '.join(known)}")
            if name in found:
                raise here.mistake("is written twice")
            found[name] = Place(value, self.file, here.key)
        return found

    def items(self) -> Sequence[Place]:
        """Read a list."""
        if self.node.id != "sequence":
            raise self.expected("a list")
        return [Place(node, self.file, f"{self.key}[{n}]") for n, node in enumerate(self.node.value, 1)]

    def value(self) -> Json:
        """Read what JSON could say as well."""
        import yaml

        try:
            value = yaml.constructor.SafeConstructor().construct_object(self.node, deep=True)
        except (yaml.YAMLError, ValueError, LookupError, AttributeError, TypeError) as error:
            raise self.expected("a plain value") from error
        if not plain(value):
            raise self.expected("text, a number, true, false, null, or lists and tables of these (quote dates)")
        return cast("Json", value)  # plain() has looked at every value in it

    def text(self) -> str:
        """Read text."""
        value = self.value()
        if not isinstance(value, str):
            raise self.expected("text (in quotes)")
        return value

    def texts(self) -> tuple[str, ...]:
        """Read one text or a list of them."""
        return tuple(item.text() for item in self.items()) if self.node.id == "sequence" else (self.text(),)

    def number(self) -> float:
        """Read a number that is not negative."""
        value = self.value()
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise self.expected("a number, zero or more")
        return float(value)

    def count(self) -> int:
        """Read a whole number that is not negative."""
        value = self.value()
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self.expected("a whole number, zero or more")
        return value

    def flag(self) -> bool:
        """Read true or false."""
        value = self.value()
        if not isinstance(value, bool):
            raise self.expected("true or false")
        return value


def opened(path: Path) -> Place:
    """Read a YAML file without believing anything it says."""
    import yaml

    try:
        node = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except (OSError, UnicodeDecodeError) as error:
        raise RequestRejectedError(f"The script {path} cannot be read: {error}.") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise RequestRejectedError(f"{path}, line {line}: this is not YAML: {error.problem}.") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise RequestRejectedError(f"{path} is not YAML: {error}.") from error
    if node is None:
        raise RequestRejectedError(f"The script {path} is empty. It needs turns: a list of answers.")
    return Place(cast("Node", node), str(path))  # a node is one of the three


def plain(value: object) -> bool:
    """Tell whether JSON can say it."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and plain(item) for key, item in value.items())
    if isinstance(value, list):
        return all(plain(item) for item in value)
    return value is None or isinstance(value, bool | int | float | str)


def shown(node: Node) -> str:
    """Say what stands there, briefly."""
    names = {"mapping": "a table", "sequence": "a list"}
    return names.get(node.id) or repr(str(node.value)[:40])
