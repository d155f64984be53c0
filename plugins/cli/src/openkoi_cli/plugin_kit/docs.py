"""Show how a kind of plugin is written: its entry point, the contract as code, and a complete example."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from .contract_pages import describe_section, explain_subprocess
from .contract_types import format_types
from .new import KINDS, fill_template, package_files

# The kind as users say it: the group of its entry points, and the protocols or module of the contract.
CONTRACTS: Mapping[str, tuple[str, ...]] = {
    "budget": ("budgets", "Budget"),
    "bundle": ("bundles",),
    "checkpoints": ("checkpoints", "Checkpoints"),
    "command": ("commands",),
    "compactor": ("compactors", "Compactor"),
    "embedder": ("embedders", "Embedder"),
    "evaluator": ("evaluators", "Evaluator"),
    "frontend": ("frontends", "Frontend"),
    "hook": ("hooks", "hooks"),
    "integration": ("integrations", "Messenger", "Documents"),
    "judge": ("evaluators", "Evaluator"),
    "mcp": ("sources",),
    "memory": ("memory", "Memory"),
    "provider": ("providers", "Provider"),
    "questions": ("questions", "Questions"),
    "sandbox": ("sandboxes", "Sandbox"),
    "script": ("sources",),
    "source": ("sources", "PluginSource"),
    "tool": ("tools", "ToolProvider"),
    "wasm": ("sources",),
    "worker": ("workers", "AgentRunner"),
}
HEADINGS = {"worker": "Agent runner"}  # of the contract's pages; that of any other kind is its name
NOT_SHOWN = (".github/", ".gitignore")  # files of a package that are the same for all
FOLDERS: Mapping[str, str] = {
    "bundle": (
        "A distribution without code. It depends on plugins, and contains settings, skills, rubrics, hook scripts and "
        "MCP servers."
    ),
    "wasm": (
        "A folder with a manifest and a WebAssembly module. It needs openkoi-wasm. `openkoi wasm docs` describes the "
        "manifest and the module in full."
    ),
}
SUMMARIES: Mapping[str, str] = {
    "bundle": "A team's choice of plugins, settings, skills and hooks, without code.",
    "command": "A command of `openkoi`.",
    "hook": "Functions that OpenKoi calls during a task. They add to prompts, check tool calls and receive events.",
    "judge": "An evaluator that scores the work.",
    "mcp": "A server in any language, whose tools, resources and prompts OpenKoi uses.",
    "script": "Hooks or a command in one Starlark file, which is run in a sandbox.",
    "wasm": "Tools, hooks, evaluators or models in a WebAssembly module, which is run in a sandbox.",
}
SCRIPT = """\
One file in Starlark, which looks like Python and has no access to your machine. A function named after a hook is
called with the facts that its parameters name, and returns None to add nothing. Sections are strings or
`section(name, text)`; answers to `before_tool` are `allow(reason)`, `ask(reason)` and `deny(reason)`; a dictionary
such as `{"text": ...}` changes fields of the first fact. `log(text)` prints a line. Everything else needs a
permission: put `NAME.toml` next to the script, with a table `[capabilities]` that has `network` for `http_get(url)`,
`memory` for `search_memory(query)`, and `messages` for `send_message(app, channel, text)`. Scripts need
openkoi-scripts."""
SCRIPT_STEPS = """\
To create this file in your own scripts, run `openkoi plugin new script my-script`; `my-script.py` creates one in
Python, which runs without a sandbox and needs your approval."""
MCP = """\
A program in any language that speaks MCP; it needs neither a package nor an OpenKoi library. OpenKoi starts it,
calls its tools once you approve them, shows its progress, and forwards its questions (elicitation) to you; without a
terminal, the question is cancelled. Sampling is refused. The tool `plant` of the server `garden` is named
`garden__plant`."""
MCP_STEPS = """\
To use the server, install its library and openkoi-mcp, add the server, and approve what it offers:

    pip install mcp openkoi-mcp
    openkoi mcp add garden python server.py
    openkoi mcp test garden
    openkoi mcp approve garden
    openkoi "Plant a rose" """.rstrip()
NEW_STEPS = "To create these files, run `openkoi plugin new {kind} my-{kind}`."
PAGE_STEPS = """\
To try a plugin on this page, write its files into a folder, run `pip install -e . openkoi-testing` there, then
`openkoi plugin certify .`"""


def list_kinds() -> Iterator[str]:
    """Yield a line for each kind."""
    width = max(map(len, CONTRACTS)) + 2
    yield from (f"{kind:<{width}}{summarize_kind(kind)}" for kind in CONTRACTS)


def summarize_kind(kind: str) -> str:
    """Return what a kind of plugin is for, in one sentence: from its contract, if it has one."""
    if kind in SUMMARIES:
        return SUMMARIES[kind]
    text = inspect.getdoc(find_contract(CONTRACTS[kind][1])) or ""
    return " ".join(text.partition("\n\n")[0].split()).partition(". ")[0].rstrip(".") + "."


def find_contract(name: str) -> Any:
    """Return a protocol or module of the contract; those of apps are in a separate module."""
    import openkoi_hookspecs
    from openkoi_hookspecs import integrations

    return getattr(openkoi_hookspecs, name, None) or getattr(integrations, name)


def describe_kind(kind: str) -> Iterator[str]:
    """Yield the parts of a kind's page: its contract, the types that this and the example name, and the example."""
    group, *names = CONTRACTS[kind]
    if kind in ("script", "mcp"):
        yield from describe_script() if kind == "script" else describe_server()
        return
    yield f"# {kind}\n\n{FOLDERS.get(kind, f'Entry point group: openkoi.{group}')}"
    yield explain_subprocess(kind)
    sources = {name: inspect.getsource(find_contract(name)) for name in names}
    yield from (f"## The contract: {module_of(name)}.{name}\n\n{indent(code)}" for name, code in sources.items())
    example = [*describe_example(kind)]
    code = "\n".join(
        [*sources.values(), *(text for path, text in example if path.startswith("src/") and path.endswith(".py"))]
    )
    if types := [*format_types(code, names)]:
        yield "\n\n".join(["## Types", *map(indent, types)])
    yield from (f"## {path}\n\n{indent(text)}" if path else text for path, text in example if text)
    yield (NEW_STEPS if kind in KINDS else PAGE_STEPS).format(kind=kind)


def describe_example(kind: str) -> Iterator[tuple[str, str]]:
    """Yield the files of a kind's example by their paths, and texts without one."""
    if kind in KINDS:
        files = package_files(kind, f"my-{kind}")
        yield from ((path, text) for path, text in files.items() if not path.startswith(NOT_SHOWN))
    else:
        yield from describe_section(HEADINGS.get(kind, kind.capitalize()), summarize_kind(kind))


def module_of(name: str) -> str:
    """Return the module that a protocol or module of the contract is imported from."""
    import openkoi_hookspecs

    return "openkoi_hookspecs" if hasattr(openkoi_hookspecs, name) else "openkoi_hookspecs.integrations"


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


def describe_server() -> Iterator[str]:
    """Yield the parts of the page about MCP servers."""
    yield f"# mcp\n\n{MCP}"
    yield f"## server.py\n\n{indent(fill_template('server.py', {}))}"
    yield MCP_STEPS


def indent(text: str) -> str:
    """Return code as a block of Markdown."""
    return "\n".join(f"    {line}".rstrip() for line in text.rstrip().splitlines())
