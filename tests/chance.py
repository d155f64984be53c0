"""Draw random runs: a vendor that counts and fails at random, plugins that spend, limits of all sizes.

Everything that happens follows from a run's number, which is also the name of its model.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Sequence
from dataclasses import dataclass, field, replace
from math import nan
from random import Random

from openkoi_base.tokens import estimate_tokens
from openkoi_hookspecs import (
    Agent,
    Arguments,
    BudgetExhausted,
    Check,
    Chunk,
    Effect,
    Evaluation,
    ExecutionResult,
    Learning,
    LimitExceededError,
    Limits,
    Message,
    Model,
    Part,
    Price,
    ProviderUnavailableError,
    Request,
    RequestRejectedError,
    Result,
    Run,
    Score,
    Section,
    StreamEnd,
    Task,
    Text,
    TextIncludes,
    Tool,
    ToolCall,
    ToolError,
    ToolResult,
    ToolReturned,
    Usage,
    hookimpl,
)
from openkoi_models import stats_of

LATER = 3_600.0
FREE, UNKNOWN = Price(0.0, 0.0), Price(15.0, 75.0)
RATES = (0.0, 0.1, 1.0, 3.0, 15.0, 75.0)
NONSENSE = (
    *(Usage(), Usage(input=-5, output=-5), Usage(output=-1), Usage(input=10**13), Usage(cache_read=True)),
    Usage(input=nan),  # type: ignore[arg-type]  # vendors say such things
    Usage(output="9"),  # type: ignore[arg-type]  # the same
)


@dataclass(frozen=True, slots=True)
class Scene:
    """The parameters of a run. ``ratio``: the vendor's tokens for one of ours; ``over``: the vendor exceeds leases."""

    number: int
    limits: Limits
    model: Model
    ratio: float
    over: bool
    breaks_off: bool
    accidents: float

    @property
    def task(self) -> Task:
        """The task, for an agent with this run's model, sometimes with declared end conditions."""
        chance = Random(f"task {self.number}")
        declared = (TextIncludes("<end>"), ToolReturned(tool="look", contains="gold"), BudgetExhausted())
        conditions = tuple(one for one in declared if chance.random() < 0.2)
        agent = Agent(name="tester", model=f"scripted/{self.number}", conditions=conditions)
        return Task(chance.choice(("Mend it", "What is it?")), limits=self.limits, agent=agent)


def scene(number: int) -> Scene:
    """Return the scene of this number."""
    chance = Random(f"scene {number}")
    model = model_of(str(number), chance)
    return Scene(
        number,
        limits_of(chance, model),
        model,
        ratio=chance.uniform(0.3, 1.1),
        over=chance.random() < 0.15,
        breaks_off=chance.random() < 0.2,
        accidents=chance.choice((0.0, 0.0, 0.02)),
    )


def model_of(name: str, chance: Random) -> Model:
    """Return a model with a price of some kind, or without one."""
    rates = [chance.choice(RATES) for _ in range(4)]
    dearer = Price(*(2 * rate for rate in rates))
    price = chance.choice((Price(*rates), Price(*rates), Price(*rates, above=900, beyond=dearer), FREE, None))
    return Model(
        name, context=chance.choice((2_000, 100_000)), output=chance.choice((50, 300, 1_000, 4_000)), price=price
    )


def limits_of(chance: Random, model: Model) -> Limits:
    """Limits with room for some calls; usually one or two of them are reached."""
    tight = chance.sample(("tokens", "usd", "calls", "seconds", "nothing"), 2)
    price, asks = model.price or UNKNOWN, 600 + model.output
    dearest = 600 * max(price.input, price.cache_read, price.cache_write) + model.output * price.output
    return Limits(
        iterations=chance.randint(0, 4),
        cycles=chance.randint(1, 9),
        tokens=round(asks * chance.uniform(0, 8)) if "tokens" in tight else 200_000,
        usd=dearest / 1e6 * chance.uniform(0, 6) if "usd" in tight else 10.0,
        calls=chance.randint(0, 9) if "calls" in tight else 300,
        seconds=chance.choice((0.0, 0.05, 0.2)) if "seconds" in tight and chance.random() < 0.3 else 60.0,
        quality_threshold=chance.choice((0.5, 0.9)),
    )


# The vendor.


@dataclass
class Vendor:
    """A provider with random answers. It records each run's requests and their outcomes.

    ``overdrawn`` are those for whom more was counted than they can have reserved when it was the first time.
    """

    asked: Counter[str] = field(default_factory=Counter)
    begun: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    overdrawn: set[str] = field(default_factory=set)

    def broke_off(self, name: str) -> bool:
        """Return whether an answer of this run's began and did not end."""
        return self.begun[name] > self.ended[name]

    async def models(self) -> Sequence[Model]:
        """None that could be listed."""
        return []

    async def describe(self, name: str) -> Model:
        """Return the model of a scene."""
        return scene(int(name)).model

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Answer somehow."""
        name, here = request.model, scene(int(request.model))
        chance = Random(f"call {name} {self.asked[name]}")
        self.asked[name] += 1
        room = request.max_output or 0
        parts = answer(chance, room, [tool.name for tool in request.tools])
        if here.over and chance.random() < 0.2:
            parts = [*overlong(chance, room), *parts]
        if chance.random() < here.accidents:
            raise chance.choice(
                (
                    ProviderUnavailableError("overloaded", retry_after=LATER),
                    RequestRejectedError("no"),
                    ValueError("a bug"),
                )
            )
        self.begun[name] += bool(parts)
        for part in parts:
            yield part
            await asyncio.sleep(chance.choice((0, 0, 0.03)) if here.limits.seconds < 1 else 0)
        if here.breaks_off and chance.random() < 0.15:
            if chance.random() < 0.95:
                raise ProviderUnavailableError("it broke off", retry_after=LATER)
            return
        self.ended[name] += bool(parts)
        usage = count_usage(chance, request, parts, here.ratio)
        if here.over and chance.random() < 0.1:
            usage = replace(usage, output=int(room * 10 ** chance.uniform(0, 4)))
        if here.over and chance.random() < 0.2:
            usage = Usage(input=8 * usage.input + 8 * stats_of(request).tokens + room, output=usage.output)
            yield StreamEnd(usage)
            self.overdrawn.add(name)
            return
        yield StreamEnd(usage if chance.random() < 0.7 else chance.choice(NONSENSE))


def answer(chance: Random, room: int, tools: Sequence[str]) -> list[Text | ToolCall]:
    """Text and calls within the token limit."""
    reply = Text("word " * int(chance.random() ** 3 * room * 4 / 5))
    calls = [
        ToolCall(f"c{chance.random()}", chance.choice((*tools, "nosuch")), {"n": chance.randint(0, 99)})
        for _ in range(chance.choice((0, 1, 1, 1, 2, 3)) if tools else 0)
    ]
    ending = Text("<end>" if chance.random() < 0.05 else "")
    texts = [text for text in (ending, reply) if text.text]
    parts: list[Text | ToolCall] = [*texts, *calls]
    return parts if estimate_tokens(parts) <= room else []


def overlong(chance: Random, room: int) -> list[Text | ToolCall]:
    """Text above the token limit, in pieces of one size."""
    length = int(40 * (room + 1) * 10 ** chance.uniform(0, 2))
    piece = max(1, length // chance.choice((1, 3, 40)))
    call = ToolCall("long", "turn", {"n": "x" * length})
    return [call] if chance.random() < 0.5 else [Text("y" * piece)] * (length // piece)


def count_usage(chance: Random, request: Request, parts: Sequence[Part], ratio: float) -> Usage:
    """Return what an honest vendor counts: some of it read from a cache, some written to one."""
    asked = round(stats_of(request).tokens * ratio * chance.uniform(0.92, 1.08))
    read = int(asked * chance.choice((0.0, 0.0, chance.random())))
    write = int((asked - read) * chance.choice((0.0, 0.0, chance.random())))
    most = request.max_output or 0
    output = chance.choice((estimate_tokens(parts), chance.randint(0, most), most))
    return Usage(input=asked - read - write, output=output, cache_read=read, cache_write=write)


# Plugins that spend.


async def spend(run: Run, chance: Random) -> str:
    """Call a model, several at once, or let a part of the task be done; or nothing."""
    name = run.task.agent.model if run.task.agent else ""
    question = Message.user("Is it good? " * chance.randint(1, 50))
    request = Request([question], model=name, max_output=chance.choice((None, 100, 2_000)))
    kind = chance.random()
    if kind < 0.4:
        return (await run.chat(request)).text
    if kind < 0.55:
        await wait_for_all(run.chat(request) for _ in range(3))
    elif kind < 0.7 and not run.task.parent:
        part = Task("Do a part", limits=limits_of(chance, scene_of(run).model), agent=run.task.agent)
        await wait_for_all(run.solve(part) for _ in range(chance.randint(1, 2)))
    return ""


async def wait_for_all(wanted: "Sequence[Awaitable[object]] | object") -> None:
    """Wait for all, and raise the first error."""
    done = await asyncio.gather(*wanted, return_exceptions=True)  # type: ignore[misc]  # any iterable will do
    for one in done:
        if isinstance(one, BaseException):
            raise one


def scene_of(run: Run) -> Scene:
    return scene(int(run.task.agent.model.partition("/")[2])) if run.task.agent else scene(0)


def chance_of(run: Run, where: str) -> Random:
    return Random(f"{where} {run.task.agent and run.task.agent.model} {run.cost.calls} {len(run.iterations)}")


class Spenders:
    """Hooks that call models; one of them swallows that a limit was reached."""

    @hookimpl
    async def before_plan(self, run: Run) -> Sequence[Section]:
        """Something to read."""
        chance = chance_of(run, "plan")
        return [Section("hint", await spend(run, chance))] if chance.random() < 0.3 else []

    @hookimpl
    async def after_tool(self, result: ToolResult, run: Run) -> ToolResult | None:
        """Return the same, after a call that may have been refused."""
        chance = chance_of(run, "after")
        if chance.random() < 0.1:
            try:
                await spend(run, chance)
            except LimitExceededError:
                return None
        return None

    @hookimpl
    async def before_learn(self, result: Result, run: Run) -> Sequence[Learning]:
        """Nothing, at a price."""
        chance = chance_of(run, "learn")
        if chance.random() < 0.3:
            await spend(run, chance)
        return []


class Judge:
    """An evaluator that may ask a model, and returns a random result."""

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        """Return some score."""
        chance = chance_of(run, "judge")
        if chance.random() < 0.2:
            return None
        if chance.random() < 0.6:
            await spend(run, chance)
        checks = (Check("works", chance.random() < 0.5),) if chance.random() < 0.3 else ()
        return Evaluation(scores=(Score("taste", chance.random()),), checks=checks)


class Things:
    """Tools that return something, fail, or spend."""

    async def tools(self, run: Run) -> Sequence[Tool]:
        """Two."""

        async def use(arguments: Arguments) -> ToolResult:
            chance = chance_of(run, f"tool {arguments.get('n')}")
            if chance.random() < 0.1:
                raise ToolError("It is stuck.")
            return ToolResult(f"gold {chance.random()} {await spend(run, chance) if chance.random() < 0.2 else ''}")

        schema: Arguments = {"type": "object", "properties": {"n": {"type": "integer"}}}
        look = Tool("look", "Look at a thing.", schema, use, effect=Effect.READS)
        return [look, Tool("turn", "Turn a thing round.", schema, use)]
