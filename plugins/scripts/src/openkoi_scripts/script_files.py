"""Find and read the scripts of the user, of bundles and of a project."""

import json
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from openkoi_base.files import read_small_text
from openkoi_base.grants import NO_CAPABILITIES, Capabilities, read_capabilities
from openkoi_base.printable import is_one_line, one_line
from openkoi_base.skillfile.digest import is_inside
from openkoi_base.skillfile.locations import plugin_locations
from openkoi_hookspecs import ConfigError, KoiError, PluginEntry
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

STARLARK, PYTHON, MANIFEST = ".star", ".py", ".toml"
MAX_CHARACTERS = 65_536  # of a Starlark script: more than 20 MB ended the interpreter at once
PROJECT = Path(".openkoi")
COMMANDS = "commands"
HOOKS = "hooks"
NOT_A_SCRIPT = "[plugins] scripts: {path} is not a file that ends in .star or .py."
LEADS_OUT = "{path} is not read, because a symbolic link leads outside the project. Replace the link with a copy."
NOT_REGULAR = "it is not a regular file, or is larger than 1 MB"
NOT_IN_NAMES = lazy_pattern(r"[^a-z0-9.]+")
BYTE_ORDER_MARK = "\ufeff"
MANIFEST_KEYS = {"capabilities", "description"}


class Origin(StrEnum):
    """The supplier of a script."""

    USER = "yours"
    BUNDLE = "a bundle's"
    PROJECT = "the project's"


@dataclass(frozen=True, slots=True)
class ScriptPlaces:
    """Where scripts are: configured paths, the user's folder, the folders ``hooks`` of bundles, and a project."""

    configured: Sequence[str]
    user: Path
    bundles: Sequence[Path]
    workspace: Path


@dataclass(frozen=True, slots=True)
class ScriptFile:
    """A script as it was read: exactly the approved text is run, even if the file changes."""

    path: Path
    origin: Origin
    text: str
    capabilities: Capabilities = NO_CAPABILITIES
    description: str = ""
    is_command: bool = False

    @property
    def name(self) -> str:
        """The name of the plugin."""
        return plugin_name(self.path.stem)

    @property
    def is_python(self) -> bool:
        """Whether it is a Python module, which runs without a sandbox."""
        return self.path.suffix == PYTHON

    @property
    def needs_consent(self) -> bool:
        """Whether it needs the user's consent; one of the user's own does only if it may do more than compute."""
        if self.origin is Origin.BUNDLE:
            return False  # installing a distribution is consent
        return self.origin is Origin.PROJECT or self.is_python or bool(self.capabilities.texts)

    @property
    def digest(self) -> str:
        """The digest that consent is bound to: of the text, the language and the capabilities, but not the folder."""
        seen = ["openkoi-scripts", self.path.suffix, self.text, *self.capabilities.texts]
        return sha256(json.dumps(seen).encode()).hexdigest()


def plugin_name(stem: str) -> str:
    """Return the name of the plugin in a file: ``house-rules`` of ``House_Rules``."""
    return NOT_IN_NAMES.sub("-", stem.lower()).strip("-") or "script"


async def find_bundle_folders(bundles: Iterable[PluginEntry]) -> list[Path]:
    """Return the folders ``hooks`` of bundles; bundles that cannot be loaded are reported when skills are read."""
    found, _ = await plugin_locations(bundles, name=HOOKS)
    return [one.folder for one in found if one.folder.name == HOOKS]


def find_scripts(places: ScriptPlaces) -> Iterator[ScriptFile | KoiError]:
    """Yield each script, or its error; if two have the same name, the first is used."""
    for text in places.configured:
        path = Path(text).expanduser()
        found = path.is_file() and path.suffix in (STARLARK, PYTHON)
        yield read_script(path, Origin.USER) if found else KoiError(NOT_A_SCRIPT.format(path=path))
    user, project, root = places.user.resolve(), places.workspace / PROJECT, places.workspace.resolve()
    yield from read_folder(user, Origin.USER)
    for folder in places.bundles:
        yield from read_folder(folder, Origin.BUNDLE)
    yield from read_folder(project / HOOKS, Origin.PROJECT, root)
    yield from read_folder(user / COMMANDS, Origin.USER, are_commands=True)
    yield from read_folder(project / COMMANDS, Origin.PROJECT, root, are_commands=True)


def read_folder(
    folder: Path, origin: Origin, root: Path | None = None, *, are_commands: bool = False
) -> Iterator[ScriptFile | KoiError]:
    """Yield the scripts in a folder; in a project, whose links may lead anywhere, only those inside its root."""
    if root and folder.is_dir() and not is_inside(folder, root):
        yield KoiError(LEADS_OUT.format(path=folder))
        return
    for path in list_files(folder):
        if are_commands and path.suffix != STARLARK:
            continue
        outside = [one for one in (path, path.with_suffix(MANIFEST)) if root and not is_inside(one, root)]
        error = KoiError(LEADS_OUT.format(path=outside[0])) if outside else None
        yield error or read_script(path, origin, is_command=are_commands)


def list_files(folder: Path) -> list[Path]:
    """Return the scripts in a folder, by name; none if there is no such folder."""
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return []
    return [one for one in paths if one.suffix in (STARLARK, PYTHON) and not one.name.startswith((".", "_"))]


def read_script(path: Path, origin: Origin, *, is_command: bool = False) -> ScriptFile | KoiError:
    """Return a script with the requests of its manifest, or why it cannot be used."""
    if not is_one_line(path.name):
        return KoiError(
            f"{path.parent} has a script named {path.name!a}, which is not used. "
            "Use only printable characters in its name."
        )
    try:
        text = read_small_text(path).removeprefix(BYTE_ORDER_MARK)
        if path.suffix == STARLARK and len(text) > MAX_CHARACTERS:
            return KoiError(f"{path} is longer than {MAX_CHARACTERS:,} characters, so it is not used.")
        return ScriptFile(path, origin, text, *read_manifest(path.with_suffix(MANIFEST)), is_command)
    except ConfigError as error:
        return error
    except (OSError, ValueError) as error:
        return KoiError(f"{path} cannot be read: {explain(error)}.")


def explain(error: OSError | ValueError) -> str:
    """Return why a file cannot be read."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    return error.strerror or str(error) if isinstance(error, OSError) else NOT_REGULAR


def read_manifest(file: Path) -> tuple[Capabilities, str]:
    """Return a manifest's capabilities and description; both empty if there is no manifest."""
    try:
        table = tomllib.loads(read_small_text(file))
    except FileNotFoundError:
        return NO_CAPABILITIES, ""
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{file} is not valid TOML: {error}.") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file} cannot be read: {explain(error)}.") from None
    if unknown := sorted(table.keys() - MANIFEST_KEYS):
        raise ConfigError(f"{file} has the unknown key {unknown[0]!r}. Use {', '.join(sorted(MANIFEST_KEYS))}.")
    capabilities, description = table.get("capabilities", {}), table.get("description", "")
    if not isinstance(capabilities, dict) or not isinstance(description, str):
        raise ConfigError(f"{file}: capabilities must be a table, and description a string.")
    return read_capabilities(capabilities, file), one_line(description)
