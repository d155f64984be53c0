"""Bring a skill here to be looked at: from a folder, a file, an archive or a git repository. Runs nothing of it."""

import re
import subprocess
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory

from openkoi_hookspecs import KoiError
from openkoi_skillfile import FILE, skill_folders, skill_in

REPOSITORY = re.compile(r"(?:https?|ssh|git|file)://\S+|git@[\w.-]+:\S+")
PATIENCE = 120.0
LARGEST = 20_000_000
QUIET = ["-c", "core.hooksPath=/dev/null", "-c", "core.symlinks=false", "-c", "protocol.ext.allow=never"]
NOTHING = "There is no {file} in {origin}. A skill is a folder with a {file} in it."
WHICH = "There are several skills in {origin}. Name one: openkoi skill install {origin}#{first}\nThere are: {names}"


@contextmanager
def fetch_skill(origin: str) -> Iterator[Path]:
    """Yield the folder of the skill; ``#name`` selects one of several. Raise KoiError."""
    place, _, wanted = origin.partition("#")
    with TemporaryDirectory(prefix="openkoi-skill-", ignore_cleanup_errors=True) as folder:
        own = Path(folder) / "skill"
        if REPOSITORY.fullmatch(place):
            clone(place, own)
        elif Path(place).is_file() and zipfile.is_zipfile(place):
            unpack(Path(place), own)
        else:
            own = Path(place).expanduser()
            own = own.parent if own.is_file() and own.name.casefold() == FILE.casefold() else own
        yield one_of(own, wanted, place)


def one_of(folder: Path, wanted: str, origin: str) -> Path:
    """The skill in a folder: itself, the only one below it, or the one of that name."""
    if not folder.is_dir():
        raise KoiError(f"{origin} is no folder, no {FILE}, no archive and no address of a repository.")
    if skill_in(folder).is_file() and not wanted:
        return folder
    below = [folder, *(each for each in sorted(folder.rglob("*")) if each.is_dir() and ".git" not in each.parts)]
    there = {each.name: each for one in below for each in skill_folders(one)}
    chosen = [each for name, each in there.items() if not wanted or name == wanted or each == folder / wanted]
    if len(chosen) == 1:
        return chosen[0]
    if not there:
        raise KoiError(NOTHING.format(file=FILE, origin=origin))
    raise KoiError(WHICH.format(origin=origin, first=min(there), names=", ".join(sorted(there))))


def clone(address: str, folder: Path) -> None:
    """Get the newest state of a repository; no program of its own is run, no question asked."""
    command = ["git", *QUIET, "clone", "--quiet", "--depth", "1", "--no-recurse-submodules", "--", address, str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise KoiError(f"{address} could not be fetched: {error}. Fetch it yourself and give its folder.") from error
    if done.returncode:
        said = done.stderr.strip().partition("\n")[0].removeprefix("fatal: ")
        raise KoiError(f"{address} could not be fetched: {said}. Look at the address, or fetch it and give its folder.")


def unpack(archive: Path, folder: Path) -> None:
    """Take the files out of an archive; one that leads elsewhere, or is too large, is refused."""
    try:
        unpack_archive(archive, folder)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError) as error:
        raise KoiError(f"{archive} cannot be unpacked: {error}.") from error


def unpack_archive(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as opened:
        entries = [one for one in opened.infolist() if not one.is_dir()]
        if sum(one.file_size for one in entries) > LARGEST:
            raise KoiError(f"{archive} holds more than {LARGEST:,} bytes, which no skill needs.")
        for entry in entries:
            target = (folder / entry.filename).resolve()
            if not target.is_relative_to(folder.resolve()):
                raise KoiError(f"{archive} holds {entry.filename!r}, which leads out of it. It is not unpacked.")
            target.parent.mkdir(parents=True, exist_ok=True)
            with opened.open(entry) as source, target.open("wb") as copy:
                copyfileobj(source, copy)
