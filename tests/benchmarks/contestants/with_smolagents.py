"""smolagents: a ToolCallingAgent with an OpenAIServerModel and the one tool. Runs in a home of its own."""

from benchmarks.turns import add, address, done, take_turns, task
from smolagents import LogLevel, OpenAIServerModel, ToolCallingAgent, tool  # type: ignore[import-not-found]  # its home


def main() -> None:
    """Take turns."""
    model = OpenAIServerModel("m", api_base=address())
    agent = ToolCallingAgent([tool(add)], model, verbosity_level=LogLevel.OFF)

    def turn(asked: dict[str, int]) -> None:
        done(agent.run(task(asked["steps"]), max_steps=asked["steps"] + 1))

    take_turns("smolagents", turn)


if __name__ == "__main__":
    main()
