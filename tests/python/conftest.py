"""No test reads code that another run of the tests kept on the disk."""

import os

os.environ["GRAPHWRIGHT_CACHE"] = "0"  # read once, when the first function is compiled
