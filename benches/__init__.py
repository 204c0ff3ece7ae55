"""What is measured: `make bench`. Each file makes the figures of one group; `run` prints them."""
