"""All agents by name, found by scanning this package's modules for their `AGENTS`."""

from __future__ import annotations

import functools
import hashlib
import importlib
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import agents
from agents.base import Agent, AgentSpec
from war_env.errors import ArgumentError, WarEnvError, checked_bool, refused, shown, unknown_name
from war_env.rules import Rules, checked_rules
from war_env.weights import get_policy, is_weights_path, weight_paths

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
    checked_rules(rules)
    checked_bool("memory", memory)
    if is_weights_path(name):
        return Agent(Path(name).stem, f"exported weights {name}", get_policy("agent", name, rules, memory), True)
    spec = agent_specs().get(name) if isinstance(name, str) else None
    if spec is None:
        raise unknown_name("agent", name, [*agent_specs(), "<path to weights>.npz"])
    return Agent(spec.name, spec.description, spec.make(rules, memory), spec.is_trained)


def fitting_agents(rules: Rules) -> list[Agent]:
    """Every agent that can play under some rules and is made within seconds, in the order of the registry."""
    checked_rules(rules)
    found = []
    for name, spec in agent_specs().items():
        if not spec.is_quick(rules):
            continue
        try:
            found.append(get_agent(name, rules))
        except WarEnvError:  # made for other rules, not trained yet, or files that cannot be read
            continue
    return found


def strongest_agent(rules: Rules) -> Agent:
    """The strongest of the agents that are made within seconds.

    Exact play where the game is small enough, else a champion made for these rules, the agent that the benchmark
    trained for them, or reserve.
    """
    by_name = {agent.name: agent for agent in fitting_agents(rules)}
    champions = sorted(name for name in by_name if name.startswith("champion"))
    return next(by_name[name] for name in ("equilibrium", *champions, "trained", "reserve") if name in by_name)


@dataclass(frozen=True)
class Entry:
    """An agent as it takes part in a comparison.

    Attributes:
        title: how tables call it.
        name: scripted name, or path to the weights that `title` stands for now.
        identity: what decides its play: the name, or the hash of its weights and of what is said of them.
    """

    title: str
    name: str
    identity: str


def get_entry(name: str, rules: Rules) -> Entry:
    """Who takes part under a name, fixed now: later changes of files or of what `trained` means do not change it.

    Raises:
        UnknownNameError, RulesError, NotationError: as for `get_agent`.
    """
    get_agent(name, rules)
    if is_weights_path(name):
        return Entry(Path(name).stem, name, _identity(Path(name)))
    weights = agent_specs()[name].weights
    if weights is None:
        return Entry(name, name, name)
    return Entry(name, str(weights(rules)), _identity(weights(rules)))


def _identity(path: Path) -> str:
    digest = hashlib.sha256()
    for part in weight_paths(path):
        digest.update(part.read_bytes())
    return digest.hexdigest()[:16]


def get_entries(names: Sequence[str], rules: Rules) -> list[Entry]:
    """Several who take part; those whose files are called alike are told apart by their folders.

    Raises:
        ArgumentError: fewer than two, or one of them twice.
    """
    if not isinstance(names, list | tuple):
        raise refused("agents", names, "a list of names")
    entries = [get_entry(name, rules) for name in names]
    titles = [entry.title for entry in entries]
    entries = [
        replace(entry, title=f"{Path(entry.name).parent.name}/{entry.title}")
        if titles.count(entry.title) > 1 and is_weights_path(entry.name)
        else entry
        for entry in entries
    ]
    if len(entries) < 2 or len({entry.title for entry in entries}) < len(entries):
        raise ArgumentError(
            f"agents={shown([entry.title for entry in entries])} is not allowed: name at least two, each once."
        )
    return entries
