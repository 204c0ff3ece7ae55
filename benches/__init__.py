"""What is measured: `make bench`. Each file makes the figures of one group; `run` prints them."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read once, when NumPy is loaded
