"""Fixtures of the laws: one connection to the migrated template, which nobody changes."""

from collections.abc import Iterator

import psycopg
import pytest


@pytest.fixture(scope="module")
def template_connection(template_url: str) -> Iterator[psycopg.Connection]:
    """As owner; whoever changes anything rolls it back."""
    with psycopg.connect(template_url, autocommit=True) as connection:
        yield connection
