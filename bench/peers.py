"""Our loader, in C++ and as Python has it, against the newest loaders of others: one job, one corpus.

As in loader.py: log-mel is compared before anything is timed, every program is a fresh process, and they
run in turn. A peer with variants is measured with the one that was fastest in a short run.
"""
import dataclasses
import os
import sys

import peer_env
from equal import largest_difference, read_dump
from harness import PYTHON, ProgramFailed, Spread, missing_modules, run_lines, say
from loader import (DUMPED, HERE, Contender, epoch_figures, full_setup, make_corpus, measure_epochs,
                    quick_setup, ratio, warm_page_cache)

# Other FFTs in float32: under loud frames, bands near the floor are off by up to this, whatever the FFT.
TOLERANCE = 4e-3
HOLD = 0.9  # of the time another thread has Python's lock


def script(python, name, setup):
    return [python, HERE / "loaders" / f"{name}_loader.py", "--corpus", setup.corpus]


def environments(options):
    return options.work.resolve().parent


def peers_of(options, setup):
    """(contenders, {key: name with version}); a contender that cannot run says why."""
    made, names = [], {}
    for peer in peer_env.PEERS:
        version, missing = peer_env.look_at(environments(options), peer)
        names[peer.key] = f"{peer.name} {version}" if version else peer.name
        made.append(Contender(peer.key, names[peer.key],
                              script(peer_env.python_of(environments(options), peer), peer.key, setup),
                              missing))
    return made, names


def ours_in_cpp(setup):
    return Contender("qanat", "Qanat", [setup.bin / "qanat_loader_bench", "epochs", "--corpus",
                                        setup.corpus, "--workers", 2], longer=3)


def ours_in_python(options, setup):
    """Without and with a thread that keeps Python's lock."""
    library = (options.bin / ".." / "lib" / "libqanat.so").resolve()
    os.environ["QANAT_LIBRARY"] = str(library)
    own = peer_env.python_of(environments(options), peer_env.PEERS[0])
    python = own if own.exists() else PYTHON
    missing = None if library.exists() else f"{library.name} is not built"
    if python == PYTHON:
        missing = missing or missing_modules("numpy")
    command = script(python, "qanat", setup)
    return [Contender("python", "qanat.Loader", command, missing, longer=3),
            Contender("python_held", "qanat.Loader, lock held 90 %", [*command, "--hold", HOLD], missing,
                      longer=3)]


def check_equal(setup, contenders):
    """{key: largest difference from the first}. A contender that fails or differs becomes missing."""
    say("checking that all make the same log-mel")
    dumps, checked, differences = {}, [], {}
    for one in contenders:
        reason = one.missing
        if reason is None:
            path = setup.work / f"{one.key}.dump"
            try:
                run_lines([*one.command, "--epochs", 1, "--dump", path, "--dump-limit", DUMPED])
                dumps[one.key] = read_dump(path)
                path.unlink()
                differences[one.key] = largest_difference(next(iter(dumps.values())), dumps[one.key])
                if differences[one.key] > TOLERANCE:
                    reason = f"its log-mel is another one: off by {differences[one.key]:.3g}"
            except ProgramFailed as failure:
                reason = str(failure).strip().splitlines()[-1]
        checked.append(dataclasses.replace(one, missing=reason))
    if checked[0].missing:
        raise ProgramFailed(f"{checked[0].name}: {checked[0].missing}")
    return checked, differences


def choose_variants(setup, contenders):
    """Each peer as it is fastest, by a short run of every variant."""
    variants = {peer.key: peer.variants for peer in peer_env.PEERS}
    chosen = []
    for one in contenders:
        choices = [[*one.command, *choice] for choice in variants.get(one.key, ((),))]
        if one.missing is None and len(choices) > 1:
            say(f"{one.name}: which of {len(choices)} variants is fastest")
            rates = []
            for command in choices:
                try:
                    lines = run_lines([*command, "--epochs", min(3, setup.epochs)])
                    rates.append(max(line["utterances"] / line["wall_s"] for line in lines[1:]))
                except ProgramFailed as failure:
                    say(f"{' '.join(map(str, command[-2:]))}: {str(failure).strip().splitlines()[-1]}")
                    rates.append(0.0)
            choices = [choices[rates.index(max(rates))]]
        chosen.append(dataclasses.replace(one, command=choices[0]))
    return chosen


def prepare(setup, contenders):
    """(contenders in their fastest variants, {key: largest difference of log-mel})"""
    make_corpus(setup)
    warm_page_cache(setup)
    contenders, differences = check_equal(setup, contenders)
    return choose_variants(setup, contenders), differences


def summarise(contenders, differences, lines):
    """(figures by contender, raw) of what all rounds printed."""
    running = [one for one in contenders if one.missing is None]
    skipped = {one.name: one.missing for one in contenders if one.missing is not None}
    figures = {key: epoch_figures(values) for key, values in lines.items()}
    print(f"{'':36}{'utterances/s':>22}{'per CPU-second':>22}{'first batch ms':>20}{'padding':>9}")
    for one in running:
        row = figures[one.key]
        print(f"{one.name:36}{row['utt_per_s'].text():>22}{row['utt_per_cpu_s'].text():>22}"
              f"{row['first_batch_ms'].text():>20}{row['padding'].median:>9.1%}")
    for name, reason in skipped.items():
        print(f"{name:36}skipped: {reason}")
    sys.stdout.flush()
    return figures, {"skipped": skipped, "largest_mel_difference": differences, "epochs": lines,
                     "commands": {one.key: [str(part) for part in one.command[1:]] for one in running},
                     "loaders": {key: {field: spread.as_json() for field, spread in row.items()}
                                 for key, row in figures.items()}}


def compare(setup, contenders):
    """(figures by contender, raw)"""
    contenders, differences = prepare(setup, contenders)
    lines = measure_epochs(setup, [one for one in contenders if one.missing is None])
    return summarise(contenders, differences, lines)


def of_peers(figures, ours, prefix):
    """Ratios to every peer that ran, and to the best of them."""
    values = {}
    for peer in peer_env.PEERS:
        values[f"{prefix}_{peer.key}"] = ratio(figures, "utt_per_s", ours, peer.key)
        values[f"{prefix}_{peer.key}_cpu"] = ratio(figures, "utt_per_cpu_s", ours, peer.key)
    known = [values[f"{prefix}_{peer.key}"] for peer in peer_env.PEERS
             if values[f"{prefix}_{peer.key}"] is not None]
    values[f"{prefix}_best"] = min(known) if known else None
    return values


def rates(figures, prefix):
    """What the table of the documentation shows of each contender."""
    return {f"{prefix}_{key}_{name}": row[field].median for key, row in figures.items()
            for name, field in (("utt_per_s", "utt_per_s"), ("utt_per_cpu_s", "utt_per_cpu_s"),
                                ("first_batch_ms", "first_batch_ms"), ("padding", "padding"))}


def runs(lines):
    """The rate of each run, in the order of the rounds."""
    begins = [i for i, line in enumerate(lines) if line["epoch"] == 0] + [len(lines)]
    return [Spread([line["utterances"] / line["wall_s"] for line in lines[begin + 1:end]]).median
            for begin, end in zip(begins, begins[1:])]


def round_ratio(raw, over, under):
    """The median over rounds: what the machine does meanwhile meets both."""
    if over not in raw["epochs"] or under not in raw["epochs"]:
        return None
    return Spread([a / b for a, b in zip(runs(raw["epochs"][over]), runs(raw["epochs"][under]))]).median


def known(values):
    """Unknown is absent, not zero."""
    return {key: value for key, value in values.items() if value is not None}


def peers_figures(figures):
    values = known({**of_peers(figures, "qanat", "peers_over"), **rates(figures, "peers")})
    # Otherwise there is nothing to compare with, and so nothing to publish.
    return values if "peers_over_best" in values else {}


def python_figures(figures, raw):
    held = round_ratio(raw, "python_held", "python")
    return known({"python_of_cpp": round_ratio(raw, "python", "qanat"),
                  "python_lock_cost": None if held is None else 1 - held,
                  **of_peers(figures, "python", "python_over"), **rates(figures, "python")})


def setup_of(options):
    return (quick_setup if options.quick else full_setup)(options.bin, options.work)


def run_peers(options):
    """(figures, raw) of the C++ loader against the others."""
    setup = setup_of(options)
    peers, names = peers_of(options, setup)
    figures, raw = compare(setup, [ours_in_cpp(setup), *peers])
    return peers_figures(figures), {"peers": {**raw, "names": {"qanat": "Qanat", **names}}}


def run_python(options):
    """(figures, raw) of qanat.Loader against the C++ loader and the others."""
    setup = setup_of(options)
    peers, names = peers_of(options, setup)
    figures, raw = compare(setup, [ours_in_cpp(setup), *ours_in_python(options, setup), *peers])
    return python_figures(figures, raw), {"python": {**raw, "names": {"qanat": "Qanat", **names}}}
