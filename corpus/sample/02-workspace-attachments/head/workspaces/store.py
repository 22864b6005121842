"""Rows of the service in SQLite."""

import sqlite3

SCHEMA = """
CREATE TABLE member (workspace TEXT NOT NULL, person TEXT NOT NULL, role TEXT NOT NULL, PRIMARY KEY (workspace, person));
CREATE TABLE page (id INTEGER PRIMARY KEY, workspace TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE attachment (
    id INTEGER PRIMARY KEY, workspace TEXT NOT NULL, name TEXT NOT NULL, bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL, uploaded_by TEXT NOT NULL, UNIQUE (workspace, name)
);
"""


class Store:
    def __init__(self, path: str = ":memory:") -> None:
        self.connection = sqlite3.connect(path)
        self.connection.row_factory = sqlite3.Row
        self.connection.executescript(SCHEMA)

    def close(self) -> None:
        self.connection.close()

    def add_member(self, workspace: str, person: str, role: str = "member") -> None:
        with self.connection:
            self.connection.execute("INSERT INTO member VALUES (?, ?, ?)", (workspace, person, role))

    def role(self, workspace: str, person: str) -> str | None:
        row = self.connection.execute(
            "SELECT role FROM member WHERE workspace = ? AND person = ?", (workspace, person)
        ).fetchone()
        return row["role"] if row else None

    def add_page(self, workspace: str, title: str, body: str) -> int:
        with self.connection:
            cursor = self.connection.execute(
                "INSERT INTO page (workspace, title, body) VALUES (?, ?, ?)", (workspace, title, body)
            )
        return cursor.lastrowid

    def pages(self, workspace: str, limit: int) -> list[sqlite3.Row]:
        return self.connection.execute(
            "SELECT id, title FROM page WHERE workspace = ? ORDER BY id LIMIT ?", (workspace, limit)
        ).fetchall()

    def page(self, workspace: str, page_id: int) -> sqlite3.Row | None:
        return self.connection.execute(
            "SELECT id, title, body FROM page WHERE workspace = ? AND id = ?", (workspace, page_id)
        ).fetchone()

    def add_attachment(self, workspace: str, name: str, size: int, sha256: str, person: str) -> int:
        with self.connection:
            cursor = self.connection.execute(
                "INSERT INTO attachment (workspace, name, bytes, sha256, uploaded_by) VALUES (?, ?, ?, ?, ?)",
                (workspace, name, size, sha256, person),
            )
        return cursor.lastrowid

    def attachments(self, workspace: str) -> list[sqlite3.Row]:
        return self.connection.execute(
            "SELECT id, name, bytes, sha256 FROM attachment WHERE workspace = ? ORDER BY name", (workspace,)
        ).fetchall()

    def attachment_named(self, workspace: str, name: str) -> sqlite3.Row | None:
        return self.connection.execute(
            "SELECT id FROM attachment WHERE workspace = ? AND name = ?", (workspace, name)
        ).fetchone()

    def attachment(self, attachment_id: int) -> sqlite3.Row | None:
        return self.connection.execute(
            "SELECT id, workspace, name FROM attachment WHERE id = ?", (attachment_id,)
        ).fetchone()

    def remove_attachment(self, attachment_id: int) -> None:
        with self.connection:
            self.connection.execute("DELETE FROM attachment WHERE id = ?", (attachment_id,))
