"""Read TOML that has one plain value a line. Importing ``tomllib`` takes 7 % of ``openkoi status``.

What is not plain is left to it, valid or not: dotted and repeated keys, quoted names of tables, escapes, dates, nested
values, comments behind values.
"""

from typing import Any

BARE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
BOOLEANS = {"true": True, "false": False}
NOT_PLAIN = "to be read by tomllib"
MAX_DIGITS = 15  # which a float has exactly


def read_plain_toml(text: str) -> dict[str, Any] | None:
    """Return the tables of a text, or None if it has to be read by ``tomllib``."""
    tables: dict[str, Any] = {}
    try:
        table = tables
        for line in text.replace("\r\n", "\n").split("\n"):
            line = line.strip(" ")
            if not line.isprintable():
                return None
            if line.startswith("["):
                table = add_table(tables, line)
            elif line and not line.startswith("#"):
                add_value(table, line)
    except ValueError:
        return None
    return tables


def add_table(tables: dict[str, Any], line: str) -> dict[str, Any]:
    """Add the table that a line begins; return it."""
    *above, last = [part.strip(" ") for part in line[1:-1].split(".")]
    if not line.endswith("]") or not all(is_bare(part) for part in (*above, last)):
        raise ValueError(NOT_PLAIN)
    for part in above:
        tables = tables.setdefault(part, {})
        if not isinstance(tables, dict):
            raise ValueError(NOT_PLAIN)
    table: dict[str, Any] = {}
    add(tables, last, table)
    return table


def add_value(table: dict[str, Any], line: str) -> None:
    """Add the key and the value of a line."""
    key, _, value = line.partition("=")
    key = key.strip(" ")
    add(table, key if is_bare(key) else read_string(key), read_value(value.strip(" ")))


def add(table: dict[str, Any], key: str, value: object) -> None:
    if key in table:
        raise ValueError(NOT_PLAIN)
    table[key] = value


def is_bare(key: str) -> bool:
    return key != "" and BARE.issuperset(key)


def read_value(text: str) -> object:
    """Return a string, a list of strings, a boolean or a number."""
    if text.startswith("[") and text.endswith("]"):
        return [read_string(one.strip(" ")) for one in text[1:-1].split(",")]
    if text in BOOLEANS:
        return BOOLEANS[text]
    whole, point, fraction = text.partition(".")
    if is_number(whole) and (whole == "0" or not whole.startswith("0")) and (not point or is_number(fraction)):
        return float(text) if point else int(text)
    return read_string(text)


def is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS


def read_string(text: str) -> str:
    """Return the string between quotation marks that has none in it."""
    inner = text[1:-1]
    if len(text) < len('""') or text[0] != '"' or text[-1] != '"' or '"' in inner or "\\" in inner:
        raise ValueError(NOT_PLAIN)
    return inner
