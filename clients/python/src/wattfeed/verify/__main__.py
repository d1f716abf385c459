"""Runs the command `verify`."""

import sys

from .command import main

sys.exit(main())
