"""Do a run that is killed while an answer streams: ``stream_run.py HOME URL [RUN]``; with a run's id, resume it.

It kills itself a moment after the first words of an answer have come. A model is at the address, and it is dear.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from openkoi_hookspecs import Limits, Record, Task, events
from openkoi_openai import OpenAI
from openkoi_testing import Scenario

DEAR = {"models.known.openai/gpt-fake.price": [1.0, 1000.0], "models.known.openai/gpt-fake.output": 400}
MOST = 1.2
LATER = 0.1


async def run_until(home: Path, url: str, run: str) -> None:
    """Start or resume the task, and kill this process in the middle of the answer."""
    model = OpenAI(base_url=url, api_key="sk-a-key-for-nobody-at-all")
    settings = {"models.default": "openai/gpt-fake", **DEAR}
    koi = Scenario(providers={"openai": model}, settings=settings, installed=frozenset()).build_app(home, home)
    loop = asyncio.get_running_loop()

    def tell(record: Record) -> None:
        if isinstance(record.event, events.ModelDelta):
            loop.call_later(LATER, os.kill, os.getpid(), signal.SIGKILL)

    koi.listen(tell)
    async with koi:
        if run:
            await koi.resume(run).result()
        else:
            await koi.solve(Task("Tell a long story", limits=Limits(iterations=0, usd=MOST)))


if __name__ == "__main__":
    asyncio.run(run_until(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
