-- From version 1, in which the owner of an entry was the account too. A process of version 1 that still
-- has the file open goes on: what it adds has the account ''.

ALTER TABLE entries ADD COLUMN account TEXT NOT NULL DEFAULT '';
ALTER TABLE entries ADD COLUMN anonymous INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entries ADD COLUMN derived INTEGER NOT NULL DEFAULT 0;
DROP INDEX entries_by_owner;
CREATE INDEX entries_by_account ON entries (account, anonymous, derived DESC, used);

-- The sums stay as they are: those of an owner are now those of the account.
UPDATE entries SET account = owner;
DROP TRIGGER entry_added;
DROP TRIGGER entry_removed;

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
