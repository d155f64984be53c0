"""Wait for messages with other bot libraries: ``python -m benchmarks.contestants.idle_bots WAY URL TOKEN ...``."""

import asyncio
import os
import ssl
import sys
from typing import Any

TRUSTED = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])


def aiogram() -> None:
    """Poll Telegram with aiogram's dispatcher."""
    from aiogram import Bot, Dispatcher
    from aiogram.client.session.aiohttp import AiohttpSession
    from aiogram.client.telegram import TelegramAPIServer
    from aiogram.types import Message

    session = AiohttpSession(api=TelegramAPIServer.from_base(sys.argv[2]))
    session._connector_init["ssl"] = TRUSTED  # it knows no setting for it
    dispatcher = Dispatcher()

    async def answer(message: Message) -> None:
        """Answer a message."""
        await message.answer("Hello.")

    dispatcher.message.register(answer)
    asyncio.run(dispatcher.start_polling(Bot(sys.argv[3], session=session), handle_signals=False))


def telegram() -> None:
    """Poll Telegram with python-telegram-bot's application."""
    from telegram import Update
    from telegram.ext import Application, MessageHandler, filters
    from telegram.request import HTTPXRequest

    async def answer(update: Update, context: Any) -> None:
        """Answer a message."""
        await update.message.reply_text("Hello.")

    requests = [HTTPXRequest(httpx_kwargs={"verify": TRUSTED}) for _ in range(2)]
    builder = Application.builder().token(sys.argv[3]).base_url(f"{sys.argv[2]}/bot")
    application = builder.request(requests[0]).get_updates_request(requests[1]).build()
    application.add_handler(MessageHandler(filters.TEXT, answer))
    application.run_polling()


def slack() -> None:
    """Listen to Slack's Socket Mode with Bolt, over aiohttp: its own client has TLS at port 443 only."""
    from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
    from slack_bolt.async_app import AsyncApp
    from slack_sdk.web.async_client import AsyncWebClient

    async def listen() -> None:
        client = AsyncWebClient(token=sys.argv[3], base_url=f"{sys.argv[2]}/api/", ssl=TRUSTED)
        app = AsyncApp(client=client)

        async def answer(say: Any) -> None:
            """Answer a message."""
            await say("Hello.")

        app.message("")(answer)
        await AsyncSocketModeHandler(app, sys.argv[4]).start_async()

    asyncio.run(listen())


if __name__ == "__main__":
    {"aiogram": aiogram, "python-telegram-bot": telegram, "slack-bolt": slack}[sys.argv[1]]()
