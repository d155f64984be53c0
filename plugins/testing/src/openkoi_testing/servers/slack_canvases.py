"""Keep the canvases of the fake Slack, and list its files."""

from abc import abstractmethod
from typing import Any

from .slack_chats import BOT, Facts
from .slack_streams import SlackCallError, SlackStreams

PAGES = "application/vnd.slack-docs"


class SlackCanvases(SlackStreams):
    """``canvases`` are files of their own type, by id, with the Markdown that they contain."""

    def __init__(self) -> None:
        super().__init__()
        self.canvases: dict[str, Facts] = {}

    @abstractmethod
    def file_facts(self, id: str, media_type: str) -> Facts:
        """Return the description of a file."""

    def do_canvases_create(self, title: str = "", document_content: Any = None, channel_id: str = "") -> Facts:
        """Create a canvas of the bot."""
        id = f"F{self.number():08}"
        channels = [channel_id] if channel_id else []
        facts = {"filetype": "quip", "mode": "quip", "pretty_type": "Canvas", "mimetype": PAGES, "user": BOT}
        self.canvases[id] = {"id": id, "title": title, "name": title, "channels": channels, "editable": True, **facts}
        self.write_canvas(id, document_content or {"type": "markdown", "markdown": ""})
        self.canvases[id]["created"] = self.canvases[id]["updated"]
        return {"canvas_id": id}

    def do_canvases_edit(self, canvas_id: str, changes: Any) -> Facts:
        """Make one change of a canvas."""
        self.canvas(canvas_id)
        if len(changes) != 1:
            raise SlackCallError("invalid_arguments")
        match changes[0]:
            case {"operation": "replace", "document_content": content, **more} if not more:
                self.write_canvas(canvas_id, content)
            case {"operation": "insert_at_end", "document_content": content}:
                text = f"{self.canvas(canvas_id)['markdown']}\n{content['markdown']}"
                self.write_canvas(canvas_id, {**content, "markdown": text})
            case {"operation": "rename", "title_content": {"type": "markdown", "markdown": title}}:
                self.canvases[canvas_id]["title"] = title
            case _:
                raise SlackCallError("canvas_editing_failed")
        return {}

    def do_canvases_getContent(self, canvas_id: str, content_type: str = "markdown") -> Facts:
        """Return the content of a canvas."""
        if content_type != "markdown":
            raise SlackCallError("invalid_arguments")
        return {"content": self.canvas(canvas_id)["markdown"]}

    def do_canvases_sections_lookup(self, canvas_id: str, criteria: Any) -> Facts:
        """Return the sections of a canvas that contain a text."""
        parts = self.canvas(canvas_id)["markdown"].split("\n\n")
        found = [f"temp:C:{n}" for n, part in enumerate(parts) if criteria["contains_text"] in part]
        return {"sections": [{"id": one} for one in found]}

    def do_files_list(self, count: int = 100, page: int = 1, channel: str = "", **_: Any) -> Facts:
        """Return a page of the files, or of those of a channel."""
        texts = [self.file_facts(id, media_type) for id, media_type in self.types.items()]
        found = [*map(self.shown_canvas, self.canvases), *texts]
        found = [one for one in found if not channel or channel in one.get("channels", ())]
        count, page = int(count), int(page)
        pages = max(1, -(-len(found) // count))
        paging = {"count": count, "total": len(found), "page": page, "pages": pages}
        return {"files": found[count * (page - 1) : count * page], "paging": paging}

    def do_files_info(self, file: str, **_: Any) -> Facts:
        """Return the description of a file."""
        if file in self.canvases:
            return {"file": self.shown_canvas(file), "comments": []}
        if file not in self.types:
            raise SlackCallError("file_not_found")
        return {"file": self.file_facts(file, self.types[file]), "comments": []}

    def canvas(self, id: str) -> Facts:
        """Return a canvas; raise SlackCallError if there is none."""
        if id not in self.canvases:
            raise SlackCallError("canvas_not_found")
        return self.canvases[id]

    def write_canvas(self, id: str, content: Facts) -> None:
        """Replace the content of a canvas."""
        if content.get("type") != "markdown":
            raise SlackCallError("invalid_arguments")
        self.canvases[id].update(markdown=str(content["markdown"]), updated=int(float(self.new_ts())))

    def shown_canvas(self, id: str) -> Facts:
        """Return a canvas as a file."""
        facts = {name: value for name, value in self.canvases[id].items() if name != "markdown"}
        return {**facts, "permalink": f"https://pond.slack.com/docs/T0000TEAM/{id}"}
