"""The schema of the DuckDB database: all tables, and their version. An older file is rebuilt from the run log.

Twelve tables are the documented ones; ``memory_fts`` is a postings table, because full-text search is not part of
DuckDB itself. ``records`` contains the parts of the log needed to rebuild each run, ``segments`` how far each log file
was read, ``runs`` what joins runs to sessions and projects, ``documents`` what can be found, and ``chunk_places`` the
parts of transcripts. ``_migrations`` contains the version.

There are no foreign keys: records arrive in any order. ``DOUBLE`` is what other databases call ``REAL``.
"""

VERSION = 8
TABLES = """
CREATE TABLE _migrations (version BIGINT PRIMARY KEY, name VARCHAR NOT NULL, applied_at VARCHAR NOT NULL);
CREATE TABLE sessions (
    id VARCHAR PRIMARY KEY, channel VARCHAR, model_provider VARCHAR, model_id VARCHAR, created_at VARCHAR NOT NULL,
    updated_at VARCHAR NOT NULL, total_tokens BIGINT DEFAULT 0, total_cost_usd DOUBLE DEFAULT 0.0,
    transcript_path VARCHAR);
CREATE TABLE tasks (
    id VARCHAR PRIMARY KEY, description VARCHAR NOT NULL, category VARCHAR, session_id VARCHAR, final_score DOUBLE,
    iterations BIGINT, decision VARCHAR, total_tokens BIGINT, total_cost_usd DOUBLE, created_at VARCHAR NOT NULL,
    completed_at VARCHAR);
CREATE TABLE iteration_cycles (
    id VARCHAR PRIMARY KEY, task_id VARCHAR NOT NULL, iteration BIGINT NOT NULL, score DOUBLE,
    decision VARCHAR NOT NULL, input_tokens BIGINT, output_tokens BIGINT, duration_ms BIGINT,
    created_at VARCHAR NOT NULL, UNIQUE (task_id, iteration));
CREATE TABLE findings (
    id VARCHAR PRIMARY KEY, cycle_id VARCHAR, severity VARCHAR NOT NULL, dimension VARCHAR NOT NULL,
    title VARCHAR NOT NULL, description VARCHAR, location VARCHAR, fix VARCHAR, resolved_in VARCHAR);
CREATE TABLE learnings (
    id VARCHAR PRIMARY KEY, type VARCHAR NOT NULL, content VARCHAR NOT NULL, category VARCHAR,
    confidence DOUBLE NOT NULL, source_task VARCHAR, reinforced BIGINT DEFAULT 0, created_at VARCHAR NOT NULL,
    last_used VARCHAR, expires_at VARCHAR);
CREATE TABLE skill_effectiveness (
    skill_name VARCHAR NOT NULL, task_category VARCHAR NOT NULL, avg_score DOUBLE NOT NULL,
    sample_count BIGINT NOT NULL, last_used VARCHAR NOT NULL, PRIMARY KEY (skill_name, task_category));
CREATE TABLE memory_chunks (
    id VARCHAR PRIMARY KEY, source VARCHAR NOT NULL, text VARCHAR NOT NULL, created_at VARCHAR NOT NULL);
CREATE TABLE memory_vec (id VARCHAR PRIMARY KEY, embedding FLOAT[]);
CREATE TABLE memory_fts (scope VARCHAR, term VARCHAR, doc BIGINT, tf BIGINT, dl BIGINT);
CREATE TABLE usage_events (
    id VARCHAR PRIMARY KEY, event_type VARCHAR NOT NULL, channel VARCHAR, description VARCHAR, category VARCHAR,
    skills_used VARCHAR, score DOUBLE, timestamp VARCHAR NOT NULL, day VARCHAR NOT NULL, hour BIGINT,
    day_of_week BIGINT);
CREATE TABLE usage_patterns (
    id VARCHAR PRIMARY KEY, pattern_type VARCHAR NOT NULL, description VARCHAR NOT NULL, frequency VARCHAR,
    trigger_json VARCHAR, confidence DOUBLE NOT NULL, sample_count BIGINT NOT NULL, first_seen VARCHAR NOT NULL,
    last_seen VARCHAR NOT NULL, proposed_skill VARCHAR, status VARCHAR DEFAULT 'detected');
CREATE INDEX idx_events_day ON usage_events (day);
CREATE INDEX idx_learnings_type ON learnings (type);
CREATE INDEX idx_tasks_category ON tasks (category);
CREATE TABLE records (
    id VARCHAR PRIMARY KEY, moment VARCHAR NOT NULL, run VARCHAR NOT NULL, name VARCHAR NOT NULL,
    about VARCHAR NOT NULL, payload VARCHAR NOT NULL);
CREATE TABLE segments (name VARCHAR PRIMARY KEY, seen BIGINT NOT NULL);
CREATE TABLE runs (
    id VARCHAR PRIMARY KEY, session VARCHAR NOT NULL, project VARCHAR NOT NULL, category VARCHAR NOT NULL,
    parent VARCHAR NOT NULL, channel VARCHAR NOT NULL, model VARCHAR NOT NULL, created_at VARCHAR NOT NULL,
    updated_at VARCHAR NOT NULL, tokens BIGINT NOT NULL, usd DOUBLE NOT NULL);
CREATE TABLE documents (
    doc BIGINT PRIMARY KEY, id VARCHAR NOT NULL, learned BOOLEAN NOT NULL, kind VARCHAR NOT NULL,
    scope VARCHAR NOT NULL, moment VARCHAR NOT NULL, keys VARCHAR[] NOT NULL, dl BIGINT NOT NULL,
    memo VARCHAR NOT NULL);
CREATE TABLE cycle_outcomes (
    id VARCHAR PRIMARY KEY, phase VARCHAR NOT NULL, output VARCHAR NOT NULL, evaluation VARCHAR);
CREATE TABLE chunk_places (
    id VARCHAR PRIMARY KEY, doc BIGINT NOT NULL, run VARCHAR NOT NULL, moment VARCHAR NOT NULL, piece BIGINT NOT NULL);
CREATE TABLE embedded (
    doc BIGINT PRIMARY KEY, id VARCHAR NOT NULL, model VARCHAR NOT NULL, dimension BIGINT NOT NULL,
    digest VARCHAR NOT NULL);
CREATE TABLE vector_mark (mark VARCHAR NOT NULL);
"""
