"""All agents by name, found by scanning this package's modules for their `AGENTS`."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from pathlib import Path

import agents
from agents.base import Agent, AgentSpec
from war_env.errors import unknown_name
from war_env.policy import get_policy, is_weights_path
from war_env.rules import Rules

_NOT_AGENTS = ("base", "registry")


@functools.cache
def agent_specs() -> dict[str, AgentSpec]:
    """Every agent of this package by name, in the order of their modules."""
    found: dict[str, AgentSpec] = {}
    for module in sorted(pkgutil.iter_modules(agents.__path__), key=lambda info: info.name):
        if module.ispkg or module.name in _NOT_AGENTS:
            continue
        for spec in importlib.import_module(f"agents.{module.name}").AGENTS:
            if spec.name in found:
                raise ValueError(f"two agents are called {spec.name!r}")
            found[spec.name] = spec
    return found


def agent_names() -> tuple[str, ...]:
    """Names of all agents."""
    return tuple(agent_specs())


def get_agent(name: str, rules: Rules, memory: bool = True) -> Agent:
    """An agent for some rules.

    Args:
        name: a name of the registry, or a path to exported weights.
        rules: the rules it will play under.
        memory: whether observations hold what an attentive player remembers.

    Raises:
        UnknownNameError: no such agent; the message lists those there are.
        RulesError: trained for other rules.
    """
    if is_weights_path(name):
        return Agent(Path(name).stem, f"exported weights {name}", get_policy("agent", name, rules, memory), True)
    spec = agent_specs().get(name)
    if spec is None:
        raise unknown_name("agent", name, [*agent_specs(), "<path to weights>.npz"])
    return Agent(spec.name, spec.description, spec.make(rules, memory), spec.is_trained)
