"""The tables of the queue."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS job (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    tenant TEXT NOT NULL DEFAULT '',
    priority INTEGER NOT NULL DEFAULT 4 CHECK (priority BETWEEN 0 AND 9),
    payload TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'ready',
    worker TEXT,
    leased_until REAL,
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT
);
CREATE INDEX IF NOT EXISTS job_order ON job (state, priority DESC, id);
CREATE INDEX IF NOT EXISTS job_leases ON job (state, tenant);
"""

# Files that were made before jobs had a tenant and a priority.
UPGRADE = """
ALTER TABLE job ADD COLUMN tenant TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN priority INTEGER NOT NULL DEFAULT 4 CHECK (priority BETWEEN 0 AND 9);
DROP INDEX IF EXISTS job_state;
"""
