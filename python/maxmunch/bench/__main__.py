"""`python -m maxmunch.bench ORDER` measures one cell, in a process of its own."""

from maxmunch.bench.measures import main

main()
