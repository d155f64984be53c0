"""Read the sections of the contract's own pages, whose examples are complete plugins."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import openkoi_hookspecs

from .new import CONTRACT, fill_template, package_values

PAGES = ("RUN_PLUGINS.md", "PROGRAM_PLUGINS.md")
BLOCK = re.compile(r"^```\w*\n# (\S+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| (\w+) \| (.+) \|$", re.MULTILINE)
LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
PYPROJECT, TEST, PYTHON = "pyproject.toml", "test_", ".py"


def read_section(heading: str) -> str:
    """Return the text below a heading of the contract's pages."""
    folder = Path(openkoi_hookspecs.__file__).parent
    for page in PAGES:
        _, found, rest = (folder / page).read_text(encoding="utf-8").partition(f"\n## {heading}\n")
        if found:
            return rest.partition("\n## ")[0].strip() + "\n"
    raise LookupError(heading)


def explain_subprocess(kind: str) -> str:
    """Return whether plugins of a kind can run in a separate process, or why not."""
    rows = dict(ROW.findall(read_section("A separate process")))
    return f"In a separate process (`subprocess = true`): {rows[kind]}."


def describe_section(heading: str, summary: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a section: texts without a path, and the files of its packages with theirs."""
    first, *rest = BLOCK.split(read_section(heading))
    yield "", f"## {heading}\n\n{plain_text(first)}"
    for path, code, text in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        yield from package_files(path, code, summary)
        yield "", plain_text(text)


def package_files(path: str, code: str, summary: str) -> Iterator[tuple[str, str]]:
    """Yield a file of an example as it lies in a package; a project file is completed, and comes with a README."""
    if path == PYPROJECT:
        values = project_values(code, summary)
        yield PYPROJECT, fill_template(PYPROJECT, values)
        yield "README.md", fill_template("README.md", values)
    elif path.startswith(TEST):
        yield f"tests/{path}", code
    elif path.endswith(PYTHON):
        yield f"src/{path.removesuffix(PYTHON)}/__init__.py", code
    else:
        yield path, code


def project_values(code: str, summary: str) -> dict[str, str]:
    """Return the template values for the complete project file of an example."""
    table = tomllib.loads(code)["project"]
    points: Mapping[str, Mapping[str, str]] = table["entry-points"]
    target = next(iter(next(iter(points.values())).values()))
    name = target.partition(":")[0].replace("_", "-")
    return package_values(name, summary, table.get("dependencies", [CONTRACT]), points)


def plain_text(text: str) -> str:
    """Return the text of a page without its links."""
    return LINK.sub(r"\1", text).strip()
