"""Extract the plugins on the pages of hookspecs, and install them as distributions."""

import ast
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from cli_process import Shell, shell, write_script

from openkoi_hookspecs import Event, Record, events
from openkoi_runlog import list_segments, read_segment

E = TypeVar("E", bound=Event)

PAGES = Path(__file__).parent.parent / "hookspecs"
HEADING = re.compile(r"^#{1,3} (.+)$")
NAMED = re.compile(r"^# (\S+)$")
DONE = "  - {says: Done., repeat: true}\n"
BASE = {
    "evaluators": {"judge": {"enabled": False}},
    "hooks": {"guard": {"enabled": False}, "learning": {"withheld": 0.0}},  # nothing is held out by chance
    "use": {"sandbox": "plain"},
    "iteration": {"max_iterations": 0},
    "approvals": {"wait_seconds": 0},
}
LEAN = {"use": {"memory": "none", "checkpoints": "none"}, "hooks": {"learning": {"enabled": False}}}
PYPROJECT, SETTINGS = "pyproject.toml", "~/.openkoi/config.toml"


@dataclass(frozen=True, slots=True)
class Example:
    """The files below a heading, by the names in the first line of each block."""

    page: str
    heading: str
    files: Mapping[str, str]

    @property
    def modules(self) -> Mapping[str, str]:
        """The plugin's own modules, by their names in a wheel."""
        return {name.removeprefix("src/"): text for name, text in self.files.items() if is_module(name)}

    @property
    def tests(self) -> Mapping[str, str]:
        """The modules that test the plugin, by their file names."""
        return {Path(name).name: text for name, text in self.files.items() if is_test(name)}

    @property
    def data(self) -> Mapping[str, str]:
        """Files of the distribution that are not code."""
        return {name: text for name, text in self.files.items() if name.count("/") == 1 and name.endswith(".toml")}

    @property
    def settings(self) -> Mapping[str, Any]:
        """The configuration that is shown."""
        return tomllib.loads(self.files.get(SETTINGS, ""))

    @property
    def entry_points(self) -> Mapping[str, Mapping[str, str]]:
        """Entry points by group; a module of hooks alone is shown without them."""
        if PYPROJECT in self.files:
            points: Mapping[str, Mapping[str, str]] = tomllib.loads(self.files[PYPROJECT])["project"]["entry-points"]
            return points
        module = next(iter(self.modules)).removesuffix(".py").partition("/")[0]
        return {"openkoi.hooks": {module.replace("_", "-"): module}}

    def install(self, site: Path) -> None:
        """Write the files of the distribution, and its installation metadata."""
        write_files(site, {**self.modules, **self.data})
        lines = [f"[{group}]\n{pairs(points)}" for group, points in self.entry_points.items()]
        named = f"Metadata-Version: 2.1\nName: {distribution_of(self)}\nVersion: 1.0\n"
        info = site / f"{distribution_of(self)}-1.0.dist-info"
        write_files(info, {"METADATA": named, "entry_points.txt": "\n".join(lines)})

    def installed(self, openkoi: Shell) -> Shell:
        """The same command line where the plugin is installed."""
        site = openkoi.home.parent / "site"
        self.install(site)
        return openkoi.seeing(site)


def is_test(name: str) -> bool:
    return Path(name).name.startswith("test_")


def is_module(name: str) -> bool:
    return name.endswith(".py") and not is_test(name)


def distribution_of(example: Example) -> str:
    """A unique name."""
    names = [name for points in example.entry_points.values() for name in points]
    return f"documented_{'_'.join(names)}".replace("-", "_")


def pairs(points: Mapping[str, str]) -> str:
    return "".join(f"{name} = {target}\n" for name, target in points.items())


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@cache
def examples() -> Sequence[Example]:
    """All examples of all pages, in order."""
    return [example for page in pages() for example in examples_of(page)]


def pages() -> list[Path]:
    """The pages about plugins, those that are installed with the contract among them."""
    return sorted([*PAGES.glob("*.md"), *PAGES.glob("src/*/*.md")], key=lambda page: page.name)


def examples_of(page: Path) -> Iterator[Example]:
    found: dict[str, dict[str, str]] = {}
    for heading, block in blocks_of(page.read_text()):
        first, _, rest = block.partition("\n")
        if named := NAMED.match(first):
            found.setdefault(heading, {})[named[1]] = rest
    yield from (Example(page.name, heading, files) for heading, files in found.items() if has_code(files))


def has_code(files: Mapping[str, str]) -> bool:
    return any(name.endswith(".py") or "/bundle.toml" in name for name in files)


def public_libraries() -> set[str]:
    """The packages that PLUGINS.md says are for plugins, and the contract itself."""
    section = (PAGES / "PLUGINS.md").read_text().partition("## Which libraries")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `(openkoi-[a-z]+)`", section, re.MULTILINE)
    return {"openkoi_hookspecs", *(name.replace("-", "_") for name in listed)}


def imported_by(code: str) -> set[str]:
    """The packages that a module imports, wherever in it."""
    nodes = [*ast.walk(ast.parse(code))]
    names = [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    names += [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return {name.partition(".")[0] for name in names}


def blocks_of(text: str) -> Iterator[tuple[str, str]]:
    """Each fenced block with the heading that it is below."""
    heading = ""
    block: list[str] | None = None
    for line in text.splitlines(keepends=True):
        if block is not None:
            if line.startswith("```"):
                yield heading, "".join(block)
                block = None
            else:
                block.append(line)
        elif line.startswith("```"):
            block = []
        elif found := HEADING.match(line):
            heading = found[1].strip()


def example_of(heading: str) -> Example:
    """The example below a heading; a hook's may be named by the hook alone."""
    fitting = [one for one in examples() if heading in (one.heading, one.heading.partition("(")[0])]
    assert 1 == len(fitting), f"{heading!r} is the heading of {len(fitting)} examples"
    return fitting[0]


def shell_with(folder: Path, *headings: str, turns: str = DONE, **settings: Any) -> Shell:
    """A command line without a judge where examples are installed and configured; its model is scripted."""
    openkoi = shell(folder)
    examples = [example_of(heading) for heading in headings]
    configure(openkoi, BASE, *(one.settings for one in examples), settings)
    for one in examples:
        openkoi = one.installed(openkoi)
    write_script(folder, turns)
    return openkoi.with_environment(OPENKOI_MODEL=f"scripted/{folder / 'script.yaml'}")


def configure(openkoi: Shell, *settings: Mapping[str, Any]) -> None:
    """Write a configuration; a later table is merged into an earlier one."""
    openkoi.home.mkdir(exist_ok=True)
    merged = dict(line for table in settings for line in lines_of(table))
    (openkoi.home / "config.toml").write_text("".join(f"{key} = {value}\n" for key, value in merged.items()))


def lines_of(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """A table as dotted keys."""
    for name, value in table.items():
        key = f"{above}{json.dumps(name)}"
        if isinstance(value, Mapping):
            yield from lines_of(value, f"{key}.")
        else:
            yield key, json.dumps(value)


def calling(tool: str, **arguments: object) -> str:
    """A model's call of a tool, as scripts have it."""
    return f"{{tool: {tool}, arguments: {json.dumps(arguments)}}}"


def turn(*calls: str, when: str) -> str:
    """A turn of a script that calls tools, for any prompt."""
    return f"  - when: {{{when}}}\n    calls: [{', '.join(calls)}]\n    repeat: true\n"


def numbered(number: int) -> str:
    """A turn for one of several tasks; recalled text about the others does not match."""
    return f'  - when: {{contains: "# Task\\n\\nNumber {number} please"}}\n    says: It is {number}.\n'


def events_of(openkoi: Shell, kind: type[E]) -> list[E]:
    """All events of a class, of all sessions."""
    return [record.event for record in logged(openkoi) if isinstance(record.event, kind)]


def results_of(openkoi: Shell) -> list[str]:
    """What tools answered."""
    return [one.result.text for one in events_of(openkoi, events.ToolCallFinished)]


def logged(openkoi: Shell) -> list[Record]:
    """All records of all sessions on disk."""
    return [record for segment in list_segments(openkoi.home / "data" / "sessions") for record in read_segment(segment)]
