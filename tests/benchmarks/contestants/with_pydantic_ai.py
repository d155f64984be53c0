"""pydantic-ai: an Agent with an OpenAIChatModel and the one tool; without it to listen. Runs in a home of its own."""

import asyncio

from benchmarks.turns import add, address, done, take_turns, task, words
from pydantic_ai import Agent, Tool, UsageLimits
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

UNLIMITED = UsageLimits(request_limit=None)


def main() -> None:
    """Take turns."""
    model = OpenAIChatModel("m", provider=OpenAIProvider(base_url=address()))
    agent, listener = Agent(model, tools=[Tool(add)]), Agent(model)

    async def solve(steps: int) -> None:
        done((await agent.run(task(steps), usage_limits=UNLIMITED)).output)

    async def listen(asked: dict[str, int]) -> None:
        async with listener.run_stream(words(asked["chunks"], asked["pause"])) as answer:
            text = "".join([piece async for piece in answer.stream_text(delta=True)])
        assert asked["chunks"] == len(text.split())

    async def turn(asked: dict[str, int]) -> None:
        if "chunks" in asked:
            await listen(asked)
        else:
            await asyncio.gather(*(solve(asked["steps"]) for _ in range(asked.get("runs", 1))))

    with asyncio.Runner() as runner:
        take_turns("pydantic-ai-slim", lambda asked: runner.run(turn(asked)))


if __name__ == "__main__":
    main()
