"""Networks in torch, and the layers that NumPy plays from."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from torch import nn


def multilayer(size: int, hidden: tuple[int, ...], slots: int) -> nn.Sequential:
    """From observations of `size` numbers through hidden layers, ReLU, to the logits of so many slots."""
    widths = (size, *hidden)
    parts = [part for pair in pairwise(widths) for part in (nn.Linear(*pair), nn.ReLU())]
    return nn.Sequential(*parts, nn.Linear(widths[-1], slots))


def layers_of(net: Iterable[nn.Module]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Copies of the linear layers: weights, float32 (in, out), and biases, float32 (out,), for `NetworkPolicy`."""
    linear = [layer for layer in net if isinstance(layer, nn.Linear)]
    return [(layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy()) for layer in linear]
