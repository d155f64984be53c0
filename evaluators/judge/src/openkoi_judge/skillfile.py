"""Read a rubric from the text of a SKILL.md: YAML between two lines of dashes, then Markdown. Knows no folders."""

import re
from collections.abc import Mapping
from math import isclose

from openkoi_hookspecs import KoiError

from .rubric import Dimension, Rubric

FILE = re.compile(r"\A---[ \t]*\n(?P<front>.*?)\n---[ \t]*(?:\n(?P<guide>.*))?\Z", re.DOTALL)
TOLERANCE = 0.01


def read_rubric(text: str, folder: str) -> Rubric:
    """Read leniently: a missing name is the folder's, descriptions may be absent. Raises KoiError for the rest."""
    parts = FILE.match(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    if not parts:
        raise KoiError("it does not begin with YAML between two lines of three dashes")
    front = mapping(load(parts["front"]))
    if front.get("kind", "evaluator") != "evaluator":
        raise KoiError(f"its kind is {front['kind']!r}, not 'evaluator'")
    facts = {**front, **mapping(front.get("metadata"))}
    return Rubric(
        str(front.get("name") or folder).strip(),
        dimensions(facts.get("dimensions")),
        description=str(front.get("description") or ""),
        categories=words(facts.get("categories")),
        guide=(parts["guide"] or "").strip(),
    )


def load(front: str) -> object:
    """Parse YAML; a mistake in it is told with its line."""
    import yaml

    try:
        return yaml.safe_load(front)
    except yaml.YAMLError as error:
        raise KoiError(f"its front matter is not YAML: {' '.join(str(error).split())}") from error


def mapping(value: object) -> Mapping[str, object]:
    """Take what should be a mapping for one, or for an empty one."""
    return {str(key): item for key, item in value.items()} if isinstance(value, dict) else {}


def words(value: object) -> tuple[str, ...]:
    """Take a list of words, or one line of them with commas between."""
    several = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(str(word).strip() for word in several if str(word).strip())


def dimensions(value: object) -> tuple[Dimension, ...]:
    """Take the dimensions; they are told apart by name, and their weights sum to one."""
    found = tuple(dimension(mapping(item)) for item in value) if isinstance(value, list) else ()
    if not found:
        raise KoiError("it has no list of metadata.dimensions, each with name and weight")
    if len({item.key for item in found}) < len(found):
        raise KoiError("two of its dimensions have the same name")
    total = sum(item.weight for item in found)
    if not isclose(total, 1.0, abs_tol=TOLERANCE):
        raise KoiError(f"the weights of its dimensions sum to {total:g}, and have to sum to 1.0")
    return found


def dimension(facts: Mapping[str, object]) -> Dimension:
    """Take one dimension."""
    name = str(facts.get("name") or "").strip()
    if not name:
        raise KoiError("one of its dimensions has no name")
    return Dimension(name, weight(name, facts.get("weight")), str(facts.get("description") or "").strip())


def weight(name: str, value: object) -> float:
    """Take a weight above zero and up to one."""
    try:
        number = float(str(value))
    except ValueError:
        number = 0.0
    if not 0 < number <= 1:
        raise KoiError(f"the weight of its dimension {name!r} is {value!r}, and has to be a number above 0, up to 1")
    return number
