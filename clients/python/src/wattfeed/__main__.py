"""Runs `python -m wattfeed`."""

import sys

from wattfeed.command import main

sys.exit(main())
