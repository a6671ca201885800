"""What the machine did for this run: /proc and the control group, as a line of kind "host" has it
(src/monitor/host_counters.h). What cannot be read is left out."""
from __future__ import annotations

import os
from typing import Any, Dict, Iterable, List, Optional

TICK = 1.0 / os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGESIZE")


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


def _group_folders() -> List[str]:
    """The own control group (version 2) and those above it."""
    for line in read("/proc/self/cgroup").splitlines():
        if line.startswith("0::"):
            path = line[3:].rstrip("/")
            folders = []
            while True:
                folders.append("/sys/fs/cgroup" + path)
                if not path:
                    return folders
                path = path.rpartition("/")[0]
    return []


def cpu_quota() -> Optional[float]:
    """Cores; None: no limit."""
    quotas = []
    for folder in _group_folders():
        words = read(folder + "/cpu.max").split()
        if len(words) == 2 and words[0] != "max":
            quotas.append(float(words[0]) / float(words[1]))
    return min(quotas) if quotas else None


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
    quota = cpu_quota()
    if quota is None:
        facts["unknown"] = {"cpu_quota": "no limit"}
    else:
        facts["cpu_quota"] = quota
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


def _clock(text: str) -> Optional[List[float]]:
    """Seconds run and waited, of a file schedstat."""
    words = text.split()
    return [float(words[0]) * 1e-9, float(words[1]) * 1e-9] if len(words) >= 2 else None


def _own_threads() -> List[float]:
    count, ran, waited = 0, 0.0, 0.0
    for task in os.listdir("/proc/self/task"):
        clock = _clock(read(f"/proc/self/task/{task}/schedstat"))
        if clock:
            count, ran, waited = count + 1, ran + clock[0], waited + clock[1]
    return [count, ran, waited]


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
    folders = _group_folders()
    if folders:
        found.update(_pressure(folders[0], "group_",
                               {"/cpu.pressure": "some", "/io.pressure": "full",
                                "/memory.pressure": "full"}))
        stat = _named(read(folders[0] + "/cpu.stat"))
        if "nr_periods" in stat:
            found["periods"] = stat["nr_periods"]
            found["throttled_periods"] = stat["nr_throttled"]
            found["throttled"] = stat["throttled_usec"] * 1e-6
    # The threads of the loop, by the name that the diagnosis knows.
    found["threads"] = {"train": _own_threads()}
    return found
