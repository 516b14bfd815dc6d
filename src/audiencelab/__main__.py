"""`python -m audiencelab` is the `audiencelab` command."""

import sys

from audiencelab.cli import main

sys.exit(main())
