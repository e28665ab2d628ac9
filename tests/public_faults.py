"""Faults of other projects that are public, and where their kind is shown to be right here.

A test shows a fault by naming its reference, as it stands below, in its docstring. docs/faults.md is made from both.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).parent
GITHUB = "https://github.com/"
_OWNERS = {
    "Gymnasium": "Farama-Foundation/Gymnasium",
    "PettingZoo": "Farama-Foundation/PettingZoo",
    "stable-baselines3": "DLR-RM/stable-baselines3",
    "sb3-contrib": "Stable-Baselines-Team/stable-baselines3-contrib",
    "ray": "ray-project/ray",
    "rliable": "google-research/rliable",
    "KataGo": "lightvector/KataGo",
    "poke-env": "hsahovic/poke-env",
    "TEALS-IntroCS": "TEALS-IntroCS/2nd-semester-introduction-to-computer-science-principles",
    "AlphaNLHoldem": "bupticybee/AlphaNLHoldem",
}


@dataclass(frozen=True)
class Fault:
    """A fault elsewhere.

    Attributes:
        reference: how docstrings name it: `project#number`, `owner/project#number`, or the page's address.
        happened: what happened there.
        ours: what is shown here.
    """

    reference: str
    happened: str
    ours: str

    @property
    def url(self) -> str:
        """Where it can be read."""
        project, _, number = self.reference.partition("#")
        if "." in project.split("/")[0]:
            return f"https://{self.reference}"
        project = _OWNERS.get(project, project)
        return f"{GITHUB}{project}/issues/{number}" if number else f"{GITHUB}{project}"


SUBJECTS: dict[str, tuple[Fault, ...]] = {
    "The rules of War": (
        Fault("mathias-brandewinder/wonderland-fsharp-katas#5", "the game never ends", "every deal ends"),
        Fault(
            "mathoverflow.net/questions/11503",
            "with a fixed order of the winnings some deals go on for ever",
            "a loop is found and reported with its least period",
        ),
        Fault("WebDevSimplified/War-Card-Game#2", "nothing but ties, and the game hangs", "equal cards alone: a draw"),
        Fault("gigasquid/wonderland-clojure-katas#129", "suits break ties", "suits never matter"),
        Fault("gigasquid/wonderland-clojure-katas#135", "running out in a war is undefined", "six named rules for it"),
        Fault("TEALS-IntroCS#111", "one pass or to the end, and what of a last tie?", "one pass: 26 comparisons"),
        Fault("bsamaripa/Wonderland-Scala-Katas#3", "each player gets a full deck", "a deal is one deck"),
        Fault(
            "forum.snap.berkeley.edu/t/18238",
            "players end with more cards than there are, the first always wins",
            "cards are conserved, seats are fair",
        ),
        Fault("calebonesimus/war-game-ts", "a low pair starts a war under a king", "the king wins at once"),
        Fault("strikaza/WarGame", "the pot of a war that cannot be paid is lost", "every card is somewhere, always"),
        Fault("cameronabrams/War", "won cards are played next", "won cards go to the bottom"),
        Fault("ZeeGabByte/War-cards-game-simulation", "running out empties both hands", "no card is lost"),
        Fault("rosettacode.org/wiki/War_Card_Game", "cards on the table vanish at the end", "no card is lost"),
        Fault("hectorpefo.github.io/2017-09-13-Card-Wars", "published win rates of four aces", "the same rates here"),
        Fault("cardgames.io", "users ask for games that can be replayed", "records give the same game again"),
    ),
    "Gymnasium and its vectors": (
        Fault("Gymnasium#1103", "the final observation went missing", "the layout of infos in every autoreset mode"),
        Fault("Gymnasium#1227", "three autoreset modes, vaguely told", "all three equal SyncVectorEnv's"),
        Fault("Gymnasium#1265", "no autoreset wanted", "finished rows refuse steps until they are reset"),
        Fault("Gymnasium#1084", "reset() after reset(seed) is not repeatable", "seeds repeat whole series of episodes"),
        Fault("Gymnasium#1207", "the same with a seed per environment", "seeds repeat whole series of episodes"),
        Fault("Gymnasium#1681", "a checker passes where buffers are reused", "every array is fresh"),
        Fault("Gymnasium#1705", "generators drift apart unseen", "equal runs leave equal generators"),
        Fault("Gymnasium#1164", "AsyncVectorEnv gives another structure", "processes give what one process gives"),
        Fault("Gymnasium#1341", "rewards and flags are NumPy's", "Python's own float and bool"),
        Fault("Gymnasium#1011", "payoffs of a card game are disputed", "one table of payoffs, tested"),
        Fault("Gymnasium#126", "`play()` fails without pixels", "`play()` works by keys"),
        Fault("openai/gym#2883", "an environment cannot be pickled", "pickled ones go on identically"),
        Fault("openai/gym#625", "the fast vector class is not used", "`make_vec` gives it unasked"),
        Fault("openai/gym#3115", "stepping past the end gives nonsense", "a named error"),
        Fault("openai/gym#1879", "naturals pay wrong", "one table of payoffs, tested"),
        Fault("openai/gym#427", "the reset state is not the first", "the first observation is the first decision's"),
        Fault("openai/gym#2906", "masks of the wrong type are ignored", "int8 for spaces, bool for sb3-contrib"),
        Fault("openai/gym#2658", "a display is opened without rendering", "nothing is loaded that is not used"),
        Fault("openai/gym#2345", "ids collide", "ids, versions and near misses are told"),
        Fault("openai/gym#3087", "which score is good?", "reference scores on the first screen"),
    ),
    "PettingZoo": (
        Fault(
            "PettingZoo#551", "Dict observations with a mask break wrappers", "a flat view, its mask in the infos too"
        ),
        Fault("PettingZoo#1038", "masks must be int8", "its own tests pass"),
        Fault("PettingZoo#1067", "a recipe for self-play with masks is wanted", "one of thirty lines, run by a test"),
        Fault(
            "PettingZoo#1147", "the agent of the tutorial loses to random", "the shipped agents beat it, in both seats"
        ),
        Fault("PettingZoo#1380", "text was dropped when pixels came", "text, pixels and a window"),
        Fault("pytorch/rl#3702", "masks break when agents leave", "masks for the living alone"),
    ),
    "stable-baselines3 and sb3-contrib": (
        Fault("stable-baselines3#1568", "Gymnasium's vectors are no VecEnv", "an adapter that learns"),
        Fault("stable-baselines3#2180", "the same", "an adapter that learns"),
        Fault("stable-baselines3#1795", "np.bool_ flags are refused", "its checker passes"),
        Fault("stable-baselines3#1682", "saved spaces cannot be unpickled later", "weights are plain arrays and JSON"),
        Fault("stable-baselines3#870", "evaluation goes on normalising", "observations are bounded, no normaliser"),
        Fault("stable-baselines3#932", "a dtype differs from the space's", "every observation lies in its space"),
        Fault("stable-baselines3#957", "many short learn() calls", "one call, opponents renewed inside"),
        Fault("stable-baselines3#1588", "gym and gymnasium are mixed", "gymnasium alone"),
        Fault("sb3-contrib#212", "prediction without masks plays illegal moves", "no illegal action in 300 episodes"),
        Fault("sb3-contrib#226", "evaluation without masks", "no illegal action in 300 episodes"),
        Fault("sb3-contrib#81", "masked probabilities fail their own check", "100,000 steps with the check on"),
        Fault("sb3-contrib#72", "no example with masks", "examples that tests run"),
        Fault("sb3-contrib#250", "a recipe for several masked agents is wanted", "one of thirty lines, run by a test"),
    ),
    "Self-play and comparisons": (
        Fault("hsahovic/poke-env#160", "an opponent sees the learner's view", "each seat sees its own"),
        Fault("ray#32382", "a win rate of unequal lists", "rates of whole pairs, with their number"),
        Fault(
            "araffin/rl-baselines-zoo#38", "a published table is of one seed", "five seeds, their spread, a row each"
        ),
        Fault("ray#6669", "a pool of opponents is wanted", "a league on disk, drawn evenly"),
        Fault(
            "Unity-Technologies/ml-agents#1070",
            "who beats the last self loses to those before",
            "past selves are drawn evenly; agents of a circle share a rank",
        ),
        Fault("google-deepmind/open_spiel#667", "no games with seats swapped", "every deal is played twice"),
        Fault("andy-k/wolges#13", "pairs of games lower the variance", "every deal is played twice"),
        Fault("KataGo#449", "overlapping intervals are read as a rank", "they share a rank"),
        Fault("robmarcer/ant-colony-rts#5", "a mirror match must stand at one half", "it does"),
        Fault("rliable#32", "what is resampled?", "pairs, as the intervals say"),
        Fault(
            "google-deepmind/open_spiel#75",
            "simultaneous moves need mixed play",
            "exact equilibria and what beats them",
        ),
        Fault("google-deepmind/open_spiel#79", "win or points?", "three rewards, by name"),
        Fault(
            "aicenter/openspiel_reproductions#1", "an asymmetric game taken as symmetric", "swapped seats swap results"
        ),
    ),
    "Card-game toolkits": (
        Fault(
            "datamllab/rlcard#113", "how to seed is not said", "equal seeds, equal games; said in docs/environments.md"
        ),
        Fault("datamllab/rlcard#332", "the payoff alone says too little", "which card each agent plays, by phase"),
        Fault("datamllab/rlcard#81", "a game shipped unstable", "every preset has its golden games"),
        Fault("AlphaNLHoldem#2", "rules differ from the standard", "every preset names its rules and source"),
    ),
    "numba": (
        Fault("numba/numba#10033", "import fails with a newer NumPy", "ours does not; the message reaches the user"),
        Fault("numba/numba#7715", "its generator is not NumPy's", "compiled and plain Python agree bit for bit"),
        Fault("numba/numba#10486", "forks and the cache clash", "processes, forked and spawned"),
    ),
}
FAULTS = tuple(fault for group in SUBJECTS.values() for fault in group)


def docstrings() -> dict[tuple[str, str], str]:
    """The docstring of every test, by its file and name."""
    found = {}
    for path in sorted(TESTS.glob("test_*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found[path.name, node.name] = " ".join((ast.get_docstring(node) or "").split())
    return found


def shown_by(fault: Fault, texts: dict[tuple[str, str], str]) -> list[tuple[str, str]]:
    """The tests that name a fault."""
    return [test for test, text in texts.items() if _names(text, fault.reference)]


def _names(text: str, reference: str) -> bool:
    """Whether a text holds the reference, not as the start of a longer one."""
    start = text.find(reference)
    while start >= 0:
        after = text[start + len(reference) :][:1]
        if not after.isalnum():
            return True
        start = text.find(reference, start + 1)
    return False


def faults_table() -> str:
    """The page's tables, one for each subject."""
    texts, parts = docstrings(), []
    for subject, faults in SUBJECTS.items():
        rows = ["", f"## {subject}", "", "| there | what happened | here | shown by |", "|---|---|---|---|"]
        for fault in faults:
            tests = ", ".join(f"`{name}` in {file}" for file, name in shown_by(fault, texts))
            rows.append(f"| [{fault.reference}]({fault.url}) | {fault.happened} | {fault.ours} | {tests} |")
        parts += rows
    return "\n".join(parts[1:])
