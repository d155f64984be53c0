"""Tokens are estimated before a vendor counts them, and closer with every count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openkoi_hookspecs import Image, Message, Part, Reasoning, Request, Role, Text, ToolCall, ToolResult, Usage
from openkoi_models import Estimator, stats_of

pytestmark = pytest.mark.unit

IMAGE = Image(b"\x89PNG", "image/png")
CODE = "def total(items: list[int]) -> int:\n    return sum(item * 2 for item in items)\n"
PROSE = "The quick brown fox jumps over the lazy dog and goes on to say more about it. "
CHINESE = "快速的棕色狐狸跳过了懒狗 然后继续讲述这个故事。"


def growing(text: str, calls: int) -> list[Request]:
    """A conversation as it grows, call by call."""
    messages: list[Message] = [Message.user("Do it. " + text * 20)]
    requests = []
    for number in range(calls):
        requests.append(Request(tuple(messages), system=("You are careful. " * 60,)))
        call = ToolCall(f"call_{number}", "read_file", {"path": f"src/module_{number}.py"})
        messages.append(Message(Role.ASSISTANT, (Text("I look."), call)))
        messages.append(Message.user(ToolResult(text * (5 + 7 * (number % 4)), call=call.id)))
    return requests


@pytest.mark.parametrize("bytes_a_token", [2.6, 3.2, 3.8, 4.4, 5.1])
@pytest.mark.parametrize("text", [CODE, PROSE, CHINESE], ids=["code", "prose", "chinese"])
def test_it_is_within_ten_percent_after_five_calls(text: str, bytes_a_token: float) -> None:
    """Whatever the model's own tokens are: more or fewer bytes each, and some for every message."""
    estimator = Estimator()

    def counted(request: Request) -> int:
        response = "".join(str(message.parts) for message in request.messages) + "".join(request.system)
        return round(len(response.encode()) / bytes_a_token) + 3 * len(request.messages)

    requests = growing(text, 12)
    for request in requests[:5]:
        estimator.learn("acme/one", stats_of(request), Usage(input=counted(request), output=5))
    errors = []
    for request in requests[5:]:
        errors.append(abs(estimator.estimate_tokens("acme/one", stats_of(request)) / counted(request) - 1))
        estimator.learn("acme/one", stats_of(request), Usage(input=counted(request), output=5))

    assert max(errors) < 0.10


def test_cached_tokens_are_input_too() -> None:
    estimator, stats = Estimator(), stats_of(growing(PROSE, 1)[0])
    estimator.learn("a/b", stats, Usage(input=10, cache_read=2 * stats.tokens - 20, cache_write=10))

    assert 2 * stats.tokens == estimator.estimate_tokens("a/b", stats)


def test_models_are_told_apart() -> None:
    estimator, stats = Estimator(), stats_of(growing(PROSE, 1)[0])
    estimator.learn("a/b", stats, Usage(input=2 * stats.tokens))

    assert stats.tokens == estimator.estimate_tokens("a/c", stats)


@given(st.lists(st.integers(-5, 10**12), max_size=8))
def test_no_count_makes_an_estimate_useless(counts: list[int]) -> None:
    """A vendor that counts nonsense does not make requests free, nor too dear to send."""
    estimator, stats = Estimator(), stats_of(growing(PROSE, 1)[0])
    for count in counts:
        estimator.learn("a/b", stats, Usage(input=count))

    assert stats.tokens / 4 - 1 <= estimator.estimate_tokens("a/b", stats) <= 4 * stats.tokens + 1


REPLIES = st.sampled_from([Text("I look."), Reasoning("Hm.", model="a/b"), ToolCall("1", "look", {"path": "x.py"})])
ANSWERS = st.sampled_from([Text("Go on."), IMAGE, ToolResult("Two.", call="1"), ToolResult("", parts=(IMAGE,))])
CONVERSATIONS = st.lists(st.tuples(REPLIES, ANSWERS), max_size=6)


@given(CONVERSATIONS, CONVERSATIONS, st.integers(0, 12))
def test_stats_of_a_growing_conversation_are_those_of_the_whole(
    before: list[tuple[Part, Part]], after: list[tuple[Part, Part]], common: int
) -> None:
    """Whether it grew, was made shorter, or is another one."""
    first, second = messages_of(before), messages_of(after)
    request = Request((*first[:common], *second), system=("You are careful.",))

    assert stats_of(request) == stats_of(Request(first)).update(request)


def messages_of(turns: list[tuple[Part, Part]]) -> tuple[Message, ...]:
    """Return a conversation of these turns."""
    response = [(Message(Role.ASSISTANT, (reply,)), Message.user(answer)) for reply, answer in turns]
    return (Message.user("Do it."), *(message for pair in response for message in pair))
