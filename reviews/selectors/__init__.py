"""Data for pages and services as frozen dataclasses, all queries done."""
