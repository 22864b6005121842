"""The table of routes by subject; `tests.route_table` puts it together."""
