"""Aggregate rows: sessions over their runs, skills over their use, patterns over tasks."""

import json
from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING

from openkoi_hookspecs import Record
from openkoi_hookspecs.events import ConversationRewound, RunResumed, UsageRecorded

from .rows import UsageRow

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SESSIONS = """
INSERT OR REPLACE INTO sessions
SELECT session, arg_min(channel, created_at || id),
       split_part(arg_max(model, created_at || id), '/', 1),
       substr(arg_max(model, created_at || id), strpos(arg_max(model, created_at || id), '/') + 1),
       min(created_at), max(updated_at),
       coalesce(sum(tokens) FILTER (WHERE parent = ''), 0), round(coalesce(sum(usd) FILTER (WHERE parent = ''), 0), 9),
       'sessions/' || session || '.jsonl'
FROM runs WHERE session IN (SELECT unnest(?::VARCHAR[])) GROUP BY session
"""
EFFECTIVENESS = """
INSERT INTO skill_effectiveness
SELECT skill, category, round(avg(score), 9), count(*), max(timestamp)
FROM (SELECT unnest(from_json(skills_used, '["VARCHAR"]')) AS skill, category, score, timestamp
      FROM usage_events WHERE score IS NOT NULL)
GROUP BY skill, category
"""

PATTERNS = """
INSERT INTO usage_patterns
SELECT md5(wording), 'recurring', arg_max(description, timestamp || id),
       count(*) || ' times on ' || days || ' days', NULL, round(count(*) / (count(*) + 2), 9), count(*),
       min(timestamp), max(timestamp), NULL, 'detected'
FROM (
    SELECT *, lower(trim(description)) AS wording, count(DISTINCT day) OVER (PARTITION BY wording) AS days
    FROM usage_events WHERE event_type = 'Task' AND id NOT IN (
        SELECT id FROM records WHERE name = $usage AND run IN (
            SELECT run FROM records WHERE name IN ($rewound, $resumed) GROUP BY run
            HAVING arg_max(name = $rewound AND NOT coalesce((payload->>'undone')::BOOLEAN, FALSE), moment || id))))
WHERE days >= 3 GROUP BY wording, days
"""


def update_sessions(connection: "DuckDBPyConnection", sessions: Collection[str]) -> None:
    """Sum up sessions. The usage of a sub-task is included in that of its parent."""
    connection.execute(SESSIONS, [[session for session in sessions if session]])


def update_effectiveness(connection: "DuckDBPyConnection") -> None:
    """Average the scores of skills, by category; work without an evaluation does not count."""
    connection.execute("DELETE FROM skill_effectiveness")
    connection.execute(EFFECTIVENESS)


def update_patterns(connection: "DuckDBPyConnection") -> None:
    """Store requests that recur in the same words on three days or more; rewound messages do not count."""
    connection.execute("DELETE FROM usage_patterns")
    names = {"usage": UsageRecorded.name, "rewound": ConversationRewound.name, "resumed": RunResumed.name}
    connection.execute(PATTERNS, names)


def make_usage_row(record: Record, event: UsageRecorded) -> UsageRow:
    """Return the row of a usage event, with its day and hour in UTC."""
    moment = datetime.fromisoformat(record.at)
    return UsageRow(
        id=record.id,
        event_type=event.kind,
        channel=event.channel,
        description=event.description,
        category=event.category,
        skills_used=json.dumps(event.skills),
        score=event.score,
        timestamp=record.at,
        day=record.at[:10],
        hour=moment.hour,
        day_of_week=moment.isoweekday(),
    )
