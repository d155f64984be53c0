"""With an embedder, a task also gets what tasks of the same meaning needed, in whatever words."""

import asyncio
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest
from learning_builders import book, entry
from paraphrased_projects import run_project

from openkoi_hookspecs import Embedding, Recall, Run, Task
from openkoi_learning import LearningHook
from openkoi_learning.entry import EntryEvidence
from openkoi_learning.events import EntriesShown, EntryUpdated
from openkoi_learning.selection import TaskQuery
from openkoi_learning.similar_tasks import SimilarTasks, choose_similar
from openkoi_learning.state import LearningState
from openkoi_search.minilm import MiniLM
from openkoi_search.minilm.package import INSTALL, PACKAGE
from openkoi_testing.gym.hook_learner import LoggedRun, SessionLog

LOGIN, SIGN_IN, CAKE = "Fix the login of customers", "Repair the sign-in of clients", "Bake an apple cake"
CONCEPTS = ({"login", "sign", "customers", "clients"}, {"cake"})
EXPIRY = entry(
    "the session is wrong: Use `expiry_9`.", when=(LOGIN,), proofs=(EntryEvidence(run="r0", finding="no expiry"),)
)
SEEDS = range(3)

absent = pytest.mark.skipif(importlib.util.find_spec(PACKAGE) is None, reason=f"needs the model, 80 MB: {INSTALL}")


@dataclass
class Concepts:
    """An embedder of texts about one concept each; it keeps what it was asked."""

    fails: bool = False
    asked: list[str] = field(default_factory=list)
    id: str = "concepts"

    async def embed(self, texts: Sequence[str]) -> Embedding:
        """Return the concept that a text has words of."""
        if self.fails:
            raise OSError("no network")
        self.asked += texts
        words = [set(text.lower().replace("-", " ").split()) for text in texts]
        return Embedding([[float(bool(some & one)) for some in CONCEPTS] for one in words])


def select(folder: Path, embedder: Concepts | None, *tasks: str) -> list[list[str]]:
    """Return what each task is shown in a project in which the login needed an expiry once."""
    log = SessionLog(folder)

    async def run_all() -> list[list[str]]:
        await LoggedRun("r0", Task(LOGIN, project="pond", session="one"), log).emit(
            EntriesShown(LOGIN, "pond", "m"), EntryUpdated(EXPIRY)
        )
        shown = []
        for number, text in enumerate(tasks, 1):
            hook = LearningHook(sessions=folder, withheld=0.0, embedder=embedder, cache=folder / "cache")
            task = Task(text, project="pond", session="one")
            recall = await hook.after_recall(Recall(), task, cast(Run, LoggedRun(f"r{number}", task, log)))
            shown.append([hit.item.text for hit in recall.hits])
        return shown

    return asyncio.run(run_all())


def test_a_task_in_other_words_is_shown_what_a_similar_one_needed(tmp_path: Path) -> None:
    assert [[EXPIRY.text], []] == select(tmp_path, Concepts(), SIGN_IN, CAKE)


def test_without_an_embedder_words_decide(tmp_path: Path) -> None:
    assert [[], [EXPIRY.text]] == select(tmp_path, None, SIGN_IN, LOGIN)


def test_each_task_is_embedded_once_in_any_process(tmp_path: Path) -> None:
    embedder = Concepts()

    select(tmp_path, embedder, SIGN_IN, CAKE, SIGN_IN)

    assert [LOGIN, SIGN_IN, CAKE] == embedder.asked


def test_if_the_embedder_fails_words_decide_with_a_warning(tmp_path: Path) -> None:
    assert [[EXPIRY.text]] == select(tmp_path, Concepts(fails=True), LOGIN)

    why = "Learned entries are chosen by shared words only, because the embedder concepts failed: no network"
    assert why in (tmp_path / "one.jsonl").read_text()


def test_nothing_is_embedded_before_there_is_an_entry(tmp_path: Path) -> None:
    embedder, state = Concepts(), book([], ("r0", EntriesShown(LOGIN, "pond", "m")))
    run = LoggedRun("r1", Task(SIGN_IN), SessionLog(tmp_path))

    found = asyncio.run(
        SimilarTasks(embedder, tmp_path).find(state, TaskQuery(run="r1", text=SIGN_IN, project="pond"), cast(Run, run))
    )

    assert ((), []) == (found, embedder.asked)


def test_similar_tasks_are_near_and_about_as_near_as_the_nearest() -> None:
    assert (2, 7) == choose_similar({7: 0.85, 2: 0.9, 5: 0.6, 1: 0.1})
    assert () == choose_similar({1: 0.2, 2: 0.1}) == choose_similar({})


@absent
def test_meaning_finds_more_of_what_paraphrased_tasks_need_and_shows_less_that_harms(tmp_path: Path) -> None:
    similar = SimilarTasks(MiniLM(), tmp_path)

    def find(state: LearningState, query: TaskQuery) -> Sequence[int]:
        run = LoggedRun(query.run, Task(query.text), SessionLog(tmp_path))
        return asyncio.run(similar.find(state, query, cast(Run, run)))

    for half in ("dev", "held"):
        words = [run_project(half, seed, lambda *_: ()) for seed in SEEDS]
        meaning = [run_project(half, seed, find) for seed in SEEDS]

        assert min(one.recall for one in meaning) > 0.85 > max(one.recall for one in words)
        assert sum(one.harmful for one in meaning) < 0.7 * sum(one.harmful for one in words)
