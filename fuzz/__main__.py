"""The command: `python -m fuzz --programs 20000 --seed 1` fuzzes and writes down what it found."""

from .run import main

main()
