#!/usr/bin/env python
"""Django's command line; the same as the `touchstone` console script."""

import sys

from config.cli import main

if __name__ == "__main__":
    sys.exit(main())
