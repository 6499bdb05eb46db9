-- One transaction creates all of this. `PRAGMA user_version` holds the version of the schema.

CREATE TABLE entries (
    id          INTEGER PRIMARY KEY,
    key         TEXT    NOT NULL UNIQUE,
    owner       TEXT    NOT NULL,
    used        INTEGER NOT NULL,  -- a running number, not a time: clocks of processes differ
    expires     REAL    NOT NULL,
    size        INTEGER NOT NULL,
    chunk_count INTEGER NOT NULL,
    checksum    INTEGER NOT NULL,  -- crc32 of head, then of "index"
    head        BLOB    NOT NULL,
    "index"     BLOB    NOT NULL
);
CREATE INDEX entries_by_use ON entries (used);
CREATE INDEX entries_by_owner ON entries (owner, used);
CREATE INDEX entries_by_expiry ON entries (expires);

-- The number of a chunk is part of its rowid (entry id * 2^32 + number): one B-tree with integer
-- keys. As (key, number) WITHOUT ROWID, 64 kB blobs took a fifth longer to write and four times as
-- long to read.
CREATE TABLE chunks (
    id       INTEGER PRIMARY KEY,
    checksum INTEGER NOT NULL,
    body     BLOB    NOT NULL
);

-- The sums that eviction needs, so that a put does not add up all entries. The scope is '*' for the
-- whole store and '=' || owner for one owner.
CREATE TABLE usage (
    scope   TEXT    PRIMARY KEY,
    entries INTEGER NOT NULL,
    bytes   INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TRIGGER entry_added AFTER INSERT ON entries BEGIN
    INSERT INTO usage VALUES ('*', 1, new.size), ('=' || new.owner, 1, new.size)
        ON CONFLICT (scope) DO UPDATE
        SET entries = entries + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER entry_removed AFTER DELETE ON entries BEGIN
    DELETE FROM chunks WHERE id BETWEEN old.id * 4294967296 AND old.id * 4294967296 + 4294967295;
    UPDATE usage SET entries = entries - 1, bytes = bytes - old.size
        WHERE scope IN ('*', '=' || old.owner);
    DELETE FROM usage WHERE scope IN ('*', '=' || old.owner) AND entries = 0;
END;
