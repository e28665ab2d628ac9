"""The scripted agents: the compiled policies of the environments under the same names."""

from __future__ import annotations

from functools import partial

from agents.base import AgentSpec
from war_env.layout import Layout
from war_env.policy import Policy, ScriptedPolicy
from war_env.policy_names import SCRIPTED
from war_env.rules import Rules


def _make(name: str, rules: Rules, memory: bool) -> Policy:
    return ScriptedPolicy(name, Layout(rules, memory))


AGENTS = [AgentSpec(name, description, partial(_make, name)) for name, description in SCRIPTED.items()]
