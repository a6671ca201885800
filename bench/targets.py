"""The figures a benchmark is judged by, and what each has to reach."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Target:
    key: str
    what: str
    bound: float
    at_least: bool
    unit: str = ""

    def met(self, value):
        return value >= self.bound if self.at_least else value <= self.bound

    def text(self):
        return f"{'>=' if self.at_least else '<='} {self.bound:g}{self.unit}"


def at_least(key, what, bound, unit=""):
    return Target(key, what, bound, True, unit)


def at_most(key, what, bound, unit=""):
    return Target(key, what, bound, False, unit)


LOADER = [
    at_least("utt_per_s_ratio_dataloader",
             "utterances/s, 2 workers, over PyTorch DataLoader with 2", 5, " x"),
    at_least("utt_per_cpu_s_ratio_dataloader", "utterances per CPU-second over DataLoader's", 4.5,
             " x"),
    at_least("utt_per_s_ratio_torch_data", "utterances/s, 2 workers, over torch::data with 2", 4,
             " x"),
    at_least("worker_scaling_2", "2 workers over 1", 1.8, " x"),
    at_least("cached_epoch_ratio_dataloader", "epochs from the RAM cache over DataLoader's", 40,
             " x"),
    at_least("shard_vs_memcpy", "epochs from shards over a memcpy of the same bytes", 0.7, " x"),
    at_most("extra_rss_mb", "resident memory beyond the buffers", 60, " MB"),
    at_most("padding_share", "padding, default edges, 13,100 LJSpeech-like lengths", 0.05),
    at_most("one_worker_paced_wait", "wait share at 22 batches of 32 per second, 1 worker", 0.01),
    at_most("plan_million_s", "planning an epoch of a million utterances", 1, " s"),
    at_most("plan_million_mb", "memory that takes", 150, " MB"),
]
RING = [
    at_most("ring_three_slots_over_slowest",
            "step over the slowest stage, 3 slots; stages 30, 10, 30 ms", 1.05, " x"),
    at_least("ring_one_slot_over_sum", "step over the sum of the stages, 1 slot", 0.95, " x"),
    at_least("ring_jitter_margin", "a run with 2 slots over one with 3; stages vary by half", 1,
             " x"),
    at_most("ring_jitter_margin_error", "that margin off what a replay of the times predicts",
            0.03),
    at_least("ring_readiness_single", "steps whose batch was there, at 0.9 of the loader's most",
             0.99),
    at_least("ring_readiness_dual", "the same in Multi-GPU Mode", 0.99),
    at_least("autotuner_over_best_fixed",
             "autotuner from 1 worker over the best fixed number, after 50 steps", 0.95, " x"),
    at_most("autotuner_bytes_over_budget", "most memory it lent over the budget", 1, " x"),
]
MEL = [
    at_most("mel_cost_over_fft", "log-mel per frame over its FFT alone", 1.6, " x"),
    at_most("griffin_lim_rtf", "Griffin-Lim, 32 iterations, 1 thread, over real time", 0.1, " x"),
    at_most("griffin_lim_l1", "log-mel off that of the sound it copies", 0.15, " nat"),
]
STEP = [
    at_most("nano_step_ratio", "training step of nano over the same in Python", 1, " x"),
]
