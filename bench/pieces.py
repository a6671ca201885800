"""Both comparisons with other loaders, in pieces of a few minutes: an idle machine is easier to have for
five minutes than for half an hour. What a piece measured is kept in the work folder.

    ./dev bench python --piece prepare    # outputs are compared, variants chosen
    ./dev bench python --piece round      # one round of all; five times
    ./dev bench python --piece publish    # the figures of peers and python, of rounds that were undisturbed
"""
import dataclasses
import json

import peers
from harness import ProgramFailed, say
from loader import Contender, measure_round

MIN_ROUNDS = 3


def setup_of(options):
    """Half the epochs of a whole run: a round has to fit into five minutes."""
    return dataclasses.replace(peers.setup_of(options), epochs=2)


def folder_of(options):
    return options.work / "pieces"


def prepare(options):
    setup = setup_of(options)
    others, names = peers.peers_of(options, setup)
    contenders, differences = peers.prepare(
        setup, [peers.ours_in_cpp(setup), *peers.ours_in_python(options, setup), *others])
    folder = folder_of(options)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("round-*.json"):
        old.unlink()
    stored = [{**dataclasses.asdict(one), "command": [str(part) for part in one.command]}
              for one in contenders]
    (folder / "prepared.json").write_text(json.dumps(
        {"contenders": stored, "differences": differences, "names": {"qanat": "Qanat", **names}}, indent=1))
    for one in contenders:
        say(f"{one.name}: {one.missing or ' '.join(map(str, one.command[2:]))}")


def read_prepared(options):
    try:
        prepared = json.loads((folder_of(options) / "prepared.json").read_text())
    except FileNotFoundError:
        raise ProgramFailed("nothing is prepared; try --piece prepare") from None
    return [Contender(**one) for one in prepared["contenders"]], prepared


def measure(options, watch):
    """One round more."""
    contenders, _ = read_prepared(options)
    peers.ours_in_python(options, setup_of(options))  # names the library to its programs
    number = len(list(folder_of(options).glob("round-*.json")))
    lines = measure_round(setup_of(options), [one for one in contenders if one.missing is None], number)
    others = watch.others_cores()
    (folder_of(options) / f"round-{number}.json").write_text(
        json.dumps({"lines": lines, "others_cores": others}))
    say(f"round {number + 1}: other programs kept {others:.2f} cores busy")


def merge(options, idle):
    """({part: (figures, names)}, raw, cores that others kept busy), of rounds with at most `idle`."""
    contenders, prepared = read_prepared(options)
    rounds = [json.loads(path.read_text()) for path in sorted(folder_of(options).glob("round-*.json"))]
    quiet = [one for one in rounds if one["others_cores"] <= idle] if options.publish == "idle" else rounds
    say(f"{len(quiet)} of {len(rounds)} rounds count")
    if len(quiet) < MIN_ROUNDS:
        raise ProgramFailed(f"{len(quiet)} undisturbed rounds; expected {MIN_ROUNDS}; try --piece round")
    lines = {key: [line for one in quiet for line in one["lines"][key]] for key in quiet[0]["lines"]}
    figures, raw = peers.summarise(contenders, prepared["differences"], lines)
    names = prepared["names"]
    return ({"peers": (peers.peers_figures({key: row for key, row in figures.items()
                                            if not key.startswith("python")}), names),
             "python": (peers.python_figures(figures, raw), names)},
            raw, max(one["others_cores"] for one in quiet))
