CREATE TABLE account (
    id INTEGER PRIMARY KEY,
    club TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (club, name)
);
