"""Test that a memory hides the runs that a rewind removed from their conversation, until the rewind is undone."""

import asyncio
import random
from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path

import pytest

from openkoi_hookspecs import Memory, Record
from openkoi_hookspecs.events import ConversationRewound
from openkoi_hookspecs.lazy_dataclass import dataclass

from .memory_log import run_records, talk_records, timestamp
from .memory_queries import ids_of, search_many, search_project
from .memory_rebuild import FedMemory

STEPS = 12
BIRDS = (
    "heron", "plover", "wren", "osprey", "siskin", "dunlin", "fulmar", "linnet", "merlin", "pipit", "smew", "twite",
)  # fmt: skip


@dataclass(slots=True)
class Talk:
    """A conversation whose messages are about one bird each: what it contains, what was removed, and its log."""

    kept: list[str] = field(default_factory=list)
    removed: list[list[str]] = field(default_factory=list)
    log: list[Record] = field(default_factory=list)

    def send(self) -> list[Record]:
        """Ask about the next bird; an earlier rewind can no longer be undone."""
        bird = BIRDS[len({record.run for record in self.log})]
        start = 100.0 * len(self.log)
        self.kept.append(bird)
        self.removed.clear()
        return [
            *run_records(bird, f"Draw the {bird}", start=start),
            *talk_records(bird, f"The {bird} sings in the reeds before the others wake up.", start=start + 3),
        ]

    def rewind(self, place: int) -> list[Record]:
        """Rewind to before a message; the newest one is removed first."""
        gone, self.kept = self.kept[place:], self.kept[:place]
        self.removed.append(gone)
        return [self.record(bird, ConversationRewound(gone[0]), n) for n, bird in enumerate(reversed(gone))]

    def undo(self) -> list[Record]:
        """Undo the last rewind; the oldest message comes back first."""
        back = self.removed.pop()
        self.kept += back
        return [self.record(bird, ConversationRewound(back[0], undone=True), n) for n, bird in enumerate(back)]

    def record(self, bird: str, event: ConversationRewound, place: int) -> Record:
        """Return the record of a rewind or its undo, of one run."""
        return Record(f"rewind-{len(self.log):04}-{place}", timestamp(100.0 * len(self.log) + place), bird, event)


def random_talk(chance: random.Random) -> Iterator[Talk]:
    """Yield a conversation after each of its random steps."""
    talk = Talk()
    for _ in range(STEPS):
        asked = len({record.run for record in talk.log})
        steps = [lambda: talk.send()] * 2 if asked < len(BIRDS) else []
        steps += [lambda: talk.rewind(chance.randrange(len(talk.kept)))] if talk.kept else []
        steps += [talk.undo] if talk.removed else []
        talk.log += chance.choice(steps)()
        yield talk


def found_birds(memory: Memory) -> dict[str, list[str]]:
    """Return the results for each bird that is found."""
    found = {bird: sorted(ids_of(search_project(memory, f"the {bird}"))) for bird in BIRDS}
    return {bird: ids for bird, ids in found.items() if ids}


def all_found(birds: Sequence[str]) -> dict[str, list[str]]:
    """Return the expected results for these birds: the task and the answer."""
    return {bird: [bird, f"{bird}-turn-000:0"] for bird in sorted(birds, key=BIRDS.index)}


class RewindContract:
    """Test rewinds, as a part of the memory's contract."""

    @pytest.mark.parametrize("seed", range(2))
    def test_nothing_of_a_rewound_message_is_found_until_the_rewind_is_undone(
        self: FedMemory, tmp_path: Path, seed: int
    ) -> None:
        memory, known = self.fed(tmp_path), 0
        for talk in random_talk(random.Random(seed)):
            asyncio.run(memory.ingest(talk.log[known:]))
            known = len(talk.log)

            assert all_found(talk.kept) == found_birds(memory)

    @pytest.mark.parametrize("seed", range(2, 4))
    def test_rewinds_give_the_same_answers_in_any_order_and_batches(self: FedMemory, tmp_path: Path, seed: int) -> None:
        chance = random.Random(seed)
        *_, talk = random_talk(chance)
        shuffled = chance.sample(talk.log, len(talk.log))
        size = chance.randint(5, 60)
        parts = self.fed(tmp_path / "parts", *(shuffled[n : n + size] for n in range(0, len(shuffled), size)))

        assert all_found(talk.kept) == found_birds(parts)
        assert search_many(self.fed(tmp_path / "whole", talk.log)) == search_many(parts)
