"""Ours as it ships: wheels with compiled bytecode, all plugins of the default bundle, log and memory on the disk."""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.turns import address, done, take_turns, task, words

from openkoi.app import App
from openkoi.open_app import open_app
from openkoi_base.redact import CURRENT
from openkoi_hookspecs import Limits, Message, Request, Task

MODEL = "openai/m"
SETTINGS = {"models.default": MODEL, f"models.known.{MODEL}.price": [1.0, 5.0]}
SCRIPTED = {"models.default": "saying/scripted"}
PLENTY = Limits(iterations=0, cycles=10**6, tokens=10**12, usd=10**6, seconds=10**6, calls=10**9)
ADDING = """[openkoi.tools]
adding = benchmarks.contestants.adding:Adding
[openkoi.providers]
saying = benchmarks.contestants.adding:Saying
"""


def opened(folder: Path, settings: Mapping[str, object] = SETTINGS) -> App:
    """Return OpenKoi as it is installed, with one more tool, at the contest's model; its home is not its workspace."""
    workspace, adding = folder / "workspace", folder / "site" / "adding-1.0.dist-info"
    workspace.mkdir()
    adding.mkdir(parents=True)
    (adding / "entry_points.txt").write_text(ADDING)
    sys.path.append(str(adding.parent))
    own = {"OPENKOI_HOME": str(folder / "home"), "OPENAI_BASE_URL": address()}
    return open_app(workspace, settings=settings, environment={**os.environ, **own})


async def turn(koi: App, asked: dict[str, int]) -> None:
    """Do a number of runs at once, until memory has ingested them."""
    results = await asyncio.gather(
        *(koi.solve(Task(task(asked["steps"]), limits=PLENTY)) for _ in range(asked.get("runs", 1)))
    )
    for result in results:
        done(result.text)
    await koi.drain()


async def listen(koi: App, asked: dict[str, int]) -> None:
    """A streamed call, as in a run."""
    CURRENT.set(koi.services.redactor)
    run = await koi.run_starter.make_run(Task("Speak.", limits=PLENTY))
    answer = Message.user(words(asked["chunks"], asked["pause"]))
    reply = await run.chat(Request((answer,), model="executor"))
    assert asked["chunks"] == len(reply.text.split())


def main() -> None:
    """Take turns."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, asyncio.Runner() as runner:
        koi = opened(Path(folder))
        runner.run(koi.__aenter__())
        take_turns("openkoi", lambda asked: runner.run((listen if "chunks" in asked else turn)(koi, asked)))


if __name__ == "__main__":
    main()
