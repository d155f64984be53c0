"""langgraph: its prebuilt ReAct agent over langchain-openai, with the one tool. Runs in a home of its own."""

import asyncio

from benchmarks.turns import add, address, done, take_turns, task
from langchain_openai import ChatOpenAI  # type: ignore[import-not-found]  # in its own home
from langgraph.prebuilt import create_react_agent  # type: ignore[import-not-found]  # in its own home


def main() -> None:
    """Take turns."""
    agent = create_react_agent(ChatOpenAI(model="m", base_url=address()), [add])

    async def turn(asked: dict[str, int]) -> None:
        reply = {"messages": [("user", task(asked["steps"]))]}
        state = await agent.ainvoke(reply, {"recursion_limit": 3 * asked["steps"] + 10})
        done(state["messages"][-1].content)

    with asyncio.Runner() as runner:
        take_turns("langgraph", lambda asked: runner.run(turn(asked)))


if __name__ == "__main__":
    main()
