"""What is measured: `make bench`. Each file makes the figures of one group; `run` prints them."""

import os

os.environ.setdefault("GRAPHWRIGHT_CACHE", "0")  # what is compiled anew is to be compiled
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read once, when NumPy is loaded
