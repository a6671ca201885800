"""Our loader against PyTorch's DataLoader and libtorch's torch::data, on one corpus.

Every program runs in turn, round after round, so that whatever else the machine does meets all of
them alike. Rates are medians over all epochs after the first of each run.
"""
import dataclasses
import json
import pathlib
import shutil
import sys
import typing

from equal import largest_difference, read_dump
from harness import (PYTHON, ProgramFailed, Spread, missing_modules, peak_memory_mb, run_lines, say)

HERE = pathlib.Path(__file__).resolve().parent
TOLERANCE = 2e-3  # of log-mel: float32 arithmetic in another order stays far below
DUMPED = 64


@dataclasses.dataclass(frozen=True)
class Setup:
    """How much to measure."""

    bin: pathlib.Path
    work: pathlib.Path
    utterances: int
    rounds: int
    epochs: int  # timed ones, per round and program
    seconds: float  # of the paced run

    @property
    def corpus(self):
        return self.work / f"corpus-{self.utterances}"


def full_setup(bin_folder, work):
    return Setup(bin_folder, work, utterances=800, rounds=5, epochs=4, seconds=20)


def quick_setup(bin_folder, work):
    return Setup(bin_folder, work, utterances=160, rounds=1, epochs=2, seconds=3)


@dataclasses.dataclass(frozen=True)
class Contender:
    key: str
    name: str
    command: list
    missing: typing.Optional[str] = None  # why it cannot run here
    longer: int = 1  # times as many epochs: short ones need more for a steady median


def contenders(setup):
    peer = setup.bin / "torch_data_loader"
    ours = [setup.bin / "qanat_loader_bench", "epochs", "--corpus", setup.corpus]
    theirs = [PYTHON, HERE / "torch_dataloader.py", "--corpus", setup.corpus]
    return [
        Contender("qanat_2", "Qanat, 2 workers", ours + ["--workers", 2], longer=3),
        Contender("dataloader_2", "PyTorch DataLoader, 2 workers", theirs + ["--workers", 2],
                  missing_modules("torch", "torchaudio")),
        Contender("qanat_1", "Qanat, 1 worker", ours + ["--workers", 1], longer=2),
        Contender("torch_data_2", "torch::data, 2 workers",
                  [peer, "--corpus", setup.corpus, "--workers", 2],
                  None if peer.exists() else "not built: no libtorch-dev"),
        Contender("qanat_cached", "Qanat, RAM cache",
                  ours + ["--workers", 2, "--source", "cache"], longer=10),
    ]


def make_corpus(setup):
    """Once; the marker is written last, so that a broken-off corpus is made again."""
    marker = setup.corpus / "complete.json"
    settings = {"utterances": setup.utterances, "mean_frames": 447, "seed": 1}
    if marker.exists() and json.loads(marker.read_text()) == settings:
        return
    say(f"making a corpus of {setup.utterances} utterances in {setup.corpus}")
    shutil.rmtree(setup.corpus, ignore_errors=True)
    run_lines([setup.bin / "qanat_bench_corpus", "--out", setup.corpus,
               "--count", setup.utterances])
    marker.write_text(json.dumps(settings))


def warm_page_cache(setup):
    for path in sorted((setup.corpus / "wavs").iterdir()):
        path.read_bytes()


def check_equal(setup, running):
    """{contender: largest difference from the first}; raises when one is beyond the tolerance."""
    say("checking that all make the same log-mel")
    dumps = {}
    for one in running:
        path = setup.work / f"{one.key}.dump"
        run_lines(one.command + ["--epochs", 1, "--dump", path, "--dump-limit", DUMPED])
        dumps[one.key] = read_dump(path)
        path.unlink()
    reference, *others = dumps
    differences = {key: largest_difference(dumps[reference], dumps[key]) for key in others}
    for key, difference in differences.items():
        if difference > TOLERANCE:
            raise ProgramFailed(f"{reference} and {key} differ by {difference:g} in log-mel; "
                                f"expected at most {TOLERANCE:g}: the comparison would be unfair")
    return differences


def measure_round(setup, running, number):
    """{contender: its JSON lines of one round}; each round begins with another one."""
    turn = number % len(running)
    lines = {}
    for one in running[turn:] + running[:turn]:
        say(f"round {number + 1} of {setup.rounds}: {one.name}")
        lines[one.key] = run_lines(one.command + ["--epochs", one.longer * setup.epochs + 1])
    return lines


def measure_epochs(setup, running):
    """{contender: its JSON lines of all rounds}"""
    rounds = [measure_round(setup, running, number) for number in range(setup.rounds)]
    return {one.key: [line for lines in rounds for line in lines[one.key]] for one in running}


def epoch_figures(lines):
    timed = [line for line in lines if line["epoch"] > 0]
    return {
        "utt_per_s": Spread([x["utterances"] / x["wall_s"] for x in timed]),
        "utt_per_cpu_s": Spread([x["utterances"] / max(x["cpu_s"], 1e-9) for x in timed]),
        "first_batch_ms": Spread([x["first_batch_s"] * 1e3 for x in lines if x["epoch"] == 0]),
        "padding": Spread([1 - x["frames"] / x["padded_frames"] for x in lines]),
    }


def measure_memory(running):
    say("memory, in runs of their own")
    return {one.key: peak_memory_mb(one.command + ["--epochs", 2]) for one in running}


def measure_ours(setup):
    """What only our loader has: shards, pacing, plans."""
    program = setup.bin / "qanat_loader_bench"
    corpus = ["--corpus", setup.corpus]
    say("shards against memcpy")
    shards = run_lines([program, "shards", *corpus, "--workers", 1, "--rounds", 2 * setup.rounds,
                        "--shards", setup.work / f"shards-{setup.utterances}"])
    say(f"paced consumer: one worker, 22 batches of 32 per second, {setup.seconds:g} s")
    paced = run_lines([program, "paced", *corpus, "--workers", 1, "--batch", 32, "--pace", 22,
                       "--seconds", setup.seconds])
    say("planning")
    plan = run_lines([program, "plan", "--utterances", 1000000, "--rounds", setup.rounds])
    padding = run_lines([program, "plan", "--utterances", 13100, "--rounds", 1])
    return {"shards": shards, "paced": paced[-1], "plan": plan, "padding": padding[-1]}


def ratio(figures, field, ours, theirs):
    """None when one of the two did not run: unknown is absent, not zero."""
    if ours not in figures or theirs not in figures:
        return None
    return figures[ours][field].median / figures[theirs][field].median


def judge(figures, lines, own):
    from_audio = lines["qanat_2"] + lines["qanat_1"] + [own["paced"]]
    values = {
        "utt_per_s_ratio_dataloader": ratio(figures, "utt_per_s", "qanat_2", "dataloader_2"),
        "utt_per_cpu_s_ratio_dataloader":
            ratio(figures, "utt_per_cpu_s", "qanat_2", "dataloader_2"),
        "utt_per_s_ratio_torch_data": ratio(figures, "utt_per_s", "qanat_2", "torch_data_2"),
        "worker_scaling_2": ratio(figures, "utt_per_s", "qanat_2", "qanat_1"),
        "cached_epoch_ratio_dataloader":
            ratio(figures, "utt_per_s", "qanat_cached", "dataloader_2"),
        "shard_vs_memcpy": Spread([x["memcpy_s"] / x["shards_s"] for x in own["shards"]]).median,
        "extra_rss_mb": max(x["extra_rss_mb"] for x in from_audio),
        "padding_share": own["padding"]["padding_share"],
        "one_worker_paced_wait": own["paced"]["wait_share"],
        "plan_million_s": Spread([x["plan_s"] for x in own["plan"]]).median,
        "plan_million_mb": max(x["plan_mb"] for x in own["plan"]),
    }
    return {key: value for key, value in values.items() if value is not None}


def print_table(running, figures, memory):
    print(f"{'':32}{'utterances/s':>22}{'per CPU-second':>22}{'first batch ms':>20}"
          f"{'memory MB':>11}{'padding':>9}")
    for one in running:
        row = figures[one.key]
        print(f"{one.name:32}{row['utt_per_s'].text():>22}{row['utt_per_cpu_s'].text():>22}"
              f"{row['first_batch_ms'].text():>20}{memory[one.key]:>11.0f}"
              f"{row['padding'].median:>9.1%}")
    print("median (min-max); memory: peak proportional set size of the process tree")


def run_loader(setup):
    """(figures, raw): the flat figures and everything behind them."""
    make_corpus(setup)
    warm_page_cache(setup)
    entrants = contenders(setup)
    running = [one for one in entrants if one.missing is None]
    skipped = {one.name: one.missing for one in entrants if one.missing is not None}
    differences = check_equal(setup, running)
    lines = measure_epochs(setup, running)
    figures = {key: epoch_figures(values) for key, values in lines.items()}
    memory = measure_memory(running)
    own = measure_ours(setup)
    print_table(running, figures, memory)
    for name, reason in skipped.items():
        print(f"{name:32}skipped: {reason}")
    sys.stdout.flush()
    raw = {
        "setup": {"utterances": setup.utterances, "rounds": setup.rounds, "epochs": setup.epochs,
                  "batch": 16, "mean_frames": 447},
        "skipped": skipped,
        "largest_mel_difference": differences,
        "loaders": {key: {field: spread.as_json() for field, spread in row.items()}
                    for key, row in figures.items()},
        "peak_memory_mb": memory,
        "epochs": lines,
        **own,
    }
    return judge(figures, lines, own), raw
