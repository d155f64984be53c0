"""Show how a kind of plugin is written: its entry point, the contract as code, and a whole example."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from string import Template
from typing import Any

from .new import KINDS, fill_template, template_values

# The kind as users say it: the group of its entry points, and the protocol or module of the contract.
CONTRACTS: Mapping[str, tuple[str, str]] = {
    "budget": ("budgets", "Budget"),
    "bundle": ("bundles", ""),
    "checkpoints": ("checkpoints", "Checkpoints"),
    "command": ("commands", ""),
    "compactor": ("compactors", "Compactor"),
    "embedder": ("embedders", "Embedder"),
    "evaluator": ("evaluators", "Evaluator"),
    "frontend": ("frontends", "Frontend"),
    "hook": ("hooks", "hooks"),
    "integration": ("integrations", "Messenger"),
    "judge": ("evaluators", "Evaluator"),
    "memory": ("memory", "Memory"),
    "provider": ("providers", "Provider"),
    "questions": ("questions", "Questions"),
    "sandbox": ("sandboxes", "Sandbox"),
    "script": ("sources", ""),
    "source": ("sources", "PluginSource"),
    "tool": ("tools", "ToolProvider"),
    "wasm": ("sources", ""),
    "worker": ("workers", "AgentRunner"),
}
# Kinds that are a folder: what it is, and which of its files are shown.
FOLDERS: Mapping[str, tuple[str, Sequence[str]]] = {
    "bundle": (
        "A distribution of data: plugins that it depends on, settings, skills, rubrics, hook scripts and MCP servers.",
        (
            "pyproject.toml",
            "src/$module/bundle.toml",
            "src/$module/skills/$name/SKILL.md",
            "src/$module/hooks/$name.star",
        ),
    ),
    "wasm": (
        "A folder with a manifest and a WebAssembly module. It needs openkoi-wasm: `openkoi wasm docs` shows all that "
        "they may contain.",
        ("plugin.toml", "package.json", "assembly/index.ts", "assembly/koi.ts"),
    ),
}
SUMMARIES: Mapping[str, str] = {
    "bundle": "A team's choice of plugins, settings, skills and hooks, without code.",
    "command": "A command of `openkoi`.",
    "hook": "Functions that are called at a step of a task: they add to prompts, check tool calls and receive events.",
    "judge": "An evaluator that scores the work.",
    "script": "Hooks or a command in one Starlark file, which is run in a sandbox.",
    "wasm": "Tools, hooks, evaluators or models in a WebAssembly module, which is run in a sandbox.",
}
SCRIPT = """\
One file in Starlark, which looks like Python and has no access to your machine. A function named after a hook is
called with the facts that it declares, and returns None to add nothing. Sections are strings or `section(name, text)`;
answers to `before_tool` are `allow(reason)`, `ask(reason)` and `deny(reason)`; a dictionary such as `{"text": ...}`
changes fields of the first fact. `log(text)` shows a line. Everything else must be granted: put `NAME.toml` beside the
script, with a table `[capabilities]` that has `network` for `http_get(url)`, `memory` for `search_memory(query)`, and
`messages` for `send_message(app, channel, text)`. Scripts need openkoi-scripts."""
SCRIPT_STEPS = """\
To create this file in your own scripts, run `openkoi plugin new script my-script`; `my-script.py` creates one in
Python, which runs without a sandbox and needs your approval."""
NO_TEMPLATE = "This kind has no template. Complete examples are in the source: hookspecs/*_PLUGINS.md."


def list_kinds() -> Iterator[str]:
    """Yield a line for each kind."""
    width = max(map(len, CONTRACTS)) + 2
    yield from (f"{kind:<{width}}{summarize_kind(kind)}" for kind in CONTRACTS)


def summarize_kind(kind: str) -> str:
    """Return what a kind of plugin is for, in a sentence: of its contract where it has one."""
    _, name = CONTRACTS[kind]
    if kind in SUMMARIES or not name:
        return SUMMARIES[kind]
    text = inspect.getdoc(find_contract(name)) or ""
    return " ".join(text.partition("\n\n")[0].split()).partition(". ")[0].rstrip(".") + "."


def find_contract(name: str) -> Any:
    """Return a protocol or module of the contract; those of apps have a module of their own."""
    import openkoi_hookspecs
    from openkoi_hookspecs import integrations

    return getattr(openkoi_hookspecs, name, None) or getattr(integrations, name)


def describe_kind(kind: str) -> Iterator[str]:
    """Yield the parts of a kind's page."""
    import openkoi_hookspecs

    if kind in FOLDERS:
        yield from describe_folder(kind)
        return
    if kind == "script":
        yield from describe_script()
        return
    group, name = CONTRACTS[kind]
    yield f"# {kind}\n\nEntry point group: openkoi.{group}"
    if name:
        contract = find_contract(name)
        module = "openkoi_hookspecs" if hasattr(openkoi_hookspecs, name) else contract.__module__
        yield f"## The contract: {module}.{name}\n\n{indent(inspect.getsource(contract))}"
    if kind not in KINDS:
        yield NO_TEMPLATE
        return
    values = template_values(kind, f"my-{kind}")
    module = values["module"]
    for path, template in (
        (f"src/{module}/__init__.py", f"{kind}.py"),
        (f"tests/test_{module}.py", f"{kind}_test.py"),
        ("pyproject.toml", "pyproject.toml"),
    ):
        yield f"## {path}\n\n{indent(fill_template(template, values))}"
    yield f"To create this package, run `openkoi plugin new {kind} my-{kind}`."


def describe_folder(kind: str) -> Iterator[str]:
    """Yield the parts of the page about a kind that is a folder."""
    text, folders = FOLDERS[kind]
    yield f"# {kind}\n\n{text}"
    values = {**template_values(kind, f"my-{kind}"), "summary": KINDS[kind].summary}
    for path in folders:
        yield f"## {Template(path).substitute(values)}\n\n{indent(fill_template(KINDS[kind].files[path], values))}"
    yield f"To create this folder, run `openkoi plugin new {kind} my-{kind}`."


def describe_script() -> Iterator[str]:
    """Yield the parts of the page about hook scripts."""
    from openkoi_hookspecs import hooks

    yield f"# script\n\n{SCRIPT}"
    names = [name for name, value in vars(hooks).items() if hasattr(value, "openkoi_spec")]
    specs = [f"{name}({', '.join(inspect.signature(getattr(hooks, name)).parameters)})" for name in names]
    yield "## Hooks\n\n" + "\n".join(f"    {spec}" for spec in specs)
    text = fill_template("script.star", {"name": "my-script", "summary": "Change prompts."})
    yield f"## my-script.star\n\n{indent(text)}"
    yield SCRIPT_STEPS


def indent(text: str) -> str:
    """Return code as a block of Markdown."""
    return "\n".join(f"    {line}".rstrip() for line in text.rstrip().splitlines())
