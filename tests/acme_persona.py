"""Define a plugin with a persona that a model may propose to change; the user decides.

It knows the contract and click alone.
"""

import difflib
from pathlib import Path
from typing import Annotated

import click

from openkoi_hookspecs import DataDir, Koi, KoiError, Layer, Message, Request, Result, Run, Section, Task, hookimpl

START = "You are a calm koi. You speak plainly.\n"


class Persona:
    """``[hooks.acme] after = 2``: propose a change after this number of tasks."""

    def __init__(self, *, folder: Annotated[Path, DataDir("acme-persona")], after: int = 2) -> None:
        self.file, self.proposed, self.after = folder / "PERSONA.md", folder / "proposed.md", after
        self.done = 0

    @property
    def text(self) -> str:
        """The current persona."""
        return self.file.read_text() if self.file.exists() else START

    @hookimpl
    def before_plan(self, task: Task) -> list[Section]:
        """Add the persona, except in sub-tasks."""
        return [] if task.parent else [Section("persona", self.text, layer=Layer.SYSTEM)]

    @hookimpl
    async def before_learn(self, result: Result, run: Run) -> None:
        """Let a small model propose a change; the cost is charged to the task."""
        self.done += not run.task.parent
        if run.task.parent or self.done % self.after:
            return
        message = Message.user(f"Change one sentence of this persona, after the task {run.task.text!r}:\n{self.text}")
        try:
            reply = await run.chat(Request([message], model="small", max_output=200))
        except KoiError:
            return
        self.proposed.parent.mkdir(parents=True, exist_ok=True)
        self.proposed.write_text(reply.text.strip() + "\n")


async def loaded(koi: Koi) -> Persona:
    """The object whose hooks are called."""
    persona = await koi.load("hooks", "acme")
    assert isinstance(persona, Persona)
    return persona


@click.group()
def persona() -> None:
    """Who it is."""


@persona.command()
@click.argument("texts", nargs=-1)
@click.pass_obj
async def work(koi: Koi, texts: tuple[str, ...]) -> None:
    """Do tasks, and show the counts."""
    for text in texts:
        await koi.solve(Task(text))
    await koi.drain()
    click.echo(f"{(await loaded(koi)).done} done")


@persona.command()
@click.option("--approve", is_flag=True)
@click.pass_obj
async def review(koi: Koi, approve: bool) -> None:
    """Show the proposed change, or accept it."""
    mine = await loaded(koi)
    if not mine.proposed.exists():
        raise click.ClickException("Nothing is proposed.")
    new = mine.proposed.read_text()
    if approve:
        mine.file.write_text(new)
        mine.proposed.unlink()
    click.echo("".join(difflib.unified_diff(mine.text.splitlines(True), new.splitlines(True))), nl=False)
