"""Run every hostile script in this process, and print what came of each, its time, and the memory of all, as JSON."""

import asyncio
import json
import resource
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import Any

from hostile_scripts import HOSTILE, text_of

from openkoi_hookspecs import KoiError
from openkoi_scripts.host_functions import NAMES
from openkoi_scripts.process import ScriptError, ScriptProcesses


class Refusing:
    """Refuses everything but a few lines, as OpenKoi does where nothing is granted."""

    def __init__(self) -> None:
        self.lines = 0

    async def __call__(self, name: str, arguments: Sequence[Any]) -> object:
        self.lines += 1
        if name == "log" and self.lines <= 100:
            return None
        raise KoiError(f"{name} is not granted.")


async def attack(text: str, seconds: float) -> tuple[str, float]:
    """Run a hostile script; return what came of it, and the time of its call."""
    hostile = ScriptProcesses("hostile.star", text, seconds, NAMES)
    began = perf_counter()
    try:
        await hostile.describe(load=True)
        began = perf_counter()
        result = repr(await hostile.call("attack", "{}", Refusing()))[:100]
    except ScriptError as error:
        result = str(error)
    took = perf_counter() - began
    await hostile.close()
    return result, took


def kilobytes(who: int) -> int:
    """Return the largest memory so far, of this process or of any child that has ended."""
    largest = resource.getrusage(who).ru_maxrss
    return largest // 1024 if sys.platform == "darwin" else largest


async def run_all(seconds: float) -> dict[str, tuple[str, float]]:
    """Run all scripts, one after another."""
    return {name: await attack(text_of(body), seconds) for name, body in HOSTILE.items()}


def main(seconds: str) -> None:
    """Print the results."""
    before = kilobytes(resource.RUSAGE_SELF)
    results = asyncio.run(run_all(float(seconds)))
    growth = kilobytes(resource.RUSAGE_SELF) - before
    print(json.dumps({"results": results, "host": growth, "child": kilobytes(resource.RUSAGE_CHILDREN)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
