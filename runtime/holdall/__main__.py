"""`python -m holdall`, for where the script is not on the path."""

import sys

from holdall.cli import main

if __name__ == "__main__":
    sys.exit(main())
