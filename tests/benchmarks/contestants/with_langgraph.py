"""langgraph: its prebuilt ReAct agent over langchain-openai, with the one tool, and its model alone.

Runs in a home of its own.
"""

import asyncio

from benchmarks.turns import add, address, done, take_turns, task, words
from langchain_openai import ChatOpenAI  # type: ignore[import-not-found]  # in its own home
from langgraph.prebuilt import create_react_agent


def main() -> None:
    """Take turns."""
    model = ChatOpenAI(model="m", base_url=address())
    agent = create_react_agent(model, [add])

    async def solve(steps: int) -> None:
        reply = {"messages": [("user", task(steps))]}
        state = await agent.ainvoke(reply, {"recursion_limit": 3 * steps + 10})
        done(state["messages"][-1].content)

    async def listen(asked: dict[str, int]) -> None:
        pieces = model.astream(words(asked["chunks"], asked["pause"]))
        text = "".join([str(piece.content) async for piece in pieces])
        assert asked["chunks"] == len(text.split())

    async def turn(asked: dict[str, int]) -> None:
        if "chunks" in asked:
            await listen(asked)
        else:
            await asyncio.gather(*(solve(asked["steps"]) for _ in range(asked.get("runs", 1))))

    with asyncio.Runner() as runner:
        take_turns("langgraph", lambda asked: runner.run(turn(asked)))


if __name__ == "__main__":
    main()
