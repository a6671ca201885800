"""What the machine did for this run: /proc and the control group, as a line of kind "host" has it
(src/observe/monitor/host_counters.h). What cannot be read is left out."""
from __future__ import annotations

import glob
import os
from typing import Any, Dict, Iterable, List, Optional

TICK = 1.0 / os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGESIZE")
CORES = "/sys/devices/system/cpu"


def read(path: str) -> str:
    """Empty when there is no such file."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _named(text: str) -> Dict[str, float]:
    """Of lines "name value" or "name: value unit"."""
    values = {}
    for line in text.splitlines():
        words = line.replace(":", " ").split()
        if len(words) > 1 and words[1].lstrip("-").isdigit():
            values[words[0]] = float(words[1])
    return values


def _mounts(controller: str) -> List[List[str]]:
    """[the group that is visible there, where], of control groups; controller "": of version 2."""
    # 36 35 98:0 /root /point rw,noatime shared:1 - cgroup2 source options
    found = []
    for line in read("/proc/self/mountinfo").splitlines():
        before, dash, behind = line.partition(" - ")
        words, kind = before.split(), behind.split()
        if not dash or len(words) < 5 or len(kind) < 3:
            continue
        if kind[0] == "cgroup2" if not controller else (
                kind[0] == "cgroup" and controller in kind[2].split(",")):
            found.append(words[3:5])
    return found


def group_folders(controller: str = "") -> List[str]:
    """The own control group and those above it; controller "": of version 2."""
    folders = []
    for line in read("/proc/self/cgroup").splitlines():
        controllers, _, path = line.partition(":")[2].partition(":")
        if controller not in controllers.split(","):
            continue
        for root, point in _mounts(controller):
            own = path
            if root != "/" and (own + "/").startswith(root + "/"):
                own = own[len(root):]
            if ".." in own.split("/"):
                own = ""  # a container without a namespace of its own
            own = own.rstrip("/")
            while True:
                folders.append(point.rstrip("/") + own)
                if not own:
                    break
                own = own.rpartition("/")[0]
    return folders


def cpu_quota() -> Optional[float]:
    """Cores, of the tightest group; None: no limit."""
    pairs = [read(folder + "/cpu.max").split() for folder in group_folders()]
    pairs += [[read(folder + "/cpu.cfs_quota_us").strip(), read(folder + "/cpu.cfs_period_us").strip()]
              for folder in group_folders("cpu")]
    quotas = [float(pair[0]) / float(pair[1]) for pair in pairs
              if len(pair) == 2 and pair[0].isdigit() and pair[1].isdigit() and int(pair[1]) > 0]
    return min(quotas) if quotas else None


def _throttling() -> Dict[str, float]:
    """Of the group that was stopped longest. Version 2 writes microseconds, version 1 nanoseconds."""
    longest: Dict[str, float] = {}
    for folder in group_folders() + group_folders("cpu"):
        stat = _named(read(folder + "/cpu.stat"))
        if "nr_periods" not in stat or "nr_throttled" not in stat:
            continue
        seconds = stat.get("throttled_usec", 0.0) * 1e-6 + stat.get("throttled_time", 0.0) * 1e-9
        if not longest or seconds > longest["throttled"]:
            longest = {"periods": stat["nr_periods"], "throttled_periods": stat["nr_throttled"],
                       "throttled": seconds}
    return longest


def allowed_cores() -> int:
    cores = len(os.sched_getaffinity(0))
    quota = cpu_quota()
    return cores if quota is None else max(1, min(cores, int(quota)))


def setup() -> Dict[str, Any]:
    facts: Dict[str, Any] = {"online_cores": float(os.cpu_count() or 1),
                             "affinity_cores": float(len(os.sched_getaffinity(0)))}
    memory = _named(read("/proc/meminfo"))
    for name, key in (("total_memory", "MemTotal"), ("swap", "SwapTotal")):
        if key in memory:
            facts[name] = memory[key] * 1024
    unknown = {}
    quota = cpu_quota()
    if quota is None:
        unknown["cpu_quota"] = "no limit"
    else:
        facts["cpu_quota"] = quota
    for line in read("/proc/self/limits").splitlines():
        if line.startswith("Max locked memory"):
            limit = line.split()[3]
            if limit.isdigit():
                facts["locked_memory"] = float(limit)
            else:
                unknown["locked_memory"] = "no limit"
    for name, file in (("governor", "scaling_governor"), ("clock_driver", "scaling_driver")):
        answers = {read(path).strip() for path in glob.glob(f"{CORES}/cpu*/cpufreq/{file}")} - {""}
        if answers:
            facts[name] = ",".join(sorted(answers))
        else:
            unknown[name] = "no core has a folder cpufreq; a virtual machine does not show it"
    facts["unknown"] = unknown
    return facts


def _pressure(folder: str, prefix: str, names: Dict[str, str]) -> Dict[str, float]:
    """Seconds in which some, or all, tasks waited."""
    found = {}
    for file, kinds in names.items():
        for line in read(folder + file).splitlines():
            words = line.split()
            if words[0] in kinds.split():
                name = file.rpartition("/")[2].partition(".")[0]
                found[f"{prefix}{name}_{words[0]}"] = float(words[-1].partition("=")[2]) * 1e-6
    return found


def _stat_words(pid: Any) -> List[str]:
    return read(f"/proc/{pid}/stat").rpartition(")")[2].split()


def group_name(name: str) -> str:
    """Without the number of "load-12" and "pt_autograd_0"."""
    stem = name.rstrip("0123456789")
    return name if stem in ("", name) else stem.rstrip("-_ #:/") or stem


def thread_clocks(train: int = 0, python: Iterable[int] = ()) -> Dict[str, List[float]]:
    """{name: [threads, seconds they ran, seconds they were ready and had no core]} of this process.

    `train` is the thread of the loop, `python` are all threads that Python started. Those that a library
    starts carry the name of the process, and work for the loop, or have a name of their own."""
    own = read("/proc/self/comm")
    python = set(python)
    clocks: Dict[str, List[float]] = {}
    for task in os.listdir("/proc/self/task"):
        words = read(f"/proc/self/task/{task}/schedstat").split()
        if len(words) < 2:  # it has ended meanwhile, or the kernel does not count
            continue
        name = read(f"/proc/self/task/{task}/comm")
        if int(task) == train or (name == own and int(task) not in python):
            name = "train"
        elif int(task) in python:
            name = "python"
        clock = clocks.setdefault(group_name(name.strip()), [0, 0.0, 0.0])
        clock[0] += 1
        clock[1] += float(words[0]) * 1e-9
        clock[2] += float(words[1]) * 1e-9
    return clocks


def _process(workers: Iterable[int]) -> Dict[str, float]:
    """Of this process and its workers."""
    counters: Dict[str, float] = {}
    words = _stat_words("self")
    if len(words) > 14:
        counters["major_faults"] = float(words[9])
        counters["process_cpu"] = TICK * sum(float(word) for word in words[11:15])
    for pid in ("self", *workers):
        io = _named(read(f"/proc/{pid}/io"))
        if "rchar" in io and "read_bytes" in io:
            counters["read_bytes"] = counters.get("read_bytes", 0.0) + io["rchar"]
            counters["storage_bytes"] = counters.get("storage_bytes", 0.0) + io["read_bytes"]
        if pid != "self":
            stat = _stat_words(pid)
            if len(stat) > 12:  # it runs: what it used is not among that of ended children
                counters["process_cpu"] = (counters.get("process_cpu", 0.0)
                                           + TICK * (float(stat[11]) + float(stat[12])))
    return counters


def counters(workers: Iterable[int]) -> Dict[str, Any]:
    """Clocks and counters that only grow. Takes about a millisecond."""
    found: Dict[str, Any] = _process(workers)
    for line in read("/proc/stat").splitlines()[:1]:
        words = [float(word) for word in line.split()[1:]]
        found["machine_busy"] = TICK * (sum(words[0:3]) + sum(words[5:7]))
        found["machine_stolen"] = TICK * words[7]
    vmstat = _named(read("/proc/vmstat"))
    if "pswpin" in vmstat:
        found["swapped_in"] = vmstat["pswpin"] * PAGE
        found["swapped_out"] = vmstat["pswpout"] * PAGE
    memory = _named(read("/proc/meminfo"))
    if "MemAvailable" in memory:
        found["free_memory"] = memory["MemAvailable"] * 1024
    found.update(_pressure("/proc/pressure/", "",
                           {"cpu": "some", "io": "some full", "memory": "some full"}))
    for folder in group_folders()[:1]:
        found.update(_pressure(folder, "group_",
                               {"/cpu.pressure": "some", "/io.pressure": "full",
                                "/memory.pressure": "full"}))
    found.update(_throttling())
    return found
