"""Values of settings, each with its origin."""

from dataclasses import field
from typing import TypeVar

from openkoi_hookspecs import ConfigError
from openkoi_hookspecs.lazy_dataclass import dataclass

T = TypeVar("T")
LARGEST = 2**1000
KINDS: dict[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    tuple: "a list of strings",
    list: "a list",
}
EXAMPLE = '["a", "b"]'  # of a list of strings, as TOML and the command line take it


@dataclass(frozen=True, slots=True)
class Setting:
    """A value and where it comes from: a file, a ``$VARIABLE`` or a ``--flag``.

    ``path`` contains its key and those of its tables as in the file, where a quoted key may contain dots.
    """

    value: object
    origin: str
    path: tuple[str, ...] = field(default=(), compare=False)

    @property
    def is_text(self) -> bool:
        """Whether it was given as text, to be converted to the setting's type."""
        return isinstance(self.value, str) and self.origin.startswith(("$", "--"))


def convert(key: str, setting: Setting, kind: type[T]) -> T:
    """Convert a setting's value to its type; a tuple is a list of strings. Raise ConfigError if that fails."""
    value = setting.value
    if kind is float and isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST:
        value = float(value)
    if kind is tuple:
        value = string_tuple(key, setting)
    if setting.is_text and kind is bool:
        value = boolean_or_text(str(value))
    if setting.is_text and kind in (int, float):
        value = parse_number(key, setting, kind)
    if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
        return value
    raise ConfigError(f"{key} in {setting.origin} is {value!r}; it should be {KINDS.get(kind, kind.__name__)}.")


def boolean_or_text(text: str) -> object:
    """Parse a boolean word such as ``yes``; return any other text unchanged."""
    from openkoi_base.boolean_words import parse_boolean

    meant = parse_boolean(text)
    return text if meant is None else meant


def string_tuple(key: str, setting: Setting) -> tuple[str, ...]:
    """Return a list of strings as a tuple."""
    if isinstance(setting.value, list | tuple) and all(isinstance(one, str) for one in setting.value):
        return tuple(setting.value)
    raise ConfigError(
        f"{key} in {setting.origin} is {setting.value!r}; it should be {KINDS[tuple]}, such as {EXAMPLE}."
    )


def parse_number(key: str, setting: Setting, kind: type) -> object:
    """Return the number in a text."""
    try:
        return kind(setting.value)
    except ValueError:
        raise ConfigError(f"{setting.origin} is {setting.value!r}; {key} should be a number.") from None
