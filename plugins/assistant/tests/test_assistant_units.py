"""The decisions of the assistant: what a post is to it, how texts are split, how long is waited."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openkoi_assistant.approvals import question_post
from openkoi_assistant.authorize_posts import Circumstances, classify, conversation_of, read_answer, strip_mention
from openkoi_assistant.hosted_app import AppStatus, HostedApp
from openkoi_assistant.inbox import Kind, Request
from openkoi_assistant.prompts import describe_others, download_parts
from openkoi_assistant.questions import AskedQuestion
from openkoi_assistant.rate_limits import RateLimits, pause_after
from openkoi_assistant.replies import make_answer
from openkoi_assistant.splitting import split_text
from openkoi_assistant.user_pairing import Role, read_code
from openkoi_email import Email
from openkoi_hookspecs import AppUnavailableError
from openkoi_hookspecs.integrations import (
    Attachment,
    Capabilities,
    Choice,
    Delivery,
    Messenger,
    Post,
    PostKind,
    Sender,
    SenderKind,
)
from openkoi_matrix import Matrix
from openkoi_slack import Slack
from openkoi_telegram import Telegram
from openkoi_testing.apps import FolderApp
from openkoi_testing.markdown_samples import count_letters, draw_markdown

pytestmark = pytest.mark.unit
ANN = Sender("U1", name="ann", kind=SenderKind.PERSON, authenticated=True)
BOT = Sender("B1", kind=SenderKind.BOT, authenticated=True)
CODES = frozenset({"K7QP"})


def post(text: str = "x", *, sender: Sender = ANN, direct: bool = True, kind: PostKind = PostKind.NEW) -> Post:
    """Return a post in a channel."""
    return Post(text, app="a", account="w", channel="C", id="9", sender=sender, direct=direct, kind=kind)


@pytest.mark.parametrize(
    ("reply", "role", "kind"),
    [
        (post("What is it?"), Role.MEMBER, Kind.TASK),
        (post("What is it?"), Role.STRANGER, None),
        (post("What is it?", sender=BOT), Role.OWNER, None),
        (post("What is it?", sender=Sender("U1", kind=SenderKind.PERSON)), Role.OWNER, None),
        (post("What is it?", sender=Sender("U1", kind=SenderKind.SELF, authenticated=True)), Role.OWNER, None),
        (post("What is it?", direct=False), Role.OWNER, None),
        (post("changed", kind=PostKind.EDITED), Role.OWNER, None),
        (post("", kind=PostKind.REACTION), Role.OWNER, None),
        (post("", kind=PostKind.PRESS), Role.MEMBER, Kind.ANSWER),
        (post("", kind=PostKind.PRESS), Role.STRANGER, None),
        (post("  "), Role.OWNER, None),
        (post("Stop!"), Role.MEMBER, Kind.STOP),
        (post("@koi stop"), Role.MEMBER, Kind.STOP),
        (post("stop the server of the pond"), Role.MEMBER, Kind.TASK),
        (post("also look at the tests"), Role.MEMBER, Kind.STEER),
        (post("alsow"), Role.MEMBER, Kind.TASK),
        (post("yes K7QP"), Role.MEMBER, Kind.ANSWER),
        (post("use the blue one k7qp"), Role.OWNER, Kind.ANSWER),
        (post("yes ABCD"), Role.OWNER, Kind.TASK),
        (post("K7QP-M2XR"), Role.STRANGER, Kind.PAIR),
        (post("k7qpm2xr"), Role.STRANGER, Kind.PAIR),
        (post("K7QP-M2XR", direct=False), Role.STRANGER, None),
    ],
)
def test_what_a_post_is(reply: Post, role: Role, kind: Kind | None) -> None:
    assert kind is classify(reply, role, Circumstances(codes=lambda: CODES, pairing=lambda: True))


def test_a_code_counts_only_while_one_is_valid() -> None:
    assert classify(post("K7QP-M2XR"), Role.STRANGER) is None
    assert "K7QPM2XR" == read_code(" k7qp m2xr ")
    assert "" == read_code("hello there")


def test_a_conversation_is_a_direct_channel_or_a_thread() -> None:
    with_threads, without = Capabilities(threads=True), Capabilities()

    assert "a:w:C:U1" == conversation_of(post(), with_threads)
    assert "a:w:C:9" == conversation_of(post(direct=False), with_threads)
    assert "a:w:C" == conversation_of(post(direct=False), without)


@pytest.mark.parametrize(
    ("text", "words"),
    [("@koi look", "look"), ("<@U9>, look", "look"), ("look @koi", "look"), ("mail a@b.c now", "mail a@b.c now")],
)
def test_the_assistant_s_name_is_no_part_of_a_task(text: str, words: str) -> None:
    assert words == strip_mention(text)


def test_an_app_without_buttons_is_answered_by_words() -> None:
    question = AskedQuestion("q", "i", "a:w:C", "k", ("yes", "no"), "May I?", "t", "K7QP", 0.0)

    assert "May I?\n\nReply `yes K7QP` or `no K7QP`." == question_post(post(), question, Capabilities()).text
    buttons = question_post(post(), question, Capabilities(max_choices=2))
    assert ("May I?", (Choice("Yes", "t:0"), Choice("No", "t:1"))) == (buttons.text, buttons.choices)
    assert ("yes", "K7QP") == read_answer("yes k7qp")


@pytest.mark.parametrize("capabilities", [one.capabilities for one in (Email, Matrix, Slack, Telegram)])
@pytest.mark.parametrize("sign", ["&", "a", "\U0001f41f", "\u6c60", '"', "\x00"])
def test_a_long_question_is_shortened_to_what_its_app_takes(capabilities: Capabilities, sign: str) -> None:
    question = AskedQuestion("q", "i", "a:w:C", "k", ("yes", "no"), sign * 300_000, "t", "K7QP", 0.0)

    text = question_post(post(), question, capabilities).text

    assert capabilities.max_text // 3 < capabilities.length(f"{text}\n\n{'w' * 200}") <= capabilities.max_text


@settings(max_examples=40)
@given(st.text(alphabet="ab \n`~\U0001f41f.", max_size=400), st.integers(40, 200))
def test_no_part_is_too_long_and_no_word_is_lost(text: str, limit: int) -> None:
    length = len

    parts = split_text(text, limit, length)

    assert all(len(part) <= limit for part in parts)
    for sign in "ab\U0001f41f.":
        assert text.count(sign) <= sum(part.count(sign) for part in parts)


def test_three_hundred_samples_of_markdown_are_split_without_loss() -> None:
    for seed in range(300):
        text = draw_markdown(seed) * (1 + seed % 5)

        parts = split_text(text, 500)

        assert all(0 < len(part) <= 500 for part in parts)
        assert not count_letters(text) - sum(map(count_letters, parts), start=Counter[str]())


def test_a_code_block_that_is_cut_is_a_code_block_in_each_part() -> None:
    text = "before\n```python\n" + "\n".join(f"line {n}" for n in range(40)) + "\n```\nafter"

    parts = split_text(text, 200)

    assert all(0 == part.count("```") % 2 for part in parts)
    assert all(part.startswith("```python\n") for part in parts[1:-1])
    assert parts[-1].endswith("after")


def test_a_long_answer_is_a_file() -> None:
    request = Request(post(), kind=Kind.TASK, conversation="a:w:C")
    text = "word " * 1000

    first, second = make_answer(request, text, Capabilities(max_text=500, max_file=10_000))

    assert len(first.post.text) <= 500
    assert first.post.text.endswith("attached file.)")
    assert (text.encode(), "answer.md") == (second.post.attachments[0].data, second.post.attachments[0].name)
    assert 3 < len(make_answer(request, text, Capabilities(max_text=500)))


def test_a_limit_holds_for_its_channel_and_an_outage_for_all() -> None:
    clock = [0.0]
    limits = RateLimits(now=lambda: clock[0])
    limits.block(AppUnavailableError("", retry_after=30, bucket="C"), "C")

    assert (30.0, 0.0) == (limits.seconds_left("C"), limits.seconds_left("D"))
    clock[0] = 31.0
    assert 0.0 == limits.seconds_left("C")
    limits.block(AppUnavailableError(""), "C")
    assert 0.0 < limits.seconds_left("D") <= 1.0


@pytest.mark.parametrize("asked", [float("nan"), float("inf"), -5.0, 1e300, 10.0**9])
def test_a_wait_that_no_service_means_silences_no_app_for_longer_than_a_day(asked: float) -> None:
    limits = RateLimits(now=lambda: 0.0)
    app = HostedApp("a", FolderApp(path=Path("x")), no_delivery, str, lambda: None, lambda seconds: None)
    error = AppUnavailableError("", retry_after=asked, bucket="C")

    assert 0.0 < limits.block(error, "C") <= 86_400
    assert 0.0 < limits.seconds_left("C") <= 86_400
    assert all(0.0 < app.fail(AppStatus.UNAVAILABLE, "", error.retry_after) <= 86_400 for _ in range(5))


def test_a_service_that_asks_for_no_pause_and_refuses_again_is_not_called_without_one() -> None:
    clock, calls = 0.0, 0
    limits = RateLimits(now=lambda: clock)
    while clock < 3600:
        calls += 1
        limits.block(AppUnavailableError("", retry_after=0.0, bucket="C"), "C")
        clock += limits.seconds_left("C")

    assert 60 <= calls <= 71


def test_an_hour_of_outage_is_at_most_seventy_attempts() -> None:
    seconds, attempts = 0.0, 0
    while seconds < 3600:
        attempts += 1
        seconds += pause_after(attempts)

    assert 60 <= attempts <= 70


def test_an_app_that_asks_to_reconnect_each_time_is_not_tried_more_often() -> None:
    app = HostedApp("a", FolderApp(path=Path("x")), no_delivery, str, lambda: None, lambda seconds: None)
    seconds, attempts = 0.0, 0
    while seconds < 3600:
        attempts += 1
        seconds += app.fail(AppStatus.UNAVAILABLE, "", 0.0)

    assert 60 <= attempts <= 70


@dataclass(slots=True)
class Files:
    """An app with files of one size, whatever their messages say."""

    size: int
    downloads: int = 0

    async def download(self, attachment: Attachment) -> AsyncGenerator[bytes, None]:
        """Yield a file in pieces."""
        self.downloads += 1
        for _ in range(0, self.size, 500_000):
            yield bytes(min(500_000, self.size))


@pytest.mark.parametrize(("size", "count"), [(1, 20), (6_000_000, 3), (20_000_001, 0)])
def test_a_message_with_thousands_of_files_takes_no_more_than_one_large_file(size: int, count: int) -> None:
    app, files = Files(size), tuple(Attachment(f"../{n}.txt") for n in range(3_000))
    post = Post("all of these", app="a", channel="c", attachments=files)

    parts, unread = asyncio.run(download_parts(post, cast("Messenger", app)))

    assert (count, 3_000 - count) == (len(parts), len(unread))
    assert app.downloads <= 20
    assert f"{3_000 - count - 20} more" in describe_others(post, (), unread)


async def no_delivery(app: str, delivery: Delivery) -> None:
    """Take nothing."""
    raise AssertionError("nothing arrives")
