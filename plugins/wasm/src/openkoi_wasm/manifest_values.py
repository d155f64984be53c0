"""Read values from a parsed manifest; an invalid one raises an error in a sentence."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from openkoi_base.printable import is_one_line, visible


class ManifestError(ValueError):
    """A manifest is invalid; the message is the reason."""


def optional_table(document: Mapping[str, Any], key: str, known: Sequence[str]) -> Mapping[str, Any] | None:
    """Return an optional table of a manifest."""
    if key not in document:
        return None
    table = table_of(document, key)
    refuse_unknown(table, known, f"[{key}]")
    return table


def table_of(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = document.get(key, {})
    if not isinstance(found, Mapping):
        raise ManifestError(f"{key} must be a table: [{key}].")
    return found


def tables_of(document: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = document.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, Mapping) for one in found):
        raise ManifestError(f"{key} must be a list of tables: [[{key}]].")
    return found


def text_of(table: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """Return a text; raise ManifestError if it is missing and has no default."""
    found = table.get(key, default)
    if not isinstance(found, str) or (default is None and not found):
        raise ManifestError(f"{key} is missing, or is not a string.")
    return found


def line_of(table: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """Return a one-line text, which appears in a question to the user."""
    found = text_of(table, key, default)
    if not is_one_line(found):
        raise ManifestError(f"{key} must be one line.")
    return found


def texts_of(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return a list of texts."""
    found = table.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, str) and is_one_line(one) for one in found):
        raise ManifestError(f"{key} must be a list of single-line strings.")
    return tuple(found)


def flag_of(table: Mapping[str, Any], key: str) -> bool:
    """Return a boolean, false by default."""
    found = table.get(key, False)
    if not isinstance(found, bool):
        raise ManifestError(f"{key} must be true or false.")
    return found


def number_of(table: Mapping[str, Any], key: str, default: float, most: float) -> float:
    found = table.get(key, default)
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 < found <= most:
        raise ManifestError(f"{key} must be a number above 0 and up to {most:g}.")
    return found


def refuse_unknown(table: Mapping[str, Any], known: Sequence[str], place: str) -> None:
    """Raise ManifestError for a key that nothing reads."""
    if unknown := sorted(table.keys() - {*known}):
        raise ManifestError(f"{place} has the unknown key {unknown[0]!r}. Use {', '.join(known)}.")


def refuse_invisible(document: Mapping[str, Any]) -> None:
    """Raise ManifestError for characters that a model would read but the user would not see."""
    for text in texts_in(document):
        if hidden := [one for one in text if visible(one) != one]:
            raise ManifestError(f"it contains the invisible character U+{ord(hidden[0]):04X}. Remove it.")


def texts_in(value: object) -> Iterator[str]:
    """Yield every text of a document, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for pair in value.items() for one in pair for text in texts_in(one))
    elif isinstance(value, list):
        yield from (text for one in value for text in texts_in(one))
