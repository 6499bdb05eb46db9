-- One transaction creates all of this. `PRAGMA user_version` holds the version of the schema, which
-- is 2. A change needs a new version, and a file `upgrade_N.sql` that makes it of the one before.

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
    "index"     BLOB    NOT NULL,
    account     TEXT    NOT NULL DEFAULT '',  -- that the entry counts against
    anonymous   INTEGER NOT NULL DEFAULT 0,   -- the account is of a caller who has not logged in
    derived     INTEGER NOT NULL DEFAULT 0    -- the entry was made from others
);
CREATE INDEX entries_by_use ON entries (used);
CREATE INDEX entries_by_account ON entries (account, anonymous, derived DESC, used);
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
-- whole store, '=' || account for one account, and '~' || account for one that is anonymous.
CREATE TABLE usage (
    scope   TEXT    PRIMARY KEY,
    entries INTEGER NOT NULL,
    bytes   INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TRIGGER entry_added AFTER INSERT ON entries BEGIN
    INSERT INTO usage VALUES
        ('*', 1, new.size),
        (CASE WHEN new.anonymous THEN '~' ELSE '=' END || new.account, 1, new.size)
        ON CONFLICT (scope) DO UPDATE
        SET entries = entries + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER entry_removed AFTER DELETE ON entries BEGIN
    DELETE FROM chunks WHERE id BETWEEN old.id * 4294967296 AND old.id * 4294967296 + 4294967295;
    UPDATE usage SET entries = entries - 1, bytes = bytes - old.size
        WHERE scope IN ('*', CASE WHEN old.anonymous THEN '~' ELSE '=' END || old.account);
    DELETE FROM usage
        WHERE scope IN ('*', CASE WHEN old.anonymous THEN '~' ELSE '=' END || old.account) AND entries = 0;
END;
