"""Output of tools, one module for each format: bytes in, records with their kind out, nothing dropped.

A reader takes the bytes and `ReadSettings` and returns a `ParsedFile`. It raises `FormatError` alone, and only where
nothing of the file can be read; whatever is wrong with one record is that record's rejection.
"""
