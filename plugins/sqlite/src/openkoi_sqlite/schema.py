"""The tables. Each row carries a seal over what is in it, because SQLite itself does not notice a changed byte.

``records`` holds what is needed of the log to tell each run again, ``segments`` how far each log file was read,
``documents`` what can be found, ``words`` the words of each document, and ``state`` a few facts about the whole.
"""

VERSION = 1
TABLES = """
CREATE TABLE records (
    id TEXT PRIMARY KEY, moment TEXT NOT NULL, run TEXT NOT NULL, name TEXT NOT NULL, about TEXT NOT NULL,
    payload TEXT NOT NULL, seal INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX records_of_run ON records (run);
CREATE INDEX records_about ON records (about) WHERE about <> '';
CREATE TABLE segments (name TEXT PRIMARY KEY, seen INTEGER NOT NULL, seal INTEGER NOT NULL);
CREATE TABLE documents (
    doc INTEGER PRIMARY KEY, id TEXT NOT NULL, learned INTEGER NOT NULL, kind TEXT NOT NULL, shelf TEXT NOT NULL,
    moment TEXT NOT NULL, keys TEXT NOT NULL, memo TEXT NOT NULL, seal INTEGER NOT NULL, UNIQUE (learned, id));
CREATE VIRTUAL TABLE words USING fts5(line, tokenize = 'porter unicode61 remove_diacritics 2');
CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
