"""Texts and files from outside, damaged and hostile: a named error that says where, nothing executed, nothing lost.

Every reader of a file is in `READERS`. `WAR_ENV_FUZZ=1` tries fifty times as many damages.
"""

from __future__ import annotations

import ast
import io
import json
import os
import pickle
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.training.checkpoints import load_curve, load_state, save_state
from agents.training.league import League
from agents.training.playouts import Trials
from experiments.harness import Run, Settings, read_part, write_part
from experiments.play_casino import CasinoSession
from experiments.play_replay import replay
from war_env import CasinoRules, Game, get_rules
from war_env.errors import NotationError, WarEnvError
from war_env.files import MAX_TEXT, parsed_json, read_arrays
from war_env.layout import Layout
from war_env.policy import NetworkPolicy
from war_env.weights import load_network, save_network

ROOT = Path(__file__).parent.parent
IS_LONG = os.environ.get("WAR_ENV_FUZZ") == "1"
damaging = settings(
    max_examples=2_000 if IS_LONG else 40,
    deadline=None,
    derandomize=not IS_LONG,
    suppress_health_check=list(HealthCheck),
)
LAYOUT = Layout(get_rules("mini"))
STATE = {"steps": 3, "net": {"w": torch.arange(6.0).reshape(2, 3)}, "groups": [{"betas": (0.9, 0.999), "lr": 1e-3}]}


@dataclass
class Reader:
    """How a kind of file is written and read; what is read is compared where `is_sealed`, by a hash or a checksum."""

    files: tuple[str, ...]
    write: Callable[[Path], Any]
    read: Callable[[Path], Any]
    is_sealed: bool = False


def _network() -> NetworkPolicy:
    rng = np.random.default_rng(0)
    sizes = ((LAYOUT.size, 3), (3, 2))
    layers = [(rng.normal(size=s).astype(np.float32), rng.normal(size=s[1]).astype(np.float32)) for s in sizes]
    return NetworkPolicy(layers, False, {})


def _weights(folder: Path) -> Any:
    return [array.tobytes() for layer in load_network(folder / "a.npz").layers for array in layer]


def _played() -> Game:
    game = Game.deal(get_rules("mini"), 3)
    game.play([0, 1])
    game.play([1, 0])
    return game


def _casino() -> CasinoSession:
    session = CasinoSession(CasinoRules(packs=1), 1)
    for _ in range(3):
        session.step(session.legal_actions()[0])
    return session


def _trials(folder: Path) -> Any:
    trials = Trials.load(folder / "a.npz")
    return [getattr(trials, name).tobytes() for name in ("observations", "masks", "scores", "reference")]


def _write_trials(folder: Path) -> None:
    views, masks = np.ones((4, LAYOUT.size), np.float32), np.ones((4, 2), np.bool_)
    Trials(views, masks, np.ones((4, 2), np.float32), np.zeros(4, np.int64)).save(folder / "a.npz")


def _write_league(folder: Path) -> None:
    league = League(folder, LAYOUT)
    league.add(_network())
    league.add(_network())


def _league(folder: Path) -> Any:
    return [array.tobytes() for member in League(folder, LAYOUT).members for layer in member.layers for array in layer]


def _run(folder: Path) -> Any:
    return Run("test", Settings(out=folder), "test").config


READERS = {
    "record": Reader(
        ("a.json",),
        lambda folder: (folder / "a.json").write_text(json.dumps(_played().record())),
        lambda folder: replay(folder / "a.json", None),
    ),
    "casino record": Reader(
        ("a.json",),
        lambda folder: (folder / "a.json").write_text(json.dumps(_casino().record())),
        lambda folder: replay(folder / "a.json", None),
    ),
    "weights": Reader(
        ("a.npz", "a.json"), lambda folder: save_network(folder / "a.npz", _network(), LAYOUT), _weights, True
    ),
    "league": Reader(("member_0000.npz", "member_0001.json"), _write_league, _league, True),
    "checkpoint": Reader(
        ("a.npz",),
        lambda folder: save_state(folder / "a.npz", STATE),
        lambda folder: load_state(folder / "a.npz", str),
        True,
    ),
    "trials": Reader(("a.npz",), _write_trials, _trials, True),
    "curve": Reader(
        ("a.json",),
        lambda folder: (folder / "a.json").write_text(json.dumps([{"steps": 0, "x": 0.5}, {"steps": 9, "x": 0.25}])),
        lambda folder: load_curve(folder / "a.json", "steps"),
    ),
    "part of a run": Reader(
        ("a.json",),
        lambda folder: write_part(folder / "a.json", {"pairs": 3, "score": 1.5}),
        lambda folder: read_part(folder / "a.json"),
        True,
    ),
    "config of a run": Reader(("config.json",), _run, _run),
}
CASES = [(name, file) for name, reader in READERS.items() for file in reader.files]


@pytest.mark.parametrize(("name", "file"), CASES)
def test_a_damaged_file_is_a_named_error_or_reads_as_before(name: str, file: str, tmp_path: Path) -> None:
    """Cut at any place, bits turned over, pieces doubled, lost or replaced."""
    reader = READERS[name]
    reader.write(tmp_path)
    path = tmp_path / file
    whole, wanted = path.read_bytes(), reader.read(tmp_path)

    @damaging
    @given(data=st.data())
    def damage(data: st.DataObject) -> None:
        kind = data.draw(st.sampled_from(["cut", "flip", "lose", "double", "replace", "append"]))
        at = data.draw(st.integers(0, len(whole) - 1))
        count = data.draw(st.integers(1, 64))
        junk = data.draw(st.binary(min_size=1, max_size=64))
        damaged = {
            "cut": whole[:at],
            "flip": whole[:at] + bytes([whole[at] ^ 1 << count % 8]) + whole[at + 1 :],
            "lose": whole[:at] + whole[at + count :],
            "double": whole[: at + count] + whole[at:],
            "replace": whole[:at] + junk + whole[at + len(junk) :],
            "append": whole + junk,
        }[kind]
        path.write_bytes(damaged)
        with suppress(WarEnvError):
            found = reader.read(tmp_path)
            assert found == wanted or not reader.is_sealed
            if name.startswith("config"):
                return  # the same run goes on, and its config is written anew
        assert path.read_bytes() == damaged

    damage()
    path.unlink()
    if not (name.startswith("config") or name in ("curve", "league")):  # where no file is a fresh start
        with pytest.raises(WarEnvError, match="FileNotFoundError"):
            reader.read(tmp_path)


HOSTILE_TEXTS = [
    *("", " ", "nul", "NaN", "[" * 100_000, '{"a":' * 50_000, "9" * 5_000, '"\\ud800"', "\ufeff{}", "{'a': 1}"),
    *('{"format": 1, "format": 1}', "__import__('os').system('false')", "1e999", "[1,]", '{"__class__": "os"}'),
]


@pytest.mark.parametrize("name", [name for name, reader in READERS.items() if reader.files[-1].endswith(".json")])
def test_hostile_texts_are_named_errors(name: str, tmp_path: Path) -> None:
    reader = READERS[name]
    reader.write(tmp_path)
    for text in HOSTILE_TEXTS:
        (tmp_path / reader.files[-1]).write_text(text, encoding="utf-8", errors="surrogatepass")
        with pytest.raises(WarEnvError) as caught:
            reader.read(tmp_path)
        assert len(str(caught.value)) < 2_000
    (tmp_path / reader.files[-1]).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(WarEnvError):
        reader.read(tmp_path)


@pytest.mark.parametrize("name", [name for name, reader in READERS.items() if reader.files[-1].endswith(".json")])
@damaging
@given(data=st.data())
def test_values_of_any_type_in_any_place_are_named_errors(
    tmp_path_factory: Any, name: str, data: st.DataObject
) -> None:
    """One value somewhere in the JSON is replaced by any other, a key is dropped, or one is added."""
    reader, folder = READERS[name], tmp_path_factory.mktemp("file")
    reader.write(folder)
    path = folder / reader.files[-1]
    value = json.loads(path.read_text())
    place = value
    while isinstance(place, dict | list) and place:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not isinstance(place[key], dict | list) or not place[key] or data.draw(st.booleans()):
            break
        place = place[key]
    what = data.draw(st.sampled_from(["replace", "drop", "add"]))
    odd = st.sampled_from([None, True, -1, 1.5, 10**30, 1e300, "", "x" * 1_000, [], {}, [[[]]], {"a": 1}, 2**63])
    if what == "drop":
        del place[key]
    elif what == "add" and isinstance(place, dict):
        place[data.draw(st.text(max_size=5))] = data.draw(odd)
    else:
        place[key] = data.draw(odd)
    path.write_text(json.dumps(value))
    with suppress(WarEnvError):
        reader.read(folder)


class _Mark:
    """Unpickling it leaves a file behind."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def _with_header(shape: tuple[int, ...], data: bytes = b"") -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": shape})
    return file.getvalue() + data


@pytest.mark.parametrize("name", ["weights", "league", "checkpoint", "trials"])
def test_no_pickle_is_loaded_and_no_small_file_fills_the_memory(name: str, tmp_path: Path) -> None:
    """Pickles in and in place of arrays, members that lead out of the folder, shapes and sizes that are not there."""
    reader, mark = READERS[name], tmp_path / "executed"
    folder = tmp_path / "files"
    folder.mkdir()
    reader.write(folder)
    path = folder / reader.files[0]
    with zipfile.ZipFile(path) as archive:
        members = {member.filename: archive.read(member) for member in archive.infolist()}
    first = next(iter(members))

    def archived(changes: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", compression) as archive:
            for member, data in {**members, **changes}.items():
                archive.writestr(member, data)
        return file.getvalue()

    objects, tensors = io.BytesIO(), io.BytesIO()
    np.save(objects, np.array([_Mark(mark)], dtype=object), allow_pickle=True)
    torch.save({"steps": _Mark(mark)}, tensors)
    doubled = io.BytesIO(archived({}))
    with zipfile.ZipFile(doubled, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr(first, members[first])
    for hostile in (
        pickle.dumps(_Mark(mark)),
        tensors.getvalue(),
        objects.getvalue(),
        archived({first: objects.getvalue()}),
        archived({"data.pkl": pickle.dumps(_Mark(mark))}),
        archived({"../../executed.npy": members[first]}),
        archived({str(mark): members[first]}),
        archived({first: _with_header((10**15,))}),
        archived({first: _with_header((2**62, 2**62))}),
        archived({first: _with_header((-1,))}),
        archived({first: _with_header((2**26,), bytes(2**28)) if IS_LONG else _with_header((2**22,), bytes(2**24))}, 8),
        archived({first: b"\x93NUMPY\x09\x00" + bytes(100)}),
        doubled.getvalue(),
        b"",
    ):
        path.write_bytes(hostile)
        start = time.monotonic()
        with pytest.raises(NotationError):
            reader.read(folder)
        assert time.monotonic() - start < 10
        assert not mark.exists()
        assert path.read_bytes() == hostile
        assert {entry.name for entry in tmp_path.iterdir()} == {"files"}


def test_arrays_are_limited_before_they_are_unpacked(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "a.npz", a=np.zeros(2**20))
    assert read_arrays(tmp_path / "a.npz", "arrays")["a"].shape == (2**20,)
    with pytest.raises(NotationError, match="take 8388736 bytes, at most 1000000 are read"):
        read_arrays(tmp_path / "a.npz", "arrays", most=1_000_000)
    with pytest.raises(NotationError, match=r"a member is called 'a\.npy'"):
        read_arrays(tmp_path / "a.npz", "arrays", names={"b"}.__contains__)


def test_endless_and_odd_files_are_read_within_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device without an end, a folder, a name that cannot be one."""
    monkeypatch.setattr("war_env.files.MAX_TEXT", 1_000_000)
    for path in ("/dev/zero", str(tmp_path), "a\0b", "x" * 5_000, "\ud800"):
        with pytest.raises(NotationError, match="replay="):
            replay(Path(path), None)
    with pytest.raises(NotationError, match="has 1000001 characters: at most 1000000 are read"):
        parsed_json(" " * 1_000_001, "record")
    assert MAX_TEXT > 1_000_000


def test_a_damaged_part_says_how_to_go_on(tmp_path: Path) -> None:
    write_part(tmp_path / "parts" / "a.json", [1, 2])
    path = tmp_path / "parts" / "a.json"
    path.write_text(path.read_text().replace("2", "3", 1))
    with pytest.raises(NotationError, match="Remove this file, and the same command computes it anew"):
        read_part(path)


def test_nothing_in_the_sources_loads_a_pickle_or_runs_text() -> None:
    """Neither pickle nor torch.load, np.load and the loaders of other packages that unpickle, nor eval and exec.

    But for the tasks that a run hands to its own cluster, which come from no file.
    """
    forbidden = {("torch", "load"), ("np", "load"), ("joblib", "load"), ("pd", "read_pickle"), ("yaml", "load")}
    for folder in ("war_env", "agents", "experiments"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    names = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
                    found = {"pickle", "cloudpickle", "shelve", "dill", "marshal"} & set(names)
                    assert not found or path == ROOT / "experiments" / "clusters.py", path
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    assert node.func.id not in ("eval", "exec"), path
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    assert (node.value.id, node.attr) not in forbidden, path
                    assert not (node.attr == "load" and node.value.id in ("PPO", "MaskablePPO", "A2C", "DQN")), path
