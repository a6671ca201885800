"""The modes of training side by side: what `qanat demo` measures."""
from harness import run_report, say


def run_modes(options):
    """(figures, raw) of qanat demo."""
    say("training in every mode")
    command = [options.bin / "qanat", "demo", "--out", options.work / "modes", "--json"]
    report = run_report(command + (["--num-steps", 8] if options.quick else []))
    serial, single, multi = report["modes"]
    figures = {"buffered_wait": single["wait_share"],
               "buffered_busy": single["model_busy"],
               "buffered_variation": single["variation"],
               "multi_wait": multi["wait_share"]}
    if serial["frames_per_s"] > 0:  # too few steps have no rate
        figures["buffered_over_serial"] = single["frames_per_s"] / serial["frames_per_s"]
    return figures, {"modes": report["modes"]}
