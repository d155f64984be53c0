"""Show how a kind of plugin is written: its entry point, the contract as code, and a whole example."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from .new import KINDS, fill_template, template_values

# The kind as users say it: the group of its entry points, and the protocol or module of the contract.
CONTRACTS: Mapping[str, tuple[str, str]] = {
    "budget": ("budgets", "Budget"),
    "checkpoints": ("checkpoints", "Checkpoints"),
    "command": ("commands", ""),
    "compactor": ("compactors", "Compactor"),
    "embedder": ("embedders", "Embedder"),
    "evaluator": ("evaluators", "Evaluator"),
    "frontend": ("frontends", "Frontend"),
    "hook": ("hooks", "hooks"),
    "judge": ("evaluators", "Evaluator"),
    "memory": ("memory", "Memory"),
    "provider": ("providers", "Provider"),
    "questions": ("questions", "Questions"),
    "sandbox": ("sandboxes", "Sandbox"),
    "source": ("sources", "PluginSource"),
    "tool": ("tools", "ToolProvider"),
    "wasm": ("sources", ""),
    "worker": ("workers", "AgentRunner"),
}
SHOWN_WASM_FILES = ("plugin.toml", "package.json", "assembly/index.ts", "assembly/koi.ts")
WASM = "A folder with a manifest and a WebAssembly module. For all that they may contain, run `openkoi wasm docs`."
NO_TEMPLATE = "This kind has no template. Complete examples are in the source: hookspecs/*_PLUGINS.md."


def describe_kind(kind: str) -> Iterator[str]:
    """Yield the parts of a kind's page."""
    import openkoi_hookspecs

    if kind == "wasm":
        yield from describe_wasm()
        return
    group, name = CONTRACTS[kind]
    yield f"# {kind}\n\nEntry point group: openkoi.{group}"
    if name:
        contract: Any = getattr(openkoi_hookspecs, name)
        yield f"## The contract: openkoi_hookspecs.{name}\n\n{indent(inspect.getsource(contract))}"
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
    yield f"To write this package, run `openkoi plugin new {kind} my-{kind}`."


def describe_wasm() -> Iterator[str]:
    """Yield the parts of the page about WebAssembly modules."""
    yield f"# wasm\n\n{WASM}"
    values = template_values("wasm", "my-wasm")
    for path in SHOWN_WASM_FILES:
        yield f"## {path}\n\n{indent(fill_template(KINDS['wasm'].files[path], values))}"
    yield "To write this folder, run `openkoi plugin new wasm my-wasm`."


def indent(text: str) -> str:
    """Return code as a block of Markdown."""
    return "\n".join(f"    {line}".rstrip() for line in text.rstrip().splitlines())
