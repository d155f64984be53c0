"""Make sense of an answer of the Responses API, as it streams in or whole.

Knows the events and the items. Nothing is acted upon that did not arrive in full.
"""

from collections.abc import Iterator, Mapping, Sequence

from openkoi_hookspecs import Chunk, FinishReason, Json, ProviderError, Reasoning, StreamEnd, Text, ToolCall, Usage
from openkoi_wire import Calls, Server, buffered, concluded, parsed, reported

from ..usage import usage_of
from .seals import Item, sealed

ENDED = {"completed": FinishReason.END, "incomplete": FinishReason.LENGTH}
WILL_NOT_PASS = ("bio_", "data_residency", "empty_image", "failed_to_download", "image_", "invalid_", "unsupported_")


class Answer:
    """One answer. ``ending`` is asked for when nothing more comes."""

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
        self._said = False

    def event(self, data: str) -> Sequence[Chunk] | None:
        """Read an event of the stream."""
        if data.startswith("[DONE]"):
            self.over = True
            return ()
        frame = parsed(data, self._server)
        kind = frame.get("type")
        if kind == "error" or frame.get("error"):
            raise self._failure(frame)
        match str(kind).removeprefix("response."):
            case "completed" | "incomplete" | "failed" | "cancelled":
                return self._ended(frame.get("response"))
            case "output_item.done":
                return self._item(frame.get("item"))
            case "function_call_arguments.delta":
                return buffered(frame.get("delta"))
            case "output_item.added" | "function_call_arguments.done":
                return ()
        return self._piece(str(kind).removeprefix("response."), frame)

    def document(self, data: bytes) -> Sequence[Chunk]:
        """Read an answer that came whole."""
        return self._ended(parsed(data, self._server))

    def ending(self) -> Sequence[Chunk]:
        """Return the tool calls and Done; raises ProviderUnavailableError when the answer was cut off."""
        if self.over and not (self._status or self._heard):
            raise self._server.empty()
        if self._status not in ENDED:
            why = f" with the status {self._status!r}" if self._status else ""
            raise self._server.unavailable(f"ended its response early{why}; none of it was used.")
        if self._stop is not FinishReason.END:
            return (StreamEnd(self._usage, self._stop),)
        calls = Calls()
        asked = [part if isinstance(part, Reasoning) else call(part, calls) for part in self._asked]
        return concluded(self._server, asked, self._usage, said=self._said, asks=False)

    def _piece(self, kind: str, frame: Mapping[str, Json]) -> Sequence[Chunk] | None:
        """Read a piece of what is said or thought; None when it is nothing to us."""
        delta = frame.get("delta")
        if not isinstance(delta, str) or not delta:
            further = kind == "reasoning_summary_part.added" and frame.get("summary_index")
            return [Reasoning("\n\n")] if further else None
        match kind:
            case "output_text.delta" | "refusal.delta":
                self._refuse(kind == "refusal.delta")
                return [self._told(Text(delta))]
            case "reasoning_summary_text.delta" | "reasoning_text.delta":
                return [self._told(Reasoning(delta))]
        return None

    def _told(self, piece: Text | Reasoning) -> Text | Reasoning:
        self._streamed.add(type(piece))
        self._heard = True
        if isinstance(piece, Text):
            self._said = True
            self._thoughts = []
        return piece

    def _item(self, item: Json) -> Sequence[Chunk]:
        """Read an item that is complete."""
        if not isinstance(item, dict):
            return ()
        self._heard = True
        match item.get("type"):
            case "function_call":
                self._asked.append(item)
                self._thoughts = []
            case "message":
                return self._message(item)
            case "reasoning":
                return self._reasoning(item)
        return ()

    def _message(self, item: Item) -> Sequence[Chunk]:
        self._thoughts = []
        refusal = texts(item.get("content"), "refusal")
        self._refuse(bool(refusal))
        if Text in self._streamed:
            self._streamed.remove(Text)
            return ()
        said = texts(item.get("content"), "text") + refusal
        self._said |= bool(said)
        return [Text(said)] if said else ()

    def _reasoning(self, item: Item) -> Sequence[Chunk]:
        """Seal a thought, together with those right before it; one between calls keeps its place among them."""
        self._thoughts.append(item)
        told = "" if Reasoning in self._streamed else texts(item.get("summary"), "text", "\n\n")
        self._streamed.discard(Reasoning)
        thought = Reasoning(told, sealed(self._thoughts))
        if self._asked:
            self._asked.append(thought)
            return ()
        return [thought] if thought != Reasoning("") else ()

    def _refuse(self, refused: bool) -> None:
        if refused:
            self._stop = FinishReason.REFUSED

    def _ended(self, response: Json) -> Sequence[Chunk]:
        """Read how it ended, and what it said when that did not come before."""
        if not isinstance(response, dict):
            raise self._server.unavailable("ended its answer without saying how.")
        if response.get("error"):
            raise self._failure(response)
        self.over = True
        self._usage = usage_of(response.get("usage"))
        self._status = str(response.get("status") or "")
        self._stop = stop(response) if self._stop is FinishReason.END else self._stop
        output = response.get("output")
        items = [item for item in output if isinstance(item, dict)] if isinstance(output, list) else []
        untold = items if not self._heard else list(filter(self._untold, items))
        return [chunk for item in untold for chunk in self._item(item)]

    def _untold(self, item: Item) -> bool:
        """Whether something in an answer did not come before its end: its words, or a call."""
        if item.get("type") != "function_call":
            return item.get("type") == "message" and not self._said
        known = [asked for asked in self._asked if not isinstance(asked, Reasoning)]
        return all(differ(asked, item) for asked in known)

    def _failure(self, frame: Mapping[str, Json]) -> ProviderError:
        error = frame.get("error")
        told = error if isinstance(error, dict) else frame
        if str(told.get("code")).startswith(WILL_NOT_PASS):
            return reported(self._server, {**told, "type": "invalid_request_error"})
        return reported(self._server, frame)


def stop(response: Mapping[str, Json]) -> FinishReason:
    """Say why an answer ended."""
    details = response.get("incomplete_details")
    filtered = isinstance(details, dict) and details.get("reason") == "content_filter"
    return FinishReason.REFUSED if filtered else ENDED.get(str(response.get("status")), FinishReason.END)


def differ(one: Item, other: Item) -> bool:
    """Whether two calls are surely not the same one, which some servers tell twice under other ids."""
    told, own = set(ids(one)), set(ids(other))
    alike = [one.get(key) for key in ("name", "arguments")] == [other.get(key) for key in ("name", "arguments")]
    return bool(told and own) and told.isdisjoint(own) and not alike


def ids(item: Item) -> Iterator[str]:
    """What an item is known by."""
    return (id for key in ("id", "call_id") if isinstance(id := item.get(key), str) and id)


def texts(parts: Json, key: str, between: str = "") -> str:
    """Return what the parts of an item say under a key."""
    said = [part.get(key) for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return between.join(text for text in said if isinstance(text, str))


def call(item: Item, calls: Calls) -> ToolCall:
    """Make a tool call of an item."""
    id, name, arguments = item.get("call_id"), item.get("name"), item.get("arguments", "")
    written = None if item.get("status") == "incomplete" else arguments
    return calls.make(id if isinstance(id, str) else "", name if isinstance(name, str) else "", written)
