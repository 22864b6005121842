"""Settings, root routes, process entry points and the console script. Imports the apps; nothing imports it."""

import os

# Statistics multiply small matrices: a second thread would mostly wait for the first, and spin while it waits. This is
# read when numpy is loaded, which is later in every process.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
