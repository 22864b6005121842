"""Offline commands: read a file, write JSON, need no database or settings."""
