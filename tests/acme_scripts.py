"""Define a plugin for scripts: each is a child process that gets facts as JSON and answers in JSON.

A script brings hooks, tools and an evaluator, as its manifest says. It knows the contract and the log's library alone.
"""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from inspect import signature
from pathlib import Path
from typing import Any

from openkoi_hookspecs import (
    Allow,
    Arguments,
    Ask,
    Check,
    Deny,
    Effect,
    Evaluation,
    ExecutionResult,
    Koi,
    Learning,
    PluginEntry,
    Question,
    Run,
    Section,
    Tool,
    ToolError,
    ToolResult,
    hookimpl,
    hooks,
    is_yes,
)
from openkoi_runlog import to_dict

MADE: Mapping[str, Callable[..., object]] = {
    "section": Section,
    "learning": Learning,
    "allow": Allow,
    "ask": Ask,
    "deny": Deny,
}
KOI = frozenset({"koi", "run"})


@dataclass(frozen=True, slots=True)
class Script:
    """A program and its manifest."""

    path: Path
    manifest: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """What the user consents to: the program and its permissions."""
        return sha256(self.path.read_bytes() + json.dumps(self.manifest).encode()).hexdigest()

    async def allowed(self, run: Run) -> bool:
        """Ask once for what the script wants."""
        text = f"{self.path.name} wants: {', '.join(self.manifest['wants'])}. Allow?"
        return is_yes(await run.ask(Question(text, choices=("yes", "no"), keep=True, digest=self.digest)))

    async def call(self, verb: str, facts: Mapping[str, object]) -> Any:
        """Run the program; it is killed when its caller is cancelled."""
        command = [sys.executable, "-I", str(self.path), verb]
        child = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=PIPE)
        try:
            output, trouble = await child.communicate(json.dumps(facts, default=str).encode())
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()
        if child.returncode:
            raise ToolError(f"{self.path.name} failed: {trouble.decode().strip().splitlines()[-1]}")
        return json.loads(output)


class Hooks:
    """An implementation of each hook that the manifest names, whatever its parameters are."""

    def __init__(self, script: Script) -> None:
        for name in script.manifest["hooks"]:
            setattr(self, name, hookimpl(hook_of(script, name)))


def hook_of(script: Script, name: str) -> Callable[..., Any]:
    async def call(**facts: Any) -> Any:
        run: Run | None = facts.get("run")
        if run is not None and not await script.allowed(run):
            return None
        report = {key: to_dict(value) for key, value in facts.items() if key not in KOI}
        return made(await script.call(name, report), facts[first])

    first = next(iter(signature(getattr(hooks, name)).parameters))
    return call


def made(answer: Any, first: Any) -> Any:
    """Parse facts from JSON; a change applies to the first fact."""
    if isinstance(answer, list):
        return [made(one, first) for one in answer]
    if isinstance(answer, dict) and "make" in answer:
        return MADE[answer["make"]](**{key: value for key, value in answer.items() if key != "make"})
    return replace(first, **answer["change"]) if isinstance(answer, dict) else answer


class Tools:
    """The tools of a script."""

    def __init__(self, script: Script) -> None:
        self.script = script

    async def tools(self, run: Run) -> list[Tool]:
        return [self.tool(one) for one in self.script.manifest["tools"]] if await self.script.allowed(run) else []

    def tool(self, name: str) -> Tool:
        async def call(arguments: Arguments) -> ToolResult:
            return ToolResult(str(await self.script.call(name, dict(arguments))))

        return Tool(name, f"Run the script's {name}.", {"type": "object"}, call, effect=Effect.READS)


class Evaluator:
    """Checks of a script."""

    def __init__(self, script: Script) -> None:
        self.script = script

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        if not await self.script.allowed(run):
            return None
        checks = await self.script.call("evaluate", {"text": work.text, "files": list(work.files)})
        return Evaluation(checks=tuple(Check(name, passed=passed) for name, passed in checks.items()))


KINDS: Mapping[str, Callable[[Script], object]] = {"hooks": Hooks, "tools": Tools, "evaluators": Evaluator}


class Scripts:
    """An entry for each kind that a manifest ``NAME.json`` in the workspace's folder ``scripts`` has."""

    def discover(self, koi: Koi, workspace: Path) -> Iterable[PluginEntry]:
        for file in sorted(workspace.glob("scripts/*.json")):
            script = Script(file.with_suffix(".py"), json.loads(file.read_text()))
            for kind in KINDS.keys() & script.manifest.keys():
                load = partial(loaded, KINDS[kind], script)
                yield PluginEntry(kind, file.stem, str(script.path), load, version=script.digest)


async def loaded(kind: Callable[[Script], object], script: Script) -> object:
    return kind(script)
