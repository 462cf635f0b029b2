"""Fixtures of the stories."""

import logging
from collections.abc import Iterator

import pytest
import structlog

from veraz.settings import Settings


@pytest.fixture
def settings_without_models(settings: Settings) -> Iterator[Settings]:
    """Settings that load no model and do not write a line for each of thousands of requests."""
    before = structlog.get_config()["wrapper_class"]
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    yield settings.model_copy(update={"embedding_model": "fake:story@8", "login_attempts_per_minute": 10_000})
    structlog.configure(wrapper_class=before)
