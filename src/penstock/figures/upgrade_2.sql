CREATE TABLE members (
    day TEXT NOT NULL, front TEXT NOT NULL, server TEXT NOT NULL,
    PRIMARY KEY (day, front, server)
) WITHOUT ROWID;
