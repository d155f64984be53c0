"""Find the past tasks of a project that mean much the same as a task, by the embedder that memory uses."""

import asyncio
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

from openkoi_hookspecs import Embedder, Run
from openkoi_hookspecs.events import WarningIssued
from openkoi_hookspecs.lazy_dataclass import dataclass

from .selection import TaskQuery, in_scope
from .state import LearningState

MAX_TASKS = 500  # newest tasks that are compared; each is embedded once (estimate)
# Cosine of two tasks that mean much the same, and how far it may be below the nearest task's. Measured with MiniLM on
# half of the tests' paraphrased tasks: from .3 to .4, and from .05 to .15, do about as well.
MIN_SIMILARITY, SIMILARITY_MARGIN = 0.35, 0.1


@dataclass(frozen=True, slots=True)
class SimilarTasks:
    """Compares tasks by an embedder, whose vectors are saved in a folder."""

    embedder: Embedder
    folder: Path

    async def find(self, state: LearningState, query: TaskQuery, run: Run) -> tuple[int, ...]:
        """Return the numbers of the similar tasks, oldest first; none, with a warning, if the embedder fails."""
        if not any(one.is_live and in_scope(one, query.project) for one in state.entries.values()):
            return ()
        visits = list(islice(reversed(state.exposures.values()), MAX_TASKS))
        texts = [*(one.selection.task for one in visits), query.text]
        try:
            cosines = await asyncio.to_thread(self.compare_with_last, texts)
        except Exception as error:  # an embedder is a plugin: on its errors words are compared
            why = f"the embedder {self.embedder.id} failed: {error}"
            await run.emit(WarningIssued(f"Learned entries are chosen by shared words only, because {why}"))
            return ()
        found = zip(visits, cosines, strict=False)
        return choose_similar({one.number: near for one, near in found if one.selection.project == query.project})

    def compare_with_last(self, texts: Sequence[str]) -> list[float]:
        """Return the cosines of the texts and the last one; only those that are not saved are embedded."""
        from openkoi_search.saved_index import hash_state
        from openkoi_search.saved_vectors import embed_saved

        rows = embed_saved(self.embedder, hash_state(texts, ()), lambda: texts, self.folder / "tasks")
        return [float(cosine) for cosine in rows.scores(rows.matrix[-1])]


def choose_similar(cosines: Mapping[int, float]) -> tuple[int, ...]:
    """Return the numbers of the tasks that are near enough: at all, and compared with the nearest one."""
    least = max(MIN_SIMILARITY, max(cosines.values(), default=0.0) - SIMILARITY_MARGIN)
    return tuple(sorted(number for number, cosine in cosines.items() if cosine >= least))
