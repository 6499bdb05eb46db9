CREATE TABLE calls (
    day TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL,
    calls INTEGER NOT NULL, errors INTEGER NOT NULL, held INTEGER NOT NULL,
    raw INTEGER NOT NULL, sent INTEGER NOT NULL,
    reads INTEGER NOT NULL, read_sent INTEGER NOT NULL, estimated INTEGER NOT NULL,
    PRIMARY KEY (day, server, tool)
) WITHOUT ROWID;
CREATE TABLE lists (
    day TEXT NOT NULL, server TEXT NOT NULL,
    listed INTEGER NOT NULL, raw INTEGER NOT NULL, sent INTEGER NOT NULL,
    greeted INTEGER NOT NULL, greeting_raw INTEGER NOT NULL, greeting_sent INTEGER NOT NULL,
    estimated INTEGER NOT NULL, form TEXT NOT NULL, last_raw INTEGER NOT NULL, last_sent INTEGER NOT NULL,
    PRIMARY KEY (day, server)
) WITHOUT ROWID;
CREATE TABLE members (
    day TEXT NOT NULL, front TEXT NOT NULL, server TEXT NOT NULL,
    PRIMARY KEY (day, front, server)
) WITHOUT ROWID;
