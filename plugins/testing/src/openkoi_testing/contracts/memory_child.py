"""Ingest records from standard input in another process. This script imports no test library."""

import asyncio
import pickle
import sys
from collections.abc import Sequence

from openkoi_hookspecs import KoiError, Memory, Record

BATCH_SIZE, MAX_TRIES = 60, 60


async def ingest_with_retries(memory: Memory, records: Sequence[Record]) -> None:
    """Ingest a few at a time, and retry when memory is busy, as the next start would."""
    for start in range(0, len(records), BATCH_SIZE):
        for _ in range(MAX_TRIES):
            try:
                await memory.ingest(records[start : start + BATCH_SIZE])
                break
            except KoiError:
                await asyncio.sleep(0.05)
        else:
            raise SystemExit("memory stayed busy")


if __name__ == "__main__":
    subject, settings, records = pickle.load(sys.stdin.buffer)  # written by the suite that started this process
    asyncio.run(ingest_with_retries(subject(**settings), records))
