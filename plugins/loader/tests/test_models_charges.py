"""Whatever a vendor streams and counts, a call is charged no more than was reserved for it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openkoi_hookspecs import (
    Buffered,
    Chunk,
    FinishReason,
    LimitExceededError,
    Limits,
    Price,
    Reasoning,
    StreamEnd,
    Text,
    ToolCall,
    Usage,
)
from openkoi_models import Reservation, TaskBudget
from openkoi_models.charges import MAX_TIMES_ESTIMATE, charge
from openkoi_models.response_buffer import MAX_CHARACTERS_PER_TOKEN, ResponseBuffer

CENT = 1e-9
OUTPUT = Usage(input=100, output=50)

sizes = st.integers(0, 60) | st.integers(0, 30_000)
CHUNKS = st.lists(
    st.builds(lambda size: Text("x" * size), sizes)
    | st.builds(lambda size: Text("鯉" * size), sizes)
    | st.builds(lambda size: Reasoning("x" * size), sizes)
    | st.builds(lambda size: Reasoning("", signature="x" * size), sizes)
    | st.builds(lambda size: ToolCall("id", "tool", {"n": "x" * size}), sizes)
    | st.builds(Buffered, sizes),
    max_size=30,
)
COUNTS = st.integers(-1, 3_000) | st.integers(0, 10**13)
USAGES = st.builds(Usage, input=COUNTS, output=COUNTS, cache_read=COUNTS, cache_write=COUNTS)
RATES = st.sampled_from([0.0, 1.0, 75.0])
PRICES = st.builds(Price, RATES, RATES, RATES, RATES, above=st.just(900), beyond=st.builds(Price, RATES, RATES))


def heard(chunks: list[Chunk], max_output: int) -> ResponseBuffer:
    """Hear a stream as the kernel does."""
    answer = ResponseBuffer(max_output)
    for chunk in chunks:
        answer.take(chunk)
        if answer.overlong:
            break
    return answer


def lease_of(max_output: int = 1_000) -> Reservation:
    return TaskBudget(Limits(usd=100.0)).reserve(400, max_output, Price(15.0, 75.0))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(CHUNKS, USAGES, st.integers(1, 2_000), st.integers(1, 3_000), PRICES), max_size=4),
    st.integers(1_000, 40_000),
    st.floats(0.001, 3.0),
)
def test_no_stream_and_no_count_costs_more_than_the_lease_and_none_passes_the_limit(
    calls: list[tuple[list[Chunk], Usage, int, int, Price]], tokens: int, usd: float
) -> None:
    budget = TaskBudget(Limits(tokens=tokens, usd=usd))
    for chunks, usage, estimate, max_output, price in calls:
        try:
            lease = budget.reserve(estimate, max_output, price)
        except LimitExceededError:
            return
        answer = heard([*chunks, StreamEnd(usage)], lease.max_output)
        due = charge(answer, estimate, lease)
        charged = budget.settle(lease, due.usage, price, counted=due.counted)

        assert 0 <= charged <= lease.usd + CENT
        assert 0 <= due.usage.total <= lease.tokens
        assert budget.cost.usd <= usd + CENT
        assert budget.cost.budget_tokens <= tokens
        count = sum(len(part.text) for part in answer.parts if isinstance(part, Text | Reasoning))
        assert count <= lease.max_output * MAX_CHARACTERS_PER_TOKEN


@pytest.mark.parametrize("piece", ["word", "слово ", "鯉", "    ", "-" * 7])
@pytest.mark.parametrize("kind", [Text, Reasoning])
def test_an_honest_answer_of_as_many_tokens_as_were_asked_for_is_not_cut(
    kind: type[Text] | type[Reasoning], piece: str
) -> None:
    answer = heard([*[kind(piece)] * 1_000, StreamEnd(Usage(input=400, output=1_000), FinishReason.LENGTH)], 1_000)

    assert not answer.overlong
    assert Usage(input=400, output=1_000) == charge(answer, 400, lease_of()).usage


def test_a_call_counts_once_although_its_arguments_arrived_before() -> None:
    arguments = {"text": "x" * 5_000}
    length = len("write") + len(str(arguments))
    answer = heard(
        [Buffered(length - 5), ToolCall("1", "write", arguments), StreamEnd(OUTPUT, FinishReason.TOOLS)], 1_000
    )

    assert not answer.overlong
    assert length == answer.length


def test_what_was_thought_in_silence_is_believed_as_long_as_it_was_asked_for() -> None:
    answer = heard([Text("Yes."), StreamEnd(Usage(input=400, output=1_000))], 1_000)

    assert 1_000 == charge(answer, 400, lease_of()).usage.output


@pytest.mark.parametrize(
    ("counted", "charged"),
    [
        (1_100, 1_100),
        (1_200, 1_000),
        (MAX_TIMES_ESTIMATE * 750, 1_000),
        (MAX_TIMES_ESTIMATE * 750 + 1, 750),
        (1_250_000, 750),
    ],
)
def test_a_count_that_cannot_be_is_replaced_by_what_was_read(counted: int, charged: int) -> None:
    answer = heard([Text("x" * 3_000), StreamEnd(Usage(input=400, output=counted))], 1_000)

    assert charged == charge(answer, 400, lease_of()).usage.output
