"""How a knowledge base cuts and embeds: defaults, JSON and refusals."""

import pytest

from veraz.errors import Invalid
from veraz.library.configs import EmbeddingConfig
from veraz.providers.embedding.base import Space


def test_an_embedding_configuration_names_its_space() -> None:
    assert EmbeddingConfig().space_name == "local:use-multilingual-v3"
    config = EmbeddingConfig.from_json(
        {"provider": "openai", "model": "text-embedding-3-small", "dimensions": 1536}
    )
    assert config.space_name == "openai:text-embedding-3-small@1536"
    assert EmbeddingConfig.from_json(config.to_json()) == config


def test_a_custom_provider_is_any_server_that_speaks_openai() -> None:
    assert EmbeddingConfig(provider="custom", model="x", dimensions=8).provider == "openai_compatible"


def test_an_embedder_fills_in_what_was_not_said() -> None:
    space = Space(provider="local", model="use-multilingual-v3", dimensions=512)
    assert EmbeddingConfig.named(space).dimensions == 512
    assert EmbeddingConfig(batch_size=10).resolved(space) == EmbeddingConfig(dimensions=512, batch_size=10)


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"provider": ""}, "provider"),
        ({"dimensions": 5000}, "dimensions"),
        ({"batch_size": 0}, "batch_size"),
        ({"concurrent_batches": True}, "concurrent_batches"),
        ({"modle": "x"}, "embedding_config.modle"),
    ],
)
def test_a_wrong_value_is_refused_by_name(value: dict[str, object], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        EmbeddingConfig.from_json(value)
    assert refused.value.context["field"] == field
