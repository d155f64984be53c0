"""Use the fake Slack with Slack's own SDK: the Web API, uploads and Socket Mode. A standalone script."""

import json
import sys
import threading
from typing import Any

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.socket_mode import SocketModeClient
from slack_sdk.socket_mode.response import SocketModeResponse


def use(url: str, token: str, app_token: str) -> dict[str, Any]:
    """Call each method of the fake; return the responses."""
    web = WebClient(token, base_url=f"{url}/api/")
    me = web.auth_test()
    button = {"type": "button", "action_id": "a", "text": {"type": "plain_text", "text": "Yes"}, "value": "y"}
    blocks = [{"type": "markdown", "text": "**hello**"}, {"type": "actions", "elements": [button]}]
    sent = web.chat_postMessage(channel="C0000POND", text="hello", blocks=blocks)
    reply = web.chat_postMessage(channel="C0000POND", text="in the thread", thread_ts=sent["ts"])
    web.chat_update(channel="C0000POND", ts=sent["ts"], text="changed")
    web.reactions_add(channel="C0000POND", timestamp=sent["ts"], name="eyes")
    web.files_upload_v2(channel="C0000POND", filename="a.bin", content=b"\x00\xff")
    thread = web.conversations_replies(channel="C0000POND", ts=sent["ts"])
    history = web.conversations_history(channel="C0000POND")
    web.chat_delete(channel="C0000POND", ts=reply["ts"])
    place = {"channel": "C0000POND", "thread_ts": sent["ts"]}
    stream = web.chat_startStream(**place, recipient_user_id="U0000ANN", recipient_team_id="T0000TEAM")
    web.chat_appendStream(channel="C0000POND", ts=stream["ts"], markdown_text="it grows")
    grown = web.chat_stopStream(channel="C0000POND", ts=stream["ts"], markdown_text=" and ends")
    canvas = web.canvases_create(title="Pond", document_content={"type": "markdown", "markdown": "# Koi"})["canvas_id"]
    more = {"operation": "insert_at_end", "document_content": {"type": "markdown", "markdown": "\nred"}}
    web.canvases_edit(canvas_id=canvas, changes=[more])
    content = web.canvases_getContent(canvas_id=canvas)["content"]
    sections = web.canvases_sections_lookup(canvas_id=canvas, criteria={"contains_text": "red"})["sections"]
    listed = [one["filetype"] for one in web.files_list()["files"] if one["id"] == canvas]
    return {
        "canvas": [content, len(sections), *listed, web.files_info(file=canvas)["file"]["title"]],
        "me": [me["user"], me["team"]],
        "thread": [one["text"] for one in thread["messages"]],
        "history": [one["text"] for one in history["messages"]],
        "stream": grown["message"]["text"],
        "errors": [refusal(web, **one) for one in REFUSED],
        "envelopes": envelopes(url, web, app_token),
    }


REFUSED: list[dict[str, Any]] = [
    {"channel": "C0000POND", "text": "x" * 40_001},
    {"channel": "C0000POND", "blocks": [{"type": "marquee"}], "text": "x"},
    {"channel": "C0000LATE", "text": "too early"},
]


def refusal(web: WebClient, **arguments: Any) -> str:
    """Return how the SDK understands a refusal."""
    try:
        web.chat_postMessage(**arguments)
    except SlackApiError as error:
        return f"{error.response['error']} {error.response.headers.get('retry-after', '')}".strip()
    return ""


def envelopes(url: str, web: WebClient, app_token: str) -> list[str]:
    """Connect by Socket Mode, hear a message of the bot itself, and acknowledge it."""
    texts: list[str] = []
    event = threading.Event()

    def hear(client: Any, request: Any) -> None:
        client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))
        texts.append(f"{request.type} {request.payload['event']['text']}")
        event.set()

    client = SocketModeClient(app_token=app_token, web_client=WebClient(base_url=f"{url}/api/"))
    client.socket_mode_request_listeners.append(hear)
    client.connect()
    web.chat_postMessage(channel="C0000POND", text="over the socket")
    event.wait(10)
    client.close()
    return texts


print(json.dumps(use(*sys.argv[1:])))
