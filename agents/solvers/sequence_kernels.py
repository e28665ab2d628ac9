"""Kernels over the sequence form: plans from strategies, best responses, regret matching.

A seat's information sets are numbered so that earlier ones come first; `parent`, `first` and `actions` are those of
`SeatForm`. A *plan* gives each sequence the probability that the seat's own choices play it, 1 for the empty one.
"""

from __future__ import annotations

from war_env._jit import entry


@entry
def plan_of(parent, first, actions, strategy, scale, plan):
    """Write the plan of a strategy, both by sequence; `scale` is the empty sequence's value."""
    plan[0] = scale
    for k in range(parent.size):
        for sequence in range(first[k], first[k] + actions[k]):
            plan[sequence] = plan[parent[k]] * strategy[sequence]


@entry
def add_payoffs(starts, others, payoffs, plan, values):
    """Write what each sequence of one seat is worth against the other seat's plan, what follows left out.

    Args:
        starts: where each sequence's terminal pairs begin, int64, shape (sequences + 1,).
        others, payoffs: the other seat's sequence and the payoff of each pair.
        plan: the other seat's plan.
        values: shape (sequences,), written.
    """
    for sequence in range(values.size):
        total = values[0] * 0
        for k in range(starts[sequence], starts[sequence + 1]):
            total += payoffs[k] * plan[others[k]]
        values[sequence] = total


@entry
def best_values(parent, first, actions, values, choices):
    """Add to each sequence what the best play behind it is worth, and note the best action of each set.

    Args:
        parent, first, actions: the seat's information sets.
        values: as `add_payoffs` writes them, changed; `values[0]` becomes the best response's value.
        choices: int64, shape (sets,), written: the best action, the lowest of equal ones.
    """
    for back in range(parent.size):
        k = parent.size - 1 - back
        best, choice = values[first[k]], 0
        for action in range(1, actions[k]):
            if values[first[k] + action] > best:
                best, choice = values[first[k] + action], action
        choices[k] = choice
        values[parent[k]] += best


@entry
def match_regrets(parent, first, actions, values, regrets, strategy, foresight):
    """One step of regret matching plus: add regrets under the present strategy, then make the next strategy.

    Args:
        parent, first, actions: the seat's information sets.
        values: as `add_payoffs` writes them, float64, changed.
        regrets: float64, shape (sequences,), changed; never negative.
        strategy: float64, shape (sequences,), changed.
        foresight: how often the last step's regret counts again in the next strategy, float64: 0, or 1 to predict
            that it returns.
    """
    for back in range(parent.size):
        k = parent.size - 1 - back
        start, stop = first[k], first[k] + actions[k]
        mean = 0.0
        for sequence in range(start, stop):
            mean += strategy[sequence] * values[sequence]
        values[parent[k]] += mean
        if stop - start == 1:
            continue
        total = 0.0
        for sequence in range(start, stop):
            regret = values[sequence] - mean
            regrets[sequence] = max(regrets[sequence] + regret, 0.0)
            strategy[sequence] = max(regrets[sequence] + foresight * regret, 0.0)
            total += strategy[sequence]
        for sequence in range(start, stop):
            strategy[sequence] = strategy[sequence] / total if total > 0.0 else 1.0 / (stop - start)
