"""``penstock explain --profile``: what a profile sets, next to the defaults."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from penstock import _core
from penstock.errors import InputError
from penstock.explained import differences, profile_page
from penstock.reference import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator

SCENARIO = """
duration = "10 s"

[nodes]
a = {}
b = {}

[[links]]
from = "a"
to = "b"
rate = "10 Mbit/s"
delay = "5 ms"
both-ways = true
queue.tail-drop = { limit = "20 packets" }

[[flows]]
name = "bulk"
from = "a"
to = "b"
source.ftp = {}
transport.tcp = SETTINGS
"""


def profiles() -> list[str]:
    tcp = next(each for each in catalogue()["components"]["transport"] if each["name"] == "tcp")
    return [each["name"] for each in tcp["profiles"]]


def test_a_profile_is_a_table_of_differences():
    rows = {row["path"]: row for row in differences("tcp", "linux-6")}
    assert (rows["min-rto"]["default"], rows["min-rto"]["value"]) == ("1 s", "200 ms")
    assert (rows["congestion-control.cubic.hystart"]["default"], rows["congestion-control.cubic.hystart"]["value"]) == (
        "false",
        "true",
    )
    assert rows["quick-acks"]["unless"] == "ack-every = 1"
    text = profile_page("tcp", "linux-6")
    assert "| `min-rto` | 1 s | 200 ms |" in text
    assert "| `recovery` | left out | " in text
    assert "All parameters have their defaults." in profile_page("tcp", "rfc")


def test_every_setting_of_a_profile_differs_from_the_default():
    for profile in profiles():
        assert all(row["default"] != row["value"] for row in differences("tcp", profile)), profile


def test_the_command_has_the_same(penstock):
    code, out, _ = penstock("explain", "tcp", "--profile", "ns-2")
    assert code == 0
    assert "| `max-window` | 1000 packets | 20 packets |" in out
    code, out, _ = penstock("explain", "tcp", "--profile", "ns-2", "--format", "json")
    assert json.loads(out)["settings"] == differences("tcp", "ns-2")


@pytest.mark.parametrize(
    ("name", "profile", "message"),
    [
        ("tcp", "linux-5", "tcp has no profile 'linux-5'; "),
        ("udp", "linux-6", "'udp' has no profiles (tcp has)"),
        ("nothing", "linux-6", "'nothing' has no profiles (tcp has)"),
    ],
)
def test_unknown_profiles_are_refused(name, profile, message):
    with pytest.raises(InputError) as error:
        profile_page(name, profile)
    assert message in str(error.value)


@pytest.mark.parametrize("profile", ["linux-6", "linux-4", "ns-2"])
def test_a_profile_gives_the_same_run_as_its_settings(profile):
    """Written out, the settings have the results that the profile has. Some are refused without marks."""
    written = dict(_written(differences("tcp", profile)))
    assert _digest({"profile": profile, "ecn": "true"}) == _digest({**written, "ecn": "true"})


def _written(rows: list[dict[str, str]]) -> Iterator[tuple[str, object]]:
    """The parameters as a scenario has them, without settings of components that the profile does not choose."""
    names = {row["path"]: row["value"] for row in rows if "." not in row["path"]}
    for key, value in names.items():
        below = f"{key}.{value}."
        inner = {row["path"].removeprefix(below): row["value"] for row in rows if row["path"].startswith(below)}
        yield key, {value: inner} if inner else value


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + " }"
    text = str(value)
    return text if re.fullmatch(r"true|false|[0-9.]+", text) else f'"{text}"'


def _digest(tcp: dict[str, object]) -> str:
    return _core.Scenario(SCENARIO.replace("SETTINGS", _toml(tcp))).run(1, 0).digest
