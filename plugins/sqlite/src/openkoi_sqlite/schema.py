"""The schema of the SQLite database: all tables, each row with a checksum: SQLite does not detect a changed byte.

``records`` contains the parts of the log needed to rebuild each run, ``segments`` how far each log file was read,
``documents`` what can be found, ``words`` the words of each document, ``places`` where each word stands, and ``state``
a few facts about the whole. A word is whatever stands between two blanks.

There are no migrations: a file of an older version is built again from the run log.
"""

VERSION = 5
TABLES = r"""
CREATE TABLE records (
    id TEXT PRIMARY KEY, moment TEXT NOT NULL, run TEXT NOT NULL, name TEXT NOT NULL, about TEXT NOT NULL,
    payload TEXT NOT NULL, seal INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX records_of_run ON records (run);
CREATE INDEX records_about ON records (about) WHERE about <> '';
CREATE TABLE segments (name TEXT PRIMARY KEY, seen INTEGER NOT NULL, seal INTEGER NOT NULL);
CREATE TABLE documents (
    doc INTEGER PRIMARY KEY, length INTEGER NOT NULL, scope TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
    learned INTEGER NOT NULL, moment TEXT NOT NULL, run TEXT NOT NULL, keys TEXT NOT NULL, memo TEXT NOT NULL,
    seal INTEGER NOT NULL);
CREATE INDEX documents_in_scope ON documents (scope, length);
CREATE INDEX documents_of_run ON documents (run) WHERE run <> '';
CREATE VIRTUAL TABLE words USING fts5(line, tokenize = 'ascii tokenchars ''./\:@-_''');
CREATE VIRTUAL TABLE places USING fts5vocab(words, instance);
CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
