"""Parse a streamed or complete response of the Responses API into chunks.

Tool calls are returned only after the response has arrived in full.
"""

from collections.abc import Iterator, Mapping, Sequence

from openkoi_hookspecs import Chunk, FinishReason, Json, ProviderError, Reasoning, StreamEnd, Text, ToolCall, Usage
from openkoi_http import Server, ToolCallFactory, error_from_body, finish_response, make_buffered, parse_object

from ..usage import parse_usage
from .reasoning_signatures import Item, join_items

STATUS_FINISH_REASONS = {"completed": FinishReason.END, "incomplete": FinishReason.LENGTH}
PERMANENT_ERROR_CODES = (
    "bio_",
    "data_residency",
    "empty_image",
    "failed_to_download",
    "image_",
    "invalid_",
    "unsupported_",
)


class ResponsesParser:
    """Parse one response; call ``finish`` at its end."""

    def __init__(self, server: Server) -> None:
        self.over = False
        self._server = server
        self._usage = Usage()
        self._status = ""
        self._stop = FinishReason.END
        self._streamed: set[type[Text | Reasoning]] = set()
        self._thoughts: list[Item] = []
        self._asked: list[Item | Reasoning] = []
        self._heard = False
        self._has_text = False

    def event(self, data: str) -> Sequence[Chunk] | None:
        """Parse one event of the stream."""
        if data.startswith("[DONE]"):
            self.over = True
            return ()
        frame = parse_object(data, self._server)
        kind = frame.get("type")
        if kind == "error" or frame.get("error"):
            raise self._failure_error(frame)
        match str(kind).removeprefix("response."):
            case "completed" | "incomplete" | "failed" | "cancelled":
                return self._parse_end(frame.get("response"))
            case "output_item.done":
                return self._parse_item(frame.get("item"))
            case "function_call_arguments.delta":
                return make_buffered(frame.get("delta"))
            case "output_item.added" | "function_call_arguments.done":
                return ()
        return self._parse_delta(str(kind).removeprefix("response."), frame)

    def document(self, data: bytes) -> Sequence[Chunk]:
        """Parse a response that was sent as one document."""
        return self._parse_end(parse_object(data, self._server))

    def finish(self) -> Sequence[Chunk]:
        """Return the tool calls and StreamEnd; raise ProviderUnavailableError for a truncated response."""
        if self.over and not (self._status or self._heard):
            raise self._server.empty_error()
        if self._status not in STATUS_FINISH_REASONS:
            why = f" with the status {self._status!r}" if self._status else ""
            raise self._server.unavailable(f"ended its response early{why}; none of it was used.")
        if self._stop is not FinishReason.END:
            return (StreamEnd(self._usage, self._stop),)
        calls = ToolCallFactory()
        asked = [part if isinstance(part, Reasoning) else make_tool_call(part, calls) for part in self._asked]
        return finish_response(self._server, asked, self._usage, has_text=self._has_text, asks=False)

    def _parse_delta(self, kind: str, frame: Mapping[str, Json]) -> Sequence[Chunk] | None:
        """Parse a delta of text or reasoning; return None for another event."""
        delta = frame.get("delta")
        if not isinstance(delta, str) or not delta:
            further = kind == "reasoning_summary_part.added" and frame.get("summary_index")
            return [Reasoning("\n\n")] if further else None
        match kind:
            case "output_text.delta" | "refusal.delta":
                self._record_refusal(kind == "refusal.delta")
                return [self._record_delta(Text(delta))]
            case "reasoning_summary_text.delta" | "reasoning_text.delta":
                return [self._record_delta(Reasoning(delta))]
        return None

    def _record_delta(self, piece: Text | Reasoning) -> Text | Reasoning:
        self._streamed.add(type(piece))
        self._heard = True
        if isinstance(piece, Text):
            self._has_text = True
            self._thoughts = []
        return piece

    def _parse_item(self, item: Json) -> Sequence[Chunk]:
        """Parse a complete item."""
        if not isinstance(item, dict):
            return ()
        self._heard = True
        match item.get("type"):
            case "function_call":
                self._asked.append(item)
                self._thoughts = []
            case "message":
                return self._parse_message(item)
            case "reasoning":
                return self._parse_reasoning(item)
        return ()

    def _parse_message(self, item: Item) -> Sequence[Chunk]:
        self._thoughts = []
        refusal = join_parts(item.get("content"), "refusal")
        self._record_refusal(bool(refusal))
        if Text in self._streamed:
            self._streamed.remove(Text)
            return ()
        text = join_parts(item.get("content"), "text") + refusal
        self._has_text |= bool(text)
        return [Text(text)] if text else ()

    def _parse_reasoning(self, item: Item) -> Sequence[Chunk]:
        """Return reasoning with the signature of all items since the last text; keep it in order among tool calls."""
        self._thoughts.append(item)
        text = "" if Reasoning in self._streamed else join_parts(item.get("summary"), "text", "\n\n")
        self._streamed.discard(Reasoning)
        thought = Reasoning(text, join_items(self._thoughts))
        if self._asked:
            self._asked.append(thought)
            return ()
        return [thought] if thought != Reasoning("") else ()

    def _record_refusal(self, refused: bool) -> None:
        if refused:
            self._stop = FinishReason.REFUSED

    def _parse_end(self, response: Json) -> Sequence[Chunk]:
        """Parse the final response, and return what was not streamed before."""
        if not isinstance(response, dict):
            raise self._server.unavailable("ended its response without a status.")
        if response.get("error"):
            raise self._failure_error(response)
        self.over = True
        self._usage = parse_usage(response.get("usage"))
        self._status = str(response.get("status") or "")
        self._stop = finish_reason_of(response) if self._stop is FinishReason.END else self._stop
        output = response.get("output")
        items = [item for item in output if isinstance(item, dict)] if isinstance(output, list) else []
        unstreamed = items if not self._heard else list(filter(self._is_unstreamed, items))
        return [chunk for item in unstreamed for chunk in self._parse_item(item)]

    def _is_unstreamed(self, item: Item) -> bool:
        """Return whether an item in the final response was not streamed before: text, or a tool call."""
        if item.get("type") != "function_call":
            return item.get("type") == "message" and not self._has_text
        known = [asked for asked in self._asked if not isinstance(asked, Reasoning)]
        return all(are_different_calls(asked, item) for asked in known)

    def _failure_error(self, frame: Mapping[str, Json]) -> ProviderError:
        error = frame.get("error")
        details = error if isinstance(error, dict) else frame
        if str(details.get("code")).startswith(PERMANENT_ERROR_CODES):
            return error_from_body(self._server, {**details, "type": "invalid_request_error"})
        return error_from_body(self._server, frame)


def finish_reason_of(response: Mapping[str, Json]) -> FinishReason:
    """Return why a response ended."""
    details = response.get("incomplete_details")
    filtered = isinstance(details, dict) and details.get("reason") == "content_filter"
    return (
        FinishReason.REFUSED if filtered else STATUS_FINISH_REASONS.get(str(response.get("status")), FinishReason.END)
    )


def are_different_calls(one: Item, other: Item) -> bool:
    """Return whether two items are certainly different calls; some servers send one twice under two ids."""
    first_ids, other_ids = set(item_ids(one)), set(item_ids(other))
    alike = [one.get(key) for key in ("name", "arguments")] == [other.get(key) for key in ("name", "arguments")]
    return bool(first_ids and other_ids) and first_ids.isdisjoint(other_ids) and not alike


def item_ids(item: Item) -> Iterator[str]:
    """Return the ids of an item."""
    return (value for key in ("id", "call_id") if isinstance(value := item.get(key), str) and value)


def join_parts(parts: Json, key: str, between: str = "") -> str:
    """Join the values of a key in an item's parts."""
    text = [part.get(key) for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return between.join(text for text in text if isinstance(text, str))


def make_tool_call(item: Item, calls: ToolCallFactory) -> ToolCall:
    """Return an item's tool call."""
    call_id, name, arguments = item.get("call_id"), item.get("name"), item.get("arguments", "")
    written = None if item.get("status") == "incomplete" else arguments
    return calls.make(call_id if isinstance(call_id, str) else "", name if isinstance(name, str) else "", written)
