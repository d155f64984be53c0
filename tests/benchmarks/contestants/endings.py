"""Save the messages of a run at its end, as other agents and memories do."""

import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.turns import Turn, address, spoken, take_part

TASK, ANSWER = "Add one, again and again.", "done"


def timed(prepare: Callable[[Sequence[str]], Callable[[], object]]) -> Turn:
    """Return a turn that makes the messages of a run, and returns the milliseconds of processor time to keep them."""

    def turn(asked: dict[str, int]) -> list[float]:
        keep = prepare([spoken(n, asked["said"]) for n in range(asked["steps"])])
        began = time.process_time()
        keep()
        return [1_000 * (time.process_time() - began)]

    return turn


def path(name: str) -> str:
    """Return a path in the contest's folder."""
    return str(Path(address(), name))


def by_pydantic_ai() -> Turn:
    """Return pydantic-ai's messages as JSON in SQLite, as its documentation's chat keeps them."""
    from pydantic_ai.messages import (
        ModelMessage,
        ModelMessagesTypeAdapter,
        ModelRequest,
        ModelResponse,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    connection = sqlite3.connect(path("pydantic-ai.db"))
    connection.execute("CREATE TABLE messages (messages TEXT)")

    def prepare(texts: Sequence[str]) -> Callable[[], object]:
        messages: list[ModelMessage] = [ModelRequest([UserPromptPart(TASK)])]
        for n, text in enumerate(texts):
            messages.append(
                ModelResponse([*([TextPart(text)] if text else []), ToolCallPart("add", {"n": n}, f"c{n}")])
            )
            messages.append(ModelRequest([ToolReturnPart("add", str(n + 1), f"c{n}")]))
        messages.append(ModelResponse([TextPart(ANSWER)]))

        def keep() -> None:
            connection.execute("INSERT INTO messages VALUES (?)", (ModelMessagesTypeAdapter.dump_json(messages),))
            connection.commit()

        return keep

    return timed(prepare)


def by_langgraph() -> Turn:
    """Return langgraph's checkpoint of the last step, which has all messages, as its SQLite saver writes it."""
    from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
    from langgraph.checkpoint.base import empty_checkpoint
    from langgraph.checkpoint.sqlite import SqliteSaver

    saver = SqliteSaver(sqlite3.connect(path("langgraph.db"), check_same_thread=False))
    saver.setup()
    config = {"configurable": {"thread_id": "run", "checkpoint_ns": ""}}

    def prepare(texts: Sequence[str]) -> Callable[[], object]:
        messages: list[BaseMessage] = [HumanMessage(TASK)]
        for n, text in enumerate(texts):
            messages.append(AIMessage(text, tool_calls=[{"name": "add", "args": {"n": n}, "id": f"c{n}"}]))
            messages.append(ToolMessage(str(n + 1), tool_call_id=f"c{n}"))
        checkpoint = {**empty_checkpoint(), "channel_values": {"messages": [*messages, AIMessage(ANSWER)]}}
        return lambda: saver.put(config, checkpoint, {"source": "loop", "step": len(texts)}, {})

    return timed(prepare)


def by_inspect_ai() -> Turn:
    """Return inspect_ai's log of an evaluation with one sample, which has all messages."""
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
    from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ChatMessageUser
    from inspect_ai.tool import ToolCall

    def prepare(texts: Sequence[str]) -> Callable[[], object]:
        messages: list[ChatMessage] = [ChatMessageUser(content=TASK)]
        for n, text in enumerate(texts):
            call = ToolCall(id=f"c{n}", function="add", arguments={"n": n})
            messages.append(ChatMessageAssistant(content=text, tool_calls=[call]))
            messages.append(ChatMessageTool(content=str(n + 1), tool_call_id=f"c{n}", function="add"))
        sample = EvalSample(id=1, epoch=1, input=TASK, target=ANSWER, messages=messages)
        spec = EvalSpec(
            created="2026-01-01T00:00:00+00:00", task="add", dataset=EvalDataset(), model="m", config=EvalConfig()
        )
        log = EvalLog(status="success", eval=spec, samples=[sample])
        return lambda: write_eval_log(log, path("log.eval"))

    return timed(prepare)


def by_mem0() -> Turn:
    """Return mem0's memory, which takes each message in as it is; its embedder is a mock one, and no model is asked."""
    os.environ |= {"MEM0_TELEMETRY": "false", "MEM0_DIR": path("mem0-home")}  # read when it is imported
    from mem0 import Memory
    from mem0.embeddings.mock import MockEmbeddings

    store = {"provider": "qdrant", "config": {"path": path("mem0"), "embedding_model_dims": 10, "on_disk": True}}
    memory = Memory.from_config({"vector_store": store, "history_db_path": path("mem0.db")})
    memory.embedding_model = MockEmbeddings()

    def prepare(texts: Sequence[str]) -> Callable[[], object]:
        messages = [{"role": "user", "content": TASK}]
        for n, text in enumerate(texts):
            messages.append({"role": "assistant", "content": f"{text} add({n})".strip()})
            messages.append({"role": "user", "content": str(n + 1)})
        return lambda: memory.add([*messages, {"role": "assistant", "content": ANSWER}], user_id="user", infer=False)

    return timed(prepare)


if __name__ == "__main__":
    take_part(
        {
            "pydantic-ai-slim": by_pydantic_ai,
            "langgraph-checkpoint-sqlite": by_langgraph,
            "inspect-ai": by_inspect_ai,
            "mem0ai": by_mem0,
        }
    )
