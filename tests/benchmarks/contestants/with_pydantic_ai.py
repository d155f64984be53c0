"""pydantic-ai: an Agent with an OpenAIChatModel and the one tool. Runs in a home of its own."""

import asyncio

from benchmarks.turns import add, address, done, take_turns, task
from pydantic_ai import Agent, Tool, UsageLimits  # type: ignore[import-not-found]  # in its own home
from pydantic_ai.models.openai import OpenAIChatModel  # type: ignore[import-not-found]  # in its own home
from pydantic_ai.providers.openai import OpenAIProvider  # type: ignore[import-not-found]  # in its own home

UNLIMITED = UsageLimits(request_limit=None)


def main() -> None:
    """Take turns."""
    model = OpenAIChatModel("m", provider=OpenAIProvider(base_url=address()))
    agent = Agent(model, tools=[Tool(add)])

    async def turn(asked: dict[str, int]) -> None:
        done((await agent.run(task(asked["steps"]), usage_limits=UNLIMITED)).output)

    with asyncio.Runner() as runner:
        take_turns("pydantic-ai-slim", lambda asked: runner.run(turn(asked)))


if __name__ == "__main__":
    main()
