"""The figures a benchmark is judged by, what each has to reach, and its words in two languages."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Target:
    key: str
    what: str
    persian: str
    bound: float | None  # None: what others are read beside, not judged
    at_least: bool
    unit: str = ""

    def met(self, value):
        if self.bound is None:
            return True
        return value >= self.bound if self.at_least else value <= self.bound

    def text(self):
        if self.bound is None:
            return "-"
        return f"{'>=' if self.at_least else '<='} {self.bound:g}{self.unit}"


def at_least(key, what, persian, bound, unit=""):
    return Target(key, what, persian, bound, True, unit)


def at_most(key, what, persian, bound, unit=""):
    return Target(key, what, persian, bound, False, unit)


def beside(key, what, persian):
    return Target(key, what, persian, None, False)


LOADER = [
    at_least("utt_per_s_ratio_dataloader",
             "utterances/s, 2 workers, over PyTorch DataLoader with 2",
             "گفته در ثانیه با ۲ worker، نسبت به DataLoader در PyTorch با ۲ worker", 5, " x"),
    at_least("utt_per_cpu_s_ratio_dataloader", "utterances per CPU-second over DataLoader's",
             "گفته در هر ثانیهٔ CPU، نسبت به DataLoader", 4.5, " x"),
    at_least("utt_per_s_ratio_torch_data", "utterances/s, 2 workers, over torch::data with 2",
             "گفته در ثانیه با ۲ worker، نسبت به torch::data با ۲ worker", 4, " x"),
    at_least("worker_scaling_2", "2 workers over 1", "دو worker نسبت به یکی", 1.8, " x"),
    at_least("cached_epoch_ratio_dataloader", "epochs from the memory cache over DataLoader's",
             "epochها از کش حافظه، نسبت به DataLoader", 40, " x"),
    at_least("shard_vs_memcpy", "epochs from shards, 1 worker, over a memcpy of the same bytes",
             "epochها از shardها با ۱ worker، نسبت به memcpy همان بایت‌ها", 0.7, " x"),
    at_most("extra_rss_mb", "resident memory beyond the batch buffers",
            "حافظهٔ مقیم افزون بر بافر batchها", 60, " MB"),
    at_most("padding_share", "padding, default edges, 13,100 LJSpeech-like lengths",
            "سهم padding با مرزهای پیش‌فرض، ۱۳۱۰۰ طول مانند LJSpeech", 0.05),
    at_most("one_worker_paced_wait", "wait share of a consumer of 22 batches of 32 per second, 1 worker",
            "سهم انتظار مصرف‌کننده‌ای که ۲۲ batch با ۳۲ گفته در ثانیه می‌گیرد، ۱ worker", 0.01),
    at_most("plan_million_s", "planning an epoch of a million utterances",
            "ساخت plan برای epochی با یک میلیون گفته", 1, " s"),
    at_most("plan_million_mb", "memory that takes", "حافظه‌ای که آن می‌گیرد", 150, " MB"),
]
RING = [
    at_most("ring_three_slots_over_slowest",
            "step over the slowest stage, 3 slots; stages 30, 10, 30 ms",
            "گام نسبت به کندترین مرحله، ۳ slot؛ مرحله‌های ۳۰، ۱۰ و ۳۰ میلی‌ثانیه‌ای", 1.05, " x"),
    at_least("ring_one_slot_over_sum", "step over the sum of the stages, 1 slot",
             "گام نسبت به جمع مرحله‌ها، ۱ slot", 0.95, " x"),
    at_least("ring_jitter_margin", "a run with 2 slots over one with 3; stages vary by half",
             "اجرا با ۲ slot نسبت به ۳ slot؛ مرحله‌ها تا نیم نوسان دارند", 1, " x"),
    at_most("ring_jitter_margin_error", "that margin off what a replay of the times predicts",
            "فاصلهٔ آن از پیش‌بینیِ بازپخش (replay) زمان‌ها", 0.03),
    at_least("ring_readiness_single", "steps whose batch was there, at 0.9 of the loader's most",
             "گام‌هایی که batchشان آماده بود، با ۰٫۹ گذردهی loader", 0.99),
    at_least("ring_readiness_dual", "the same in Multi-GPU Mode", "همان در حالت Multi-GPU", 0.99),
    at_least("autotuner_over_best_fixed",
             "autotuner from 1 worker over the best fixed number, after 50 steps",
             "تنظیم خودکار از ۱ worker، نسبت به بهترین تعداد ثابت، پس از ۵۰ گام", 0.95, " x"),
    at_most("autotuner_bytes_over_budget", "most memory it lent over the budget",
            "بیشترین حافظه‌ای که گرفت، نسبت به بودجه", 1, " x"),
]
MEL = [
    at_most("mel_cost_over_fft", "log-mel per frame over FFTW's FFT alone",
            "هزینهٔ log-mel هر فریم، نسبت به FFT تنها در FFTW", 1.6, " x"),
    at_most("griffin_lim_rtf", "Griffin-Lim, 32 iterations, 1 thread, over real time",
            "زمان Griffin-Lim نسبت به گفتار، ۳۲ تکرار، ۱ نخ (thread)", 0.1, " x"),
    at_most("griffin_lim_l1", "log-mel distance from the sound it copies",
            "فاصلهٔ log-mel از صدایی که کپی می‌شود", 0.15, " nat"),
]
TEXT = [
    at_least("text_english_mb_s", "English text normalised on one core",
             "متن انگلیسی نرمال‌شده روی یک هسته", 20, " MB/s"),
    at_least("text_persian_mb_s", "Persian text normalised on one core",
             "متن فارسی نرمال‌شده روی یک هسته", 20, " MB/s"),
]
STEP = [
    at_most("nano_step_ratio", "training step of nano over the same in Python",
            "گام آموزش nano نسبت به همان شبکه در پایتون", 1, " x"),
]
MODES = [
    at_least("buffered_over_serial", "Single-GPU Buffered over unbuffered serial, speech per second",
             "حالت Single-GPU Buffered نسبت به اجرای بدون بافر، گفتار در ثانیه", 1, " x"),
    at_most("buffered_wait", "share of a step that waits for data, Single-GPU Buffered",
            "سهم انتظار داده در هر گام، Single-GPU Buffered", 0.01),
    at_least("buffered_busy", "share of the time the model device works, Single-GPU Buffered",
             "سهم زمانی که دستگاه مدل کار می‌کند، Single-GPU Buffered", 0.98),
    at_most("buffered_variation", "variation of steps of equal work, Single-GPU Buffered",
            "نوسان گام‌هایی با کار برابر، Single-GPU Buffered", 0.05),
    at_most("multi_wait", "share of a step that waits for data, Multi-GPU on two virtual GPUs",
            "سهم انتظار داده در هر گام، Multi-GPU روی دو GPU مجازی", 0.01),
]
VARIATION = [
    beside("variation_machine_two_threads", "variation of the machine alone, 2 threads in lockstep",
           "نوسان خود سیستم، ۲ نخ هم‌گام"),
    beside("variation_single", "variation of steps of equal work, Single-GPU Buffered, 2 threads",
           "نوسان گام‌هایی با کار برابر، Single-GPU Buffered، ۲ نخ"),
    at_most("variation_added_single",
            "variation of steps of equal work beyond the machine's own, Single-GPU Buffered",
            "نوسان گام‌هایی با کار برابر، بیش از نوسان خود سیستم، Single-GPU Buffered", 0.05),
    beside("variation_machine_one_thread", "variation of the machine alone, 1 thread",
           "نوسان خود سیستم، ۱ نخ (thread)"),
    beside("variation_multi", "variation of steps of equal work, Multi-GPU on two virtual GPUs",
           "نوسان گام‌هایی با کار برابر، Multi-GPU روی دو GPU مجازی"),
    at_most("variation_added_multi", "the same, Multi-GPU on two virtual GPUs",
            "همان، Multi-GPU روی دو GPU مجازی", 0.05),
]

COMPANY = [
    at_least("company_share", "steps/s of nano beside one busy process, over those alone",
             "گام در ثانیهٔ nano کنار یک برنامهٔ مشغول، نسبت به تنها", 0.45),
    at_least("company_idle_over_libgomp",
             "steps/s of nano alone with waiting that adapts, over those with libgomp's own",
             "گام در ثانیهٔ nano به‌تنهایی با انتظار تطبیقی، نسبت به انتظار پیش‌فرض libgomp", 0.98, " x"),
    beside("company_share_libgomp", "beside one busy process over alone, with libgomp's own waiting",
           "کنار یک برنامهٔ مشغول نسبت به تنها، با انتظار پیش‌فرض libgomp"),
]
REPLICAS = [
    at_least("replicas_over_one", "utterances/s of two processes of one thread each, over one",
             "گفته در ثانیهٔ دو فرایند، هر کدام با یک نخ، نسبت به یکی", 1.8, " x"),
    beside("replicas_apart_over_one", "two that know nothing of each other, a core each, over one: what the machine allows",
           "دو فرایندی که از هم خبر ندارند، هر کدام با یک هسته، نسبت به یکی: حد خود سیستم"),
    beside("replicas_over_apart", "two that exchange gradients, over two that know nothing of each other",
           "دو فرایند با تبادل گرادیان، نسبت به دو فرایندی که از هم خبر ندارند"),
    beside("replicas_exposed", "share of a step that waits for the exchange of gradients",
           "سهم انتظار تبادل گرادیان در هر گام"),
    beside("replicas_exchange", "of that, what every process waits for: the exchange itself, not the slower process",
           "از این سهم، زمانی که هر دو فرایند منتظر می‌مانند: خود تبادل، نه فرایند کندتر"),
]
TOOLS = [
    at_least("sweep_of_best", "throughput of the workers `profile data --benchmark` recommends, over the best",
             "گذردهی تعداد workerهایی که `profile data --benchmark` پیشنهاد می‌کند، نسبت به بهترین", 0.97, " x"),
    at_most("sweep_spare_workers", "workers it recommends beyond the fewest that reach that",
            "workerهایی که بیش از کمترین تعداد لازم پیشنهاد می‌کند", 0),
    at_most("telemetry_of_step", "what journal and live verdict add to a step",
            "آنچه دفتر رویدادها و حکم زنده به گام می‌افزاید", 0.01),
]

# key of a peer: its name
PEERS = {"torch": "PyTorch DataLoader", "spdl": "SPDL", "mlx": "MLX Data", "grain": "Grain", "lhotse": "Lhotse",
         "dali": "DALI (CPU)", "tfdata": "tf.data"}


def over_peers(prefix, ours, ours_fa, best):
    """Rates over those of the newest loaders of others."""
    return [at_least(f"{prefix}_best", f"utterances/s of {ours}, 2 workers, over the best of the others with 2",
                     f"گفته در ثانیهٔ {ours_fa} با ۲ worker، نسبت به بهترینِ دیگران با ۲ worker", best, " x"),
            *(Target(f"{prefix}_{key}", f"the same over {name}", f"همان نسبت به {name}", None, True, " x")
              for key, name in PEERS.items())]


PEERS_PART = over_peers("peers_over", "our loader", "loader ما", 8)
PYTHON = [
    at_least("python_of_cpp", "utterances/s of `qanat.Loader` over the C++ loader's",
             "گفته در ثانیهٔ `qanat.Loader` نسبت به loader در C++", 0.97, " x"),
    at_most("python_lock_cost", "what a thread that holds Python's lock 90 % of the time costs it",
            "هزینهٔ نخی (thread) که ۹۰٪ زمان قفل پایتون را نگه می‌دارد", 0.05),
    *over_peers("python_over", "`qanat.Loader`", "`qanat.Loader`", 8),
]

# By the name of the benchmark, in the order in which they run and are shown.
PARTS = {"loader": LOADER, "peers": PEERS_PART, "python": PYTHON, "ring": RING, "mel": MEL, "text": TEXT, "step": STEP, "modes": MODES,
         "variation": VARIATION, "company": COMPANY, "replicas": REPLICAS, "tools": TOOLS}
