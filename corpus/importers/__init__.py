"""Foreign bytes into records: one module for each format, all of them without the database.

A module offers `read(source, defaults)`, which yields `ImportedCase` or `Rejected` in the order of the source and
raises `ImportRefused` when nothing of it can be read. docs/imports.md describes the formats.
"""
