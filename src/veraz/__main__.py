"""`python -m veraz` is `veraz`."""

from veraz.cli.main import run

run()
