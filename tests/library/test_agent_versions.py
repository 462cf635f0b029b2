"""What changed between two versions of an agent."""

from veraz.library.agent_versions import SettingChange, differences


def test_a_difference_names_the_setting_before_and_after() -> None:
    found = differences({"name": "Luna", "model": None}, {"name": "Sol", "model": None})
    assert found == [SettingChange(field="name", before="Luna", after="Sol")]


def test_knobs_of_the_search_are_compared_one_by_one_with_their_defaults() -> None:
    found = differences({"retrieval": {}}, {"retrieval": {"top_k": 12, "similarity_threshold": 0.7}})
    assert found == [SettingChange(field="retrieval.top_k", before=8, after=12)]


def test_a_setting_that_is_newer_than_a_version_is_a_difference_too() -> None:
    assert differences({}, {"colour": "red"}) == [SettingChange(field="colour", before=None, after="red")]
