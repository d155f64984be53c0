"""Fetch a skill for inspection from a folder, a file, an archive or a git repository, without running any of it."""

import subprocess
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory

from openkoi_base.skillfile.locations import skill_folders
from openkoi_base.skillfile.validation import SKILL_FILE, find_skill_file
from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_pattern import lazy_pattern

REPOSITORY = lazy_pattern(r"(?:https?|ssh|git|file)://\S+|git@[\w.-]+:\S+")
CLONE_TIMEOUT_SECONDS = 120.0  # estimate: a shallow clone of a large repository
MAX_ARCHIVE_BYTES = 20_000_000  # estimate, as for a folder (openkoi_base.skillfile.digest)
GIT_OPTIONS = ["-c", "core.hooksPath=/dev/null", "-c", "core.symlinks=false", "-c", "protocol.ext.allow=never"]
NO_SKILL = "No {file} found in {origin}. A skill is a folder that contains a {file}."
CHOOSE_SKILL = "{origin} {what}. Choose one, for example: openkoi skill install {origin}#{first}\nSkills: {names}"


@contextmanager
def fetch_skill(origin: str) -> Iterator[Path]:
    """Yield the folder of the skill; ``#name`` selects one of several. Raise KoiError."""
    place, _, wanted = origin.partition("#")
    with TemporaryDirectory(prefix="openkoi-skill-", ignore_cleanup_errors=True) as folder:
        own = Path(folder) / "skill"
        if REPOSITORY.fullmatch(place):
            clone_repository(place, own)
        elif Path(place).is_file() and zipfile.is_zipfile(place):
            unpack_safely(Path(place), own)
        else:
            own = Path(place).expanduser()
            own = own.parent if own.is_file() and own.name.casefold() == SKILL_FILE.casefold() else own
        yield choose_folder(own, wanted, place)


def choose_folder(folder: Path, wanted: str, origin: str) -> Path:
    """Return the folder itself, its only skill, or the skill of that name."""
    if not folder.is_dir():
        raise KoiError(f"{origin} is not a folder, a {SKILL_FILE}, a zip file or a repository URL.")
    if find_skill_file(folder).is_file() and not wanted:
        return folder
    below = [folder, *(each for each in sorted(folder.rglob("*")) if each.is_dir() and ".git" not in each.parts)]
    there = {each.name: each for one in below for each in skill_folders(one)}
    chosen = [each for name, each in there.items() if not wanted or name == wanted or each == folder / wanted]
    if len(chosen) == 1:
        return chosen[0]
    if not there:
        raise KoiError(NO_SKILL.format(file=SKILL_FILE, origin=origin))
    what = f"has no skill {wanted!r}" if wanted else "contains several skills"
    raise KoiError(CHOOSE_SKILL.format(origin=origin, what=what, first=min(there), names=", ".join(sorted(there))))


def clone_repository(address: str, folder: Path) -> None:
    """Clone the newest commit of a repository, without hooks and prompts."""
    command = [
        "git",
        *GIT_OPTIONS,
        "clone",
        "--quiet",
        "--depth",
        "1",
        "--no-recurse-submodules",
        "--",
        address,
        str(folder),
    ]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=CLONE_TIMEOUT_SECONDS, stdin=subprocess.DEVNULL
        )
    except FileNotFoundError as error:
        raise KoiError(f"Failed to clone {address}: git is not installed. Install it and try again.") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        why = error.strerror if isinstance(error, OSError) else f"git took more than {CLONE_TIMEOUT_SECONDS:g} s"
        raise KoiError(f"Failed to clone {address}: {why}. Clone it yourself and install from its folder.") from error
    if done.returncode:
        message = done.stderr.strip().partition("\n")[0].removeprefix("fatal: ")
        raise KoiError(f"Failed to clone {address}: {message}. Check the URL, or clone it and install from its folder.")


def unpack_safely(archive: Path, folder: Path) -> None:
    """Unpack an archive; raise KoiError for one that is too large or has paths outside of it."""
    try:
        unpack_archive(archive, folder)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError) as error:
        raise KoiError(f"Failed to unpack {archive}: {error}.") from error


def unpack_archive(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as opened:
        entries = [one for one in opened.infolist() if not one.is_dir()]
        if sum(one.file_size for one in entries) > MAX_ARCHIVE_BYTES:
            raise KoiError(f"{archive} contains more than the limit of {MAX_ARCHIVE_BYTES:,} bytes.")
        for entry in entries:
            target = (folder / entry.filename).resolve()
            if not target.is_relative_to(folder.resolve()):
                raise KoiError(f"{archive} was not unpacked: {entry.filename!r} points outside of it.")
            target.parent.mkdir(parents=True, exist_ok=True)
            with opened.open(entry) as source, target.open("wb") as copy:
                copyfileobj(source, copy)
