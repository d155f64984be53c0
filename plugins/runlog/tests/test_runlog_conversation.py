"""The conversation that the next task of a session starts with."""

from pathlib import Path

import pytest

from openkoi_hookspecs import (
    Agent,
    Cost,
    Decision,
    Event,
    ExecutionResult,
    File,
    Message,
    NextAction,
    Response,
    Role,
    StreamEnd,
    Task,
    Text,
    ToolCall,
    Usage,
    events,
)
from openkoi_runlog import RunLog, find_run, iterate_past_tasks, mentions_words, read_conversation
from openkoi_runlog.conversation import MAX_CHARACTERS, MAX_MEDIA_BYTES

ENDED = events.RunCompleted(Decision(NextAction.ACCEPT, "good"), Cost(), best=0, iterations=1)


def logged(folder: Path, session: str, **runs: list[Event]) -> None:
    log = RunLog(folder, session, str)
    for run, happened in runs.items():
        log.append(run, happened)
    log.close()


def answered(task: Task, text: str = "Done.") -> list[Event]:
    work = events.ExecutionFinished(ExecutionResult(text))
    event = events.IterationFinished(0, None, Cost())
    decided = events.DecisionMade(0, Decision(NextAction.ACCEPT, "good"), Cost())
    return [events.TaskStarted(task, workspace="/shop"), work, event, decided, ENDED]


def texts(messages: tuple[Message, ...]) -> list[str]:
    return ["".join(part.text for part in one.parts if isinstance(part, Text)) for one in messages]


def test_it_ends_with_the_last_task_and_begins_with_that_ones_history(tmp_path: Path) -> None:
    history = (Message.user("Before"), Message(Role.ASSISTANT, (Text("Yes."),)))
    logged(tmp_path, "s", one=answered(Task("First")), two=answered(Task("Second", history=history), "Two."))
    found = read_conversation(tmp_path, "s")

    assert ("two", "/shop") == (found.last, found.workspace)
    assert ["Before", "Yes.", "Second", "Two."] == texts(found.history)


def test_parts_of_a_task_are_not_its_conversation_and_later_files_of_the_log_are(tmp_path: Path) -> None:
    begun = [events.TaskStarted(Task("Whole")), events.ToolCallStarted(ToolCall("1", "t", {}), "Reading a.py")]
    logged(tmp_path, "s", one=begun, part=answered(Task("Part", parent="one")))
    logged(tmp_path, "s", one=[events.MessageAdded(Message.user("And b.py"), from_user=True)])

    assert ["WholeAnd b.py\n\n[Work done: Reading a.py. The user interrupted it.]"] == texts(
        read_conversation(tmp_path, "s").history
    )


def test_an_interrupted_task_has_the_last_words_that_the_model_said(tmp_path: Path) -> None:
    reply = events.ModelResponse("acme/large", Response((Text("I look."),), StreamEnd(Usage())), 0.0)
    logged(tmp_path, "s", one=[events.TaskStarted(Task("Look")), reply, events.RunFailed(events.INTERRUPTED)])

    assert ["Look\n\n[The user interrupted it.]", "I look."] == texts(read_conversation(tmp_path, "s").history)


@pytest.mark.parametrize("role", ["executor", "acme/large"])
def test_an_interrupted_answer_is_kept_as_far_as_it_had_streamed(tmp_path: Path, role: str) -> None:
    agent = Agent(name="a", model=role) if "/" in role else None
    first, second, third = (events.ModelRequest("m", Usage(), 0.0, role=role, lease=str(n)) for n in range(3))
    reply = events.ModelResponse("m", Response((Text("I look."),), StreamEnd(Usage())), 0.0, role=role)
    broken = events.ModelResponseBroken("m", Usage(), 0.0, role=role)
    shown = [events.ModelDelta("I "), events.ModelDelta("look.")]
    begun = [events.TaskStarted(Task("Look", agent=agent)), first, *shown, reply, second, events.ModelDelta("lost")]
    begun += [broken, third, events.ModelDelta("There is "), third, events.ModelDelta("a \n")]
    logged(tmp_path, "s", one=begun)

    assert "I look.\n\nThere is a" == texts(read_conversation(tmp_path, "s").history)[-1]


def test_an_answer_that_came_to_its_end_is_there_once(tmp_path: Path) -> None:
    streamed = [events.ModelRequest("m", Usage(), 0.0, lease="1"), events.ModelDelta("Done.")]
    task, *ended = answered(Task("Look"))
    logged(tmp_path, "s", one=[task, *streamed, *ended])

    assert ["Look", "Done."] == texts(read_conversation(tmp_path, "s").history)


def test_a_long_conversation_keeps_its_newest_half_and_starts_with_the_user(tmp_path: Path) -> None:
    turn = (Message.user("x" * 5_000), Message(Role.ASSISTANT, (Text("y" * 5_000),)))
    logged(tmp_path, "s", one=answered(Task("Last", history=turn * 5), "z" * 100_000))
    history = read_conversation(tmp_path, "s").history

    assert Role.USER is history[0].role
    assert "Last" == texts(history)[-2]
    assert "92000 characters omitted" in texts(history)[-1]
    assert sum(map(len, texts(history))) <= MAX_CHARACTERS // 2


def test_the_oldest_files_are_replaced_by_a_note_when_there_are_too_many(tmp_path: Path) -> None:
    large = File(b"x" * (MAX_MEDIA_BYTES // 2 + 1), "text/plain", "a.txt")
    history = (Message.user("Look", large), Message(Role.ASSISTANT, (Text("Yes."),)))
    logged(tmp_path, "s", one=answered(Task("And this", history=history, parts=(large,))))
    left = read_conversation(tmp_path, "s").history

    assert ["Look[a.txt is no longer part of this conversation.]", "Yes.", "And this", "Done."] == texts(left)
    assert [large.digest] == [part.digest for one in left for part in one.parts if isinstance(part, File)]


def test_tasks_come_newest_first_also_where_an_old_session_was_continued(tmp_path: Path) -> None:
    logged(tmp_path, "20260101T000000-0000000000a", one=answered(Task("one")))
    logged(tmp_path, "20260102T000000-0000000000b", two=answered(Task("two")))
    logged(tmp_path, "20260101T000000-0000000000a", three=answered(Task("three")))

    assert ["three", "two", "one"] == [past.text for past in iterate_past_tasks(tmp_path)]
    assert "three" == next(iterate_past_tasks(tmp_path)).text


def test_a_session_without_tasks_has_no_conversation(tmp_path: Path) -> None:
    assert ("", ()) == ((found := read_conversation(tmp_path, "none")).last, found.history)


REWOUND, UNDONE = events.ConversationRewound("two"), events.ConversationRewound("two", undone=True)


@pytest.mark.parametrize(
    ("later", "last", "expected"),
    [
        ({"three": [REWOUND]}, "two", ["First", "One.", "Second", "Two."]),
        ({"three": [REWOUND], "part": [REWOUND], "two": [REWOUND]}, "one", ["First", "One."]),
        ({"three": [REWOUND], "two": [REWOUND, UNDONE]}, "two", ["First", "One.", "Second", "Two."]),
        (
            {"three": [REWOUND, events.RunResumed(), ENDED]},
            "three",
            ["First", "One.", "Second", "Two.", "Third", "Three."],
        ),
        ({"three": [REWOUND], "two": [REWOUND], "one": [REWOUND]}, "", []),
        ({"three": [REWOUND], "two": [REWOUND], "four": answered(Task("Other"), "4.")}, "four", ["Other", "4."]),
    ],
)
def test_what_the_user_rewound_is_left_out(
    tmp_path: Path, later: dict[str, list[Event]], last: str, expected: list[str]
) -> None:
    past = (Message.user("First"), Message(Role.ASSISTANT, (Text("One."),)))
    more = (*past, Message.user("Second"), Message(Role.ASSISTANT, (Text("Two."),)))
    logged(tmp_path, "s", one=answered(Task("First"), "One."), two=answered(Task("Second", history=past), "Two."))
    logged(tmp_path, "s", part=answered(Task("Part", parent="two")))
    logged(tmp_path, "s", three=answered(Task("Third", history=more), "Three."))
    logged(tmp_path, "s", **later)

    found = read_conversation(tmp_path, "s")

    assert (last, expected) == (found.last, texts(found.history))


def test_a_search_of_sessions_does_not_find_what_the_user_rewound(tmp_path: Path) -> None:
    logged(tmp_path, "s", one=answered(Task("A heron"), "Yes."), two=answered(Task("A wren"), "No."))

    assert mentions_words(tmp_path, "s", ["heron", "yes", "wren", "no"])
    logged(tmp_path, "s", one=[events.ConversationRewound("one")])
    assert not mentions_words(tmp_path, "s", ["heron"])
    assert not mentions_words(tmp_path, "s", ["yes"])
    assert mentions_words(tmp_path, "s", ["wren", "no"])


def test_a_run_is_found_by_its_id_also_if_it_is_a_part_or_named_in_another_session(tmp_path: Path) -> None:
    logged(tmp_path, "s", one=answered(Task("Whole")), part=answered(Task("Part", parent="one")))
    logged(tmp_path, "t", other=[*answered(Task('"run":"part"')), events.ConversationRewound("part")])

    assert [("s", "part"), ("s", "one"), ("t", "other")] == [find_run(tmp_path, id) for id in ("part", "one", "oth")]
