"""Settings, root routes, process entry points and the console script. Imports the apps; nothing imports it."""
