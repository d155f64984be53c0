"""Tokens are estimated before a vendor counts them, and closer with every count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openkoi_hookspecs import Message, Request, Role, Text, ToolCall, ToolResult, Usage
from openkoi_models import Estimator

pytestmark = pytest.mark.unit

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
        said = "".join(str(message.parts) for message in request.messages) + "".join(request.system)
        return round(len(said.encode()) / bytes_a_token) + 3 * len(request.messages)

    requests = growing(text, 12)
    for request in requests[:5]:
        estimator.learn("acme/one", request, Usage(input=counted(request), output=5))
    errors = []
    for request in requests[5:]:
        errors.append(abs(estimator.tokens("acme/one", request) / counted(request) - 1))
        estimator.learn("acme/one", request, Usage(input=counted(request), output=5))

    assert max(errors) < 0.10


def test_cached_tokens_are_input_too() -> None:
    estimator, request = Estimator(), growing(PROSE, 1)[0]
    estimator.learn("a/b", request, Usage(input=10, cache_read=2 * Estimator().measured(request) - 20, cache_write=10))

    assert 2 * Estimator().measured(request) == estimator.tokens("a/b", request)


def test_models_are_told_apart() -> None:
    estimator, request = Estimator(), growing(PROSE, 1)[0]
    estimator.learn("a/b", request, Usage(input=2 * Estimator().measured(request)))

    assert Estimator().measured(request) == estimator.tokens("a/c", request)


@given(st.lists(st.integers(-5, 10**12), max_size=8))
def test_no_count_makes_an_estimate_useless(counts: list[int]) -> None:
    """A vendor that counts nonsense does not make requests free, nor too dear to send."""
    estimator, request = Estimator(), growing(PROSE, 1)[0]
    for count in counts:
        estimator.learn("a/b", request, Usage(input=count))

    measured = estimator.measured(request)
    assert measured / 4 - 1 <= estimator.tokens("a/b", request) <= 4 * measured + 1
