"""A script: another process, which absorbs the records that come in by standard input. It imports no test library."""

import asyncio
import pickle
import sys
from collections.abc import Sequence

from openkoi_hookspecs import KoiError, Memory, Record

AT_ONCE, TRIES = 60, 60


async def absorb_patiently(memory: Memory, records: Sequence[Record]) -> None:
    """Absorb a few at a time, and try again when memory is busy: the next start would."""
    for start in range(0, len(records), AT_ONCE):
        for _ in range(TRIES):
            try:
                await memory.ingest(records[start : start + AT_ONCE])
                break
            except KoiError:
                await asyncio.sleep(0.05)
        else:
            raise SystemExit("memory stayed busy")


if __name__ == "__main__":
    subject, settings, records = pickle.load(sys.stdin.buffer)  # written by the suite that started this process
    asyncio.run(absorb_patiently(subject(**settings), records))
