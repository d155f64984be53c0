"""Read catalogues: files or addresses that list plugins with their descriptions, locations and hashes.

name = "acme"

[[plugins]]
name = "acme-style"
kind = "hook"
summary = "The house style of Acme."
file = "acme_style-1.0-py3-none-any.whl"   # beside the catalogue, or an address
sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
trust = "reviewed"                         # the rating of the catalogue's host
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from openkoi_hookspecs import Configuration, KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

from ..setting_names import CATALOGUES

NEEDED = ("name", "kind", "file", "sha256")
OPTIONAL = ("summary", "trust")
TRUST = ("listed", "tested", "reviewed")
HASH = re.compile(r"[0-9a-f]{64}")
LOOPBACK = ("localhost", "127.0.0.1", "::1")
MAX_CATALOGUE, MAX_FILE = 5_000_000, 200_000_000  # bytes
TIMEOUT_SECONDS = 30.0
NO_CATALOGUES = (
    "No catalogues are configured. Add one to the config file: [plugins] catalogues = "
    '["https://example.com/catalogue.toml"]'
)
WRONG_HASH = (
    "{name} was not installed: {file} does not have the hash that the catalogue {catalogue} lists.\n"
    "  listed   {listed}\n  found    {found}"
)


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A plugin in a catalogue. ``trust`` is the rating of the catalogue's host."""

    catalogue: str
    place: str
    name: str
    kind: str
    file: str
    sha256: str
    summary: str = ""
    trust: str = "listed"

    @property
    def location(self) -> str:
        """Where the file is: a path or an address."""
        return urljoin(self.place, self.file) if is_address(self.place) else str(Path(self.place).parent / self.file)


def read_catalogues(settings: Configuration) -> list[CatalogueEntry]:
    """Return the entries of the configured catalogues, in their order; raise KoiError for an invalid catalogue."""
    places: Sequence[str] = settings.setting(CATALOGUES, tuple, ())
    if not places:
        raise KoiError(NO_CATALOGUES)
    return [entry for place in places for entry in read_catalogue(place)]


def read_catalogue(place: str) -> Iterator[CatalogueEntry]:
    """Yield the entries of a catalogue."""
    where = place if is_address(place) else str(Path(place).expanduser())
    try:
        table = tomllib.loads(read_bytes(where, MAX_CATALOGUE).decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise KoiError(f"The catalogue {where} is not valid TOML: {error}.") from None
    name, listed = table.get("name", where), table.get("plugins", [])
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise KoiError(f"The catalogue {where} has no list [[plugins]].")
    yield from (read_entry(one, str(name), where) for one in listed)


def read_entry(table: Mapping[str, Any], catalogue: str, place: str) -> CatalogueEntry:
    """Return an entry; raise KoiError, which names the key, if it is invalid."""
    label = f"The catalogue {place}, plugin {str(table.get('name', '?'))[:80]!r}:"
    if missing := [key for key in NEEDED if not isinstance(table.get(key), str) or not table[key]]:
        raise KoiError(f"{label} {missing[0]} is missing.")
    if not all(isinstance(table.get(key, ""), str) for key in OPTIONAL):
        raise KoiError(f"{label} summary and trust must be strings.")
    if not HASH.fullmatch(table["sha256"]):
        raise KoiError(f"{label} sha256 must be 64 hexadecimal digits.")
    if (trust := table.get("trust", TRUST[0])) not in TRUST:
        raise KoiError(f"{label} trust must be one of {', '.join(TRUST)}.")
    needed = {key: table[key] for key in NEEDED}
    return CatalogueEntry(catalogue, place, **needed, summary=table.get("summary", ""), trust=trust)


def find_entry(name: str, entries: Sequence[CatalogueEntry]) -> CatalogueEntry | None:
    """Return the first entry of a name."""
    return next((one for one in entries if one.name == name), None)


def search_entries(words: Sequence[str], entries: Sequence[CatalogueEntry]) -> list[CatalogueEntry]:
    """Return the entries in which every word occurs."""
    wanted = [word.lower() for word in words]
    texts = {one: f"{one.name} {one.kind} {one.summary}".lower() for one in entries}
    return [one for one, text in texts.items() if all(word in text for word in wanted)]


def download(entry: CatalogueEntry, folder: Path) -> Path:
    """Write the file of an entry into a folder; raise KoiError if it does not have the listed hash."""
    content = read_bytes(entry.location, MAX_FILE)
    found = sha256(content).hexdigest()
    if found != entry.sha256:
        raise KoiError(
            WRONG_HASH.format(
                name=entry.name, file=entry.location, catalogue=entry.catalogue, listed=entry.sha256, found=found
            )
        )
    target = folder / Path(urlsplit(entry.location).path if is_address(entry.location) else entry.location).name
    target.write_bytes(content)
    return target


def is_address(place: str) -> bool:
    return "://" in place


def read_bytes(place: str, most: int) -> bytes:
    """Return the content of a file or an address; raise KoiError if it cannot be read or is too large."""
    try:
        content = fetch(place, most) if is_address(place) else read_regular(Path(place), most)
    except (OSError, ValueError) as error:
        raise KoiError(f"{place} cannot be read: {getattr(error, 'reason', '') or error}.") from None
    if len(content) > most:
        raise KoiError(f"{place} is larger than {most:,} bytes.")
    return content


def read_regular(path: Path, most: int) -> bytes:
    """Return a file, up to one byte more than allowed; raise ValueError for a device or a pipe, which may never end."""
    if path.exists() and not path.is_file():
        raise ValueError("it is not a regular file")
    with path.open("rb") as file:
        return file.read(most + 1)


def fetch(address: str, most: int) -> bytes:
    """Return the content of an address, up to one byte more than allowed; http only on this machine."""
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class CheckedRedirects(HTTPRedirectHandler):
        """Follows redirects only to addresses that are as safe."""

        def redirect_request(self, *arguments: Any) -> Request | None:
            check_address(arguments[-1])
            return super().redirect_request(*arguments)

    with build_opener(CheckedRedirects).open(check_address(address), timeout=TIMEOUT_SECONDS) as response:
        content: bytes = response.read(most + 1)
    return content


def check_address(address: str) -> str:
    """Return an address; raise ValueError if others could change its content in transit."""
    parts = urlsplit(address)
    if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK):
        return address
    raise ValueError("a catalogue and its files must use https")
