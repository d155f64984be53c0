"""Read a stream of many small pieces in batches: waking up for each costs several times what parsing it does."""

import asyncio

REST_SECONDS = 0.01  # users see text 20 times a second
QUICK_SECONDS = 0.005  # between pieces that are worth a rest; tokens of most models are further apart
MIN_QUICK_PIECES = 8  # a short response, such as a tool call, is never delayed


class Pacing:
    """The pace of one response. A piece that was buffered already comes without a turn of the event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._turns = self._turns_before = self._quick = 0
        self._is_counting = False
        self._last = self._loop.time()

    def begin(self) -> None:
        """Note that the next piece is awaited."""
        self._turns_before = self._turns
        if not self._is_counting:
            self._is_counting = True
            self._loop.call_soon(self._count_turn)

    async def rest(self) -> None:
        """Wait a moment after a piece if pieces come one by one and quickly, so that the next ones come together."""
        if self._turns == self._turns_before:
            return
        now = self._loop.time()
        self._quick, self._last = self._quick + 1 if now - self._last < QUICK_SECONDS else 0, now
        if self._quick >= MIN_QUICK_PIECES:
            await asyncio.sleep(REST_SECONDS)
            self._last = self._loop.time()

    def _count_turn(self) -> None:
        self._is_counting = False
        self._turns += 1
