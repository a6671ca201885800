"""The transfer ring: overlap, a third slot under jitter, readiness of the data, the autotuner."""
from harness import run_lines, say


def ring_corpus(options):
    """A small corpus of synthetic speech; made once."""
    corpus = options.work / "ring-corpus"
    run_lines([options.bin / "qanat", "data", "make-demo", corpus, "--utterances", 200, "--built-in"])
    return corpus


def run_ring(options):
    """(figures, raw) of qanat_ring_bench."""
    def measure(which, *arguments):
        say(f"transfer ring: {which}")
        command = [options.bin / "qanat_ring_bench", which, *arguments]
        return run_lines(command + (["--quick"] if options.quick else []))[-1]

    overlap = measure("overlap")
    jitter = measure("jitter")
    autotuner = measure("autotuner")
    readiness = measure("readiness", "--data", ring_corpus(options))
    figures = {
        "ring_three_slots_over_slowest": overlap["three_slots_over_slowest"],
        "ring_one_slot_over_sum": overlap["one_slot_over_sum"],
        "ring_jitter_margin": jitter["two_over_three_measured"],
        "ring_jitter_margin_error": jitter["jitter_margin_error"],
        "ring_readiness_single": readiness["single"]["readiness"],
        "ring_readiness_dual": readiness["dual"]["readiness"],
        "autotuner_over_best_fixed": autotuner["tuned_over_best"],
        "autotuner_bytes_over_budget": autotuner["most_bytes_over_budget"],
    }
    raw = {"overlap": overlap, "jitter": jitter, "readiness": readiness, "autotuner": autotuner}
    return figures, {"ring": raw}
