"""List the parts of a known value that are secrets by themselves: its lines, its fields, its items.

Parts shorter than MIN_PART_CHARACTERS and ordinary words are ignored: masking them would mask ordinary text.
"""

import json
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .names import is_secret_name
from .randomness import are_words, is_random

MIN_PART_CHARACTERS = 8  # shorter parts of a value are not masked alone (estimate)
MIN_LINE_CHARACTERS = 16  # shorter lines of a value are not masked alone (estimate)
USUAL_PASSWORDS = frozenset(  # of databases in containers: they are public, and words of every log
    {
        "postgres",
        "password",
        "passw0rd",
        "changeme",
        "rabbitmq",
        "minioadmin",
        "administrator",
        "development",
        "testtest",
    }
)
ORDINARY = lazy_pattern(r"[a-z_-]{1,15}|(?i:true|false|enabled|disabled|undefined|required|optional)")
PASSWORD = lazy_pattern(r"(?i)pass|pwd")
LINE_END = lazy_pattern(r"[\r\n]+|(?:\\r)?\\n")
PEM_MARKER = lazy_pattern(r"-----(?:BEGIN|END) [A-Z0-9 ]+-----")
ITEM_END = lazy_pattern(r"[,;\s]+")
SCHEME = lazy_pattern(r"(?i)(?:[a-z][\w-]*:\s*)?(?:bearer|basic|token|apikey|api-key)\s+(\S+)|[a-z][\w-]*:\s+(\S+)")
LOGIN = lazy_pattern(r"[\w.@+-]{1,64}:(?!//)(\S+)")
BASE64 = lazy_pattern(r"[\w+/-]{8,}={0,2}", re.ASCII)
URL = lazy_pattern(r"https?://[^\s/?#]+/([^\s?#]*[^\s/?#])")
NAME = r"([A-Za-z_][\w.-]*(?: [A-Za-z]+){0,2})\s*=\s*"
QUOTED_VALUE = r"'((?:[^'\\]|\\.)*)'|\"([^\"]*)\""
FIELDS = (
    lazy_pattern(rf"(?:^|;)\s*{NAME}(?:{QUOTED_VALUE}|([^;]+))"),  # of ODBC, ADO.NET and Azure
    lazy_pattern(rf"(?:^|[\s?&;:]){NAME}(?:{QUOTED_VALUE}|([^\s&;]+))"),  # of libpq, and of a URL's query
)
SIGNATURES = frozenset({"pwd", "sig", "signature", "code"})


def parts_of(value: str) -> Iterator[str]:
    """Yield the parts of a known value, which are masked as well; not their own parts."""
    parsed = object_of(value)
    ways: Iterable[Iterator[str]] = (
        (fields_of(parsed), random_fields(parsed))
        if parsed
        else (long_lines(value), random_items(value), whole_parts(value))
    )
    found = (*(part for way in ways for part in way), *(part for _, part in named_parts(value)))
    both = (form for part in found for form in (part, part.rstrip("=")))  # base64 is shown without its padding too
    yield from dict.fromkeys(part for part in both if part != value and is_part(part))


def is_part(part: str) -> bool:
    """Return whether a part is worth masking."""
    return len(part) >= MIN_PART_CHARACTERS and not ORDINARY.fullmatch(part) and part.lower() not in USUAL_PASSWORDS


def long_lines(value: str) -> Iterator[str]:
    """Yield the long lines of a value, also those that end in an escaped line feed, except PEM markers."""
    several = [line.strip() for line in LINE_END.split(value.strip())]
    if len(several) > 1:
        yield from (line for line in several if len(line) >= MIN_LINE_CHARACTERS and not PEM_MARKER.fullmatch(line))


def random_items(value: str) -> Iterator[str]:
    """Yield the random items of a list."""
    yield from (item for item in ITEM_END.split(value) if is_random(item))


def whole_parts(value: str) -> Iterator[str]:
    """Yield what follows a scheme or a header's name, a login's password, decoded base64, a URL's last segment."""
    if after := after_scheme(value):
        yield after
    if found := LOGIN.fullmatch(value):
        yield found[1]
    yield from secret_segments(value)
    if decoded := decoded_text(value):
        yield decoded


def after_scheme(value: str) -> str:
    """Return what follows a scheme or a header's name, if it has no spaces; else an empty string."""
    found = SCHEME.fullmatch(value) if len(value.split(maxsplit=3)) in (2, 3) else None
    return found[1] or found[2] if found else ""


def secret_segments(value: str) -> Iterator[str]:
    """Yield the random segments of a URL's path, and the last one unless it is words."""
    if found := URL.match(value):
        *others, last = found[1].split("/")
        yield from (one for one in others if is_random(one))
        yield from () if are_words(last) else (last,)


def decoded_text(value: str) -> str:
    """Return the text that a value encodes in base64, if it is a login or has several lines; else empty."""
    if not BASE64.fullmatch(value):
        return ""
    sound = value.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        text = b64decode(sound + "=" * (-len(sound) % 4)).decode()
    except ValueError:
        return ""
    return text if text.replace("\n", "").replace("\r", "").isprintable() and re.search(r"[:\n]", text) else ""


def object_of(value: str) -> object:
    """Parse a value as a JSON object or list; return None if it is neither."""
    if not value.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def fields_of(parsed: object) -> Iterator[str]:
    """Yield the secret texts in a JSON object, and all of a list."""
    named = named_texts("", parsed) if isinstance(parsed, Mapping) else named_texts("secret", parsed)
    yield from (text for at, text in named if is_secret_name(at.rpartition(".")[2]))


def random_fields(parsed: object) -> Iterator[str]:
    """Yield the random texts in JSON, whatever their names; no addresses."""
    yield from (
        text for _, text in named_texts("", parsed) if is_random(text) and "@" not in text and "://" not in text
    )


def named_parts(value: str) -> Iterator[tuple[str, str]]:
    """Yield the secret fields of a connection string and of a URL's query, by their names; also decoded."""
    for form in FIELDS if "=" in value else ():
        for found in form.finditer(value):
            name, text = found[1], next((text for text in found.groups()[1:] if text is not None), "").strip()
            if is_secret_name(name) or name.lower() in SIGNATURES:
                yield from ((name, text), (name, unquote(text)))


def unnamed_parts(value: str) -> Iterator[str]:
    """Yield the secret parts of a value whose own name is not a secret's: only passwords and random ones."""
    named = ((name, part) for name, part in named_parts(value) if PASSWORD.search(name) or is_random(part))
    yield from (part for _, part in named if is_part(part))
    after, parsed = after_scheme(value), object_of(value)
    if is_random(after):
        yield after
    if isinstance(parsed, Mapping):
        yield from (part for part in fields_of(parsed) if is_part(part) and ("\n" in part or is_random(part)))


def named_texts(name: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield the texts in a value, each with its name."""
    if isinstance(value, str):
        yield name, value.strip()
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from named_texts(f"{name}.{key}", item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from named_texts(name, item)
