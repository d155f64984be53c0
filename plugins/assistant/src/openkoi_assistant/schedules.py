"""Run scheduled tasks, each once per due time, even if the daemon was killed at that moment or ran late."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from openkoi_hookspecs.integrations import Post, Sender, SenderKind
from openkoi_hookspecs.posts import join_ids

from .daemon_options import PERIOD, Schedule
from .gateway import Gateway
from .inbox import SCHEDULE, Kind, Request
from .user_pairing import Role

POLL_SECONDS = 15.0  # a schedule is exact to the minute
MAX_AHEAD = timedelta(hours=1)  # that a clock may be set back without beginning a task twice (estimate)
UNITS = {"m": 60, "h": 3600, "d": 86400}


def last_due(schedule: Schedule, now: datetime) -> datetime:
    """Return the last time at which a schedule was due; ``now`` is a local time."""
    if found := PERIOD.fullmatch(schedule.every):
        seconds = int(found[1]) * UNITS[found[2]]
        return datetime.fromtimestamp(now.timestamp() // seconds * seconds, UTC)
    hour, minute = schedule.at.split(":")
    here = now.replace(tzinfo=None)  # its offset may be another one than that of yesterday
    today = here.replace(hour=int(hour), minute=int(minute), second=0, microsecond=0, fold=0)
    return (today if today <= here else today - timedelta(days=1)).astimezone(UTC)


async def follow_schedules(gateway: Gateway, schedules: Mapping[str, Schedule]) -> None:
    """Start scheduled tasks whenever they are due, except those due before their schedule was known."""
    while schedules:
        for name, schedule in schedules.items():
            begin_due(gateway, name, schedule, datetime.now().astimezone())
        await asyncio.sleep(POLL_SECONDS)


def begin_due(gateway: Gateway, name: str, schedule: Schedule, now: datetime) -> None:
    """Start a scheduled task that has become due since its last start."""
    due, place = last_due(schedule, now).isoformat(), join_ids(SCHEDULE, name)
    before = gateway.requests.cursor(place)
    if before > (now + MAX_AHEAD).astimezone(UTC).isoformat():  # it was begun by a clock that was wrong
        before = ""
    if before >= due:
        return
    request = to_request(gateway, name, schedule, due) if before else None
    if gateway.requests.journal(place, due, request) and request:
        gateway.act(request)


def to_request(gateway: Gateway, name: str, schedule: Schedule, due: str) -> Request | None:
    """Return the request of a schedule; warn if its app is not hosted or no user is paired there."""
    owners = [one for one in gateway.members.list_all(schedule.app) if one.role is Role.OWNER]
    channel = schedule.channel or (owners[0].channel if owners else "")
    if schedule.app not in gateway.apps or not channel:
        gateway.koi.warn(
            f"Skipped the scheduled task {name}, because its answer cannot be sent. Connect {schedule.app} and "
            "pair an owner."
        )
        return None
    sender = Sender(SCHEDULE, name=name, kind=SenderKind.PERSON, authenticated=True)
    post = Post(schedule.task, app=schedule.app, channel=channel, id=f"{name}/{due}", sender=sender, direct=True)
    return Request(post, kind=Kind.TASK, conversation=join_ids(SCHEDULE, name))
