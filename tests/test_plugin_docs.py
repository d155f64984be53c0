"""``openkoi plugin docs KIND`` shows a contract, its types, and whole packages that pass their certification."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from cli_process import Shell, shell
from documented_plugins import example_of, pairs, write_files

TEMPLATES = ("bundle", "command", "evaluator", "hook", "judge", "script", "tool", "wasm")
DOCUMENTED = {  # kinds without a template, and the headings of their examples
    "budget": ("Budget",),
    "checkpoints": ("Checkpoints",),
    "compactor": ("Compactor",),
    "embedder": ("Embedder",),
    "frontend": ("Frontend",),
    "integration": ("A messenger", "Documents"),
    "memory": ("Memory",),
    "provider": ("Provider", "A provider that wraps another one"),
    "questions": ("Questions",),
    "sandbox": ("Sandbox",),
    "source": ("Source",),
    "worker": ("Agent runner",),
}
CERTIFIED = ("integration", "provider", "worker")  # the tests of all are run in test_documented_plugins.py
FILE = re.compile(r"^## (\S+\.\w+)\n\n((?:    .*\n|\n)+)", re.MULTILINE)
DEFINITION = re.compile(r"^    (?:class )?(\w+)(?:\(|:)", re.MULTILINE)


def packages(page: str) -> Iterator[dict[str, str]]:
    """The files of each package that a page shows; a package begins with its module."""
    found: list[dict[str, str]] = []
    for path, code in FILE.findall(page):
        if path.startswith("src/") or not found:
            found.append({})
        found[-1][path] = dedent(code).strip() + "\n"
    yield from found


def test_every_kind_has_a_page_with_its_example(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    kinds = [line.split()[0] for line in openkoi("plugin", "docs").stdout.splitlines()]

    assert sorted([*TEMPLATES, *DOCUMENTED, "mcp"]) == kinds
    for kind in kinds:
        page = openkoi("plugin", "docs", kind).stdout
        assert page.startswith(f"# {kind}\n\n")
        assert FILE.search(page), kind
        assert (f"openkoi plugin new {kind} my-{kind}" in page) == (kind in TEMPLATES)


@pytest.mark.parametrize("kind", sorted({*DOCUMENTED, *TEMPLATES} - {"bundle", "script", "wasm"}))
def test_a_page_shows_the_contract_and_defines_all_types_that_it_and_the_example_name(
    tmp_path: Path, kind: str
) -> None:
    page = shell(tmp_path)("plugin", "docs", kind).stdout
    types = page.partition("\n## Types\n")[2].partition("\n## ")[0]
    imported = set(re.findall(r"\w+", types.partition("import (")[2].partition(")")[0]))
    code = "".join(text for one in packages(page) for path, text in one.items() if path.startswith("src/"))
    used = {name for name in names_imported(code) if name[0].isupper()}

    assert kind == "command" or "## The contract: openkoi_hookspecs" in page
    assert used <= {*DEFINITION.findall(page)}
    assert imported <= {*DEFINITION.findall(types)}
    exec(f"from openkoi_hookspecs import {', '.join(imported)}")


@pytest.mark.parametrize("kind", DOCUMENTED)
def test_the_examples_of_a_page_are_those_that_are_tested(tmp_path: Path, kind: str) -> None:
    shown = [*packages(shell(tmp_path)("plugin", "docs", kind).stdout)]

    assert len(shown) == len(DOCUMENTED[kind])
    for files, heading in zip(shown, DOCUMENTED[kind], strict=True):
        example = example_of(heading)
        codes = {Path(path).name: text for path, text in files.items()}
        assert [text.strip() for text in example.modules.values()] == [codes["__init__.py"].strip()]
        assert example.tests
        assert example.tests.items() <= codes.items()
        assert example.entry_points == tomllib.loads(files["pyproject.toml"])["project"]["entry-points"]


def names_imported(code: str) -> set[str]:
    """The names that a module imports from the contract."""
    nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)]
    return {alias.name for node in nodes if node.module == "openkoi_hookspecs" for alias in node.names}


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "kind", [kind if kind in CERTIFIED else pytest.param(kind, marks=pytest.mark.campaign) for kind in DOCUMENTED]
)
def test_the_packages_of_a_page_are_certified(tmp_path: Path, kind: str) -> None:
    for number, files in enumerate(packages(shell(tmp_path)("plugin", "docs", kind).stdout)):
        openkoi = installed(tmp_path / str(number), files)
        result = openkoi.cold("plugin", "certify", ".", seconds=120)

        assert result.returncode == 0, result.stdout + result.stderr
        assert result.stdout.endswith("✓ Certified.\n")


def installed(place: Path, files: dict[str, str]) -> Shell:
    """Write a package and install it as an editable installation does; return a command line that sees it."""
    place.mkdir()
    openkoi = shell(place)
    write_files(openkoi.folder, {path: text for path, text in files.items() if not path.startswith("~")})
    project = tomllib.loads(files["pyproject.toml"])["project"]
    points = "\n".join(f"[{group}]\n{pairs(of_it)}" for group, of_it in project["entry-points"].items())
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    info = openkoi.folder / "src" / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    write_files(info, {"METADATA": metadata, "entry_points.txt": points})
    return openkoi.seeing(openkoi.folder / "src")
