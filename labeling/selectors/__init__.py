"""Data for pages: frozen dataclasses and querysets, with all their queries done."""
