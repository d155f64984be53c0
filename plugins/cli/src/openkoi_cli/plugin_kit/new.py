"""Write the package of a new plugin from templates (scaffolding)."""

import keyword
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import field
from importlib.util import find_spec
from pathlib import Path
from string import Template

import click

from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

TEMPLATES = Path(__file__).parent / "templates"
CONTRACT = "openkoi-hookspecs>=1,<2"
PYTHON_STEPS = """\
Created $folder. To work on it:

    cd $folder
    pip install -e . openkoi-testing
    openkoi plugin certify .

The plugin is in src/$edited: edit it, then certify it again.
"""
WASM_STEPS = """\
Created $folder. To work on it:

    cd $folder
    npm install && npm run build
    openkoi plugin certify .
    openkoi wasm add .

The tool is in assembly/index.ts: edit it, then build it again.
"""
PYTHON_FILES: Mapping[str, str] = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    ".github/workflows/test.yml": "test.yml",
    "src/$module/__init__.py": "$template.py",
    "src/$module/py.typed": "",
    "tests/test_$module.py": "${template}_test.py",
}
WASM_FILES: Mapping[str, str] = {
    name: f"wasm/{name.rpartition('/')[2].removeprefix('.')}"
    for name in ("plugin.toml", "package.json", "README.md", ".gitignore", "assembly/koi.ts", "assembly/index.ts")
}
BUNDLE_FILES: Mapping[str, str] = {
    "pyproject.toml": "bundle/pyproject.toml",
    "README.md": "bundle/README.md",
    ".github/workflows/test.yml": "test.yml",
    "src/$module/bundle.toml": "bundle/bundle.toml",
    "src/$module/skills/$name/SKILL.md": "bundle/SKILL.md",
    "src/$module/hooks/$name.star": "script.star",
    "tests/test_$module.py": "bundle/test.py",
}
TAKEN = "{name!r} cannot be the name of a plugin, because Python already has a module {module}. Try my-{name}."
VALID_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class PluginTemplate:
    """How a kind of plugin is written: its entry-point group, the entry point's object in the module, and a summary.

    ``files`` are the files of its package with their templates; an empty file has none. ``edited`` is the one to edit.
    """

    group: str
    target: str
    summary: str
    dependencies: tuple[str, ...] = (CONTRACT,)
    files: Mapping[str, str] = field(default_factory=lambda: PYTHON_FILES)
    steps: str = PYTHON_STEPS
    edited: str = "__init__.py"


KINDS: Mapping[str, PluginTemplate] = {
    "bundle": PluginTemplate(
        "bundles",
        "",
        "A team's choice of plugins, settings, skills and hooks.",
        ("openkoi[scripts]",),
        BUNDLE_FILES,
        edited="bundle.toml",
    ),
    "command": PluginTemplate("commands", ":command", "A command of OpenKoi.", (CONTRACT, "click>=8.2")),
    "evaluator": PluginTemplate("evaluators", ":$class_name", "An OpenKoi evaluator that checks the work."),
    "hook": PluginTemplate("hooks", "", "OpenKoi hooks that change prompts."),
    "judge": PluginTemplate("evaluators", ":$class_name", "An OpenKoi judge that scores the work."),
    "tool": PluginTemplate("tools", ":$class_name", "A tool for OpenKoi."),
    "wasm": PluginTemplate("sources", "", "A tool for OpenKoi.", files=WASM_FILES, steps=WASM_STEPS),
}


def write_package(kind: str, name: str, parent: Path) -> Path:
    """Write a package that works, with its tests and CI, into a new folder; return the folder."""
    check_name(name)
    folder = parent / name
    if folder.exists():
        raise click.UsageError(f"{folder} already exists. Choose another name, or another folder with --into.")
    if KINDS[kind].files is not WASM_FILES:
        refuse_taken(name)
    try:
        write_files(kind, name, folder)
    except OSError as error:
        raise KoiError(f"{folder} cannot be written: {error.strerror}. Choose another folder with --into.") from error
    return folder


def check_name(name: str) -> None:
    """Raise UsageError for a text that is not the name of a plugin."""
    if not VALID_NAME.fullmatch(name) or keyword.iskeyword(name):
        raise click.UsageError(f"{name!r} is not a plugin name. Use lower-case words joined by hyphens: my-style.")


def refuse_taken(name: str) -> None:
    """Raise UsageError for a name whose module Python would find elsewhere instead of in the plugin."""
    module = name.replace("-", "_")
    found = find_spec(module)
    if module in sys.stdlib_module_names or (found and found.origin):
        raise click.UsageError(TAKEN.format(name=name, module=module))


def write_files(kind: str, name: str, folder: Path) -> None:
    """Write the files of a package."""
    for file, text in package_files(kind, name).items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def package_files(kind: str, name: str) -> dict[str, str]:
    """Return the files of a package by their paths."""
    values = template_values(kind, name)
    named = {
        Template(path).substitute(values): Template(template).substitute(values, template=kind)
        for path, template in KINDS[kind].files.items()
    }
    return {path: fill_template(template, values) if template else "" for path, template in named.items()}


def next_steps(kind: str, name: str, folder: Path) -> str:
    """Return what to do with a new package."""
    edited = f"{name.replace('-', '_')}/{KINDS[kind].edited}"
    return Template(KINDS[kind].steps).substitute(folder=folder, edited=edited)


def template_values(kind: str, name: str) -> dict[str, str]:
    """Return the values for the placeholders in a kind's templates."""
    found, module = KINDS[kind], name.replace("-", "_")
    class_name = "".join(word.capitalize() for word in name.split("-"))
    target = module + Template(found.target).substitute(class_name=class_name)
    values = package_values(name, found.summary, found.dependencies, {f"openkoi.{found.group}": {name: target}})
    return {**values, "class_name": class_name, "tool": f"{module}_count"}


def package_values(
    name: str, summary: str, dependencies: Sequence[str], entry_points: Mapping[str, Mapping[str, str]]
) -> dict[str, str]:
    """Return the values that describe a package in its files; its first entry point names its settings."""
    (group, points), *_ = entry_points.items()
    return {
        "name": next(iter(points)),
        "distribution": name,
        "module": name.replace("-", "_"),
        "kind": group.removeprefix("openkoi."),
        "summary": summary,
        "dependencies": ", ".join(f'"{one}"' for one in dependencies),
        "entry_points": "\n\n".join(
            f'[project.entry-points."{group}"]\n{pairs(points)}' for group, points in entry_points.items()
        ),
    }


def pairs(points: Mapping[str, str]) -> str:
    return "\n".join(f'{name} = "{target}"' for name, target in points.items())


def fill_template(name: str, values: Mapping[str, str]) -> str:
    """Return a template's text with the values in it."""
    return Template((TEMPLATES / f"{name}.txt").read_text(encoding="utf-8")).substitute(values)
