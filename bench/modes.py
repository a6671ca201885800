"""The modes of training side by side: what `qanat demo` measures."""
from harness import run_report, say


PACED_ROWS = ("serial", "buffered", "multi", "dataloader")
PACED_FIGURES = ("steps_per_s", "wait_share", "readiness", "cores")


def paced_figures(paced):
    """`paced_<storage>_<row>_<figure>` of every row that was measured."""
    return {f"paced_{'slow' if part['delay_s'] > 0 else 'warm'}_{name}_{figure}": row[figure]
            for part in paced["storage"] for name, row in zip(PACED_ROWS, part["modes"])
            for figure in PACED_FIGURES if row[figure] is not None}


def run_modes(options):
    """(figures, raw) of qanat demo."""
    say("training in every mode")
    command = [options.bin / "qanat", "demo", "--out", options.work / "modes", "--json"]
    report = run_report(command + (["--num-steps", 8, "--paced-steps", 4] if options.quick else []))
    _, single, multi = report["modes"]
    figures = {"buffered_wait": single["wait_share"],
               "buffered_busy": single["model_busy"],
               "buffered_variation": single["variation"],
               "multi_wait": multi["wait_share"]}
    if single["over_first"]["ratio"] is not None:  # too few steps or a busy machine have none
        figures["buffered_over_serial"] = single["over_first"]["ratio"]
    figures.update(paced_figures(report["paced"]))
    return figures, {"modes": report["modes"], "paced": report["paced"]}
