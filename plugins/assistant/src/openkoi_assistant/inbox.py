"""Store incoming posts until they are handled (the inbox), deduplicated, before the cursor or offset moves."""

import json
import sqlite3
from collections.abc import Container
from dataclasses import KW_ONLY, replace
from enum import StrEnum
from time import time

from openkoi_hookspecs.integrations import Post, SenderKind
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.posts import join_ids
from openkoi_runlog import decode, encode

from .database import delete_old, transaction, write

KEPT_SECONDS = 30 * 24 * 3600.0  # services deliver again for hours at most; a month of conversation is history
SCHEDULE = "schedule"  # who sends what begins at its time
MAX_BOT_TURNS = 3  # in a channel without a user's: two bots that answer each other end there
MAX_TURNS = 10  # estimate: more of a conversation rarely matters, and each costs tokens


class State(StrEnum):
    """The state of a request. A waiting one needs an answer from the user."""

    NEW = "new"
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"


class Kind(StrEnum):
    """What a post means to the assistant."""

    TASK = "task"
    STEER = "steer"
    STOP = "stop"
    ANSWER = "answer"
    PAIR = "pair"


@dataclass(frozen=True, slots=True)
class Request:
    """A post that asks for something. ``run`` is the id of its task's run."""

    post: Post
    _: KW_ONLY
    kind: Kind
    conversation: str
    state: State = State.NEW
    run: str = ""
    answer: str = ""

    @property
    def identity(self) -> str:
        """The same for every delivery of the same post."""
        return self.post.identity


@dataclass(frozen=True, slots=True)
class Requests:
    """The requests of all apps, in the order in which they arrived."""

    database: sqlite3.Connection

    def cursor(self, app: str) -> str:
        """Return the cursor from which an app is watched."""
        row = self.database.execute("SELECT cursor FROM cursors WHERE app = ?", (app,)).fetchone()
        return str(row["cursor"]) if row else ""

    def journal(self, app: str, cursor: str, request: Request | None) -> bool:
        """Store a request and the cursor after it together; return whether the request is new."""
        with transaction(self.database):
            new = request is not None and self.add(request)
            self.database.execute("INSERT OR REPLACE INTO cursors VALUES (?, ?)", (app, cursor))
        return new

    def add(self, request: Request) -> bool:
        """Store a request, unless its post is known; return whether it is new."""
        kept = json.dumps(encode(request.post))
        done = self.database.execute(
            "INSERT OR IGNORE INTO requests (identity, conversation, kind, state, post, at) VALUES (?, ?, ?, ?, ?, ?)",
            (request.identity, request.conversation, request.kind, request.state, kept, time()),
        )
        return done.rowcount == 1

    def list_unfinished(self) -> list[Request]:
        """Return all unfinished requests, oldest first."""
        query = "SELECT * FROM requests WHERE state != ? ORDER BY seq"
        return [to_request(row) for row in self.database.execute(query, (State.DONE,))]

    def unfinished_words(self) -> list[Request]:
        """Return the answers, stops and other posts that were not acted on, oldest first."""
        query = "SELECT * FROM requests WHERE state = ? AND kind != ? ORDER BY seq"
        return [to_request(row) for row in self.database.execute(query, (State.NEW, Kind.TASK))]

    def waiting(self) -> list[Request]:
        """Return the requests that need an answer from the user."""
        query = "SELECT * FROM requests WHERE state = ? ORDER BY seq"
        return [to_request(row) for row in self.database.execute(query, (State.WAITING,))]

    def next_task(self, conversation: str, apps: Container[str]) -> Request | None:
        """Return the oldest task of a conversation that can continue in these apps: a schedule's app may change."""
        rows = self.database.execute(
            "SELECT * FROM requests WHERE conversation = ? AND kind = ? AND state IN (?, ?) ORDER BY seq",
            (conversation, Kind.TASK, State.NEW, State.RUNNING),
        )
        return next((one for one in map(to_request, rows) if one.post.app in apps), None)

    def conversations_to_do(self, apps: Container[str]) -> set[str]:
        """Return the conversations of some apps with tasks that can continue."""
        query = "SELECT conversation, post FROM requests WHERE kind = ? AND state IN (?, ?)"
        rows = self.database.execute(query, (Kind.TASK, State.NEW, State.RUNNING))
        return {str(row["conversation"]) for row in rows if json.loads(row["post"])["app"] in apps}

    def find(self, identity: str) -> Request | None:
        """Return a request by its identity."""
        row = self.database.execute("SELECT * FROM requests WHERE identity = ?", (identity,)).fetchone()
        return to_request(row) if row else None

    def knows_conversation(self, conversation: str) -> bool:
        """Return whether an earlier task came from this conversation."""
        query = "SELECT 1 FROM requests WHERE conversation = ? AND kind = ? LIMIT 1"
        return self.database.execute(query, (conversation, Kind.TASK)).fetchone() is not None

    def is_left_to_bots(self, post: Post) -> bool:
        """Return whether bots started all of the last turns in a post's channel, so that a user has to continue."""
        channel = join_ids(post.app, post.account, post.channel)
        rows = self.database.execute(
            "SELECT post FROM requests WHERE conversation = ? OR substr(conversation, 1, ?) = ? "
            "ORDER BY seq DESC LIMIT ?",
            (channel, len(channel) + 1, f"{channel}:", MAX_BOT_TURNS),
        ).fetchall()
        kinds = [json.loads(row["post"])["sender"].get("kind") for row in rows]
        return len(kinds) == MAX_BOT_TURNS and set(kinds) == {SenderKind.BOT}

    def counts(self) -> dict[str, int]:
        """Return how many requests there are in each state."""
        rows = self.database.execute("SELECT state, COUNT(*) AS n FROM requests GROUP BY state")
        return {str(row["state"]): int(row["n"]) for row in rows}

    def set_state(self, identity: str, state: State, run: str = "") -> None:
        """Change the state of a request; store its run once it is known."""
        write(
            self.database,
            "UPDATE requests SET state = ?, run = CASE WHEN ? = '' THEN run ELSE ? END WHERE identity = ?",
            (state, run, run, identity),
        )

    def set_kind(self, identity: str, kind: Kind) -> None:
        """Change the kind of a request."""
        write(self.database, "UPDATE requests SET kind = ? WHERE identity = ?", (kind, identity))

    def finish(self, request: Request, answer: str = "", text: str = "") -> None:
        """Mark a request as done, with the answer and the text that later turns see; drop the rest of the post."""
        kept = json.dumps(encode(replace(request.post, text=text, quoted="", attachments=())))
        write(
            self.database,
            "UPDATE requests SET state = ?, answer = ?, post = ? WHERE identity = ?",
            (State.DONE, answer, kept, request.identity),
        )

    def history(self, conversation: str) -> list[tuple[str, str]]:
        """Return the last answered requests of a conversation, oldest first."""
        rows = self.database.execute(
            "SELECT post, answer FROM requests WHERE conversation = ? AND state = ? AND answer != '' "
            "ORDER BY seq DESC LIMIT ?",
            (conversation, State.DONE, MAX_TURNS),
        ).fetchall()
        return [(str(json.loads(row["post"]).get("text", "")), str(row["answer"])) for row in reversed(rows)]

    def prune(self) -> None:
        """Delete requests that were done long ago."""
        delete_old(self.database, "requests", [State.DONE], KEPT_SECONDS)


def to_request(row: sqlite3.Row) -> Request:
    """Return a row as a request."""
    return Request(
        decode(Post, json.loads(row["post"])),
        kind=Kind(row["kind"]),
        conversation=row["conversation"],
        state=State(row["state"]),
        run=row["run"],
        answer=row["answer"],
    )
