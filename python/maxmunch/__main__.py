"""`python -m maxmunch` is the command line."""

import sys

from maxmunch.cli import main

sys.exit(main())
