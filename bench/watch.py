"""How idle the machine was while something was measured."""
import ctypes
import os
import resource
import time

PR_SET_CHILD_SUBREAPER = 36


class Watch:
    """How many cores programs other than ours kept busy from now on: a measured "idle".

    Processes that a program of ours leaves behind, as a DataLoader's workers when it is killed, come to this one: they
    are ours, too, and not others.
    """

    def __init__(self):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.start = self.now()

    @staticmethod
    def now():
        take_orphans()
        with open("/proc/stat", encoding="ascii") as lines:
            user, nice, system, _, _, irq, softirq, steal = map(int, lines.readline().split()[1:9])
        busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
        ours = sum(sum(resource.getrusage(who)[:2])
                   for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return time.monotonic(), busy, ours

    def others_cores(self):
        wall, busy, ours = (after - before for before, after in zip(self.start, self.now()))
        return max(0.0, (busy - ours) / wall)


def take_orphans():
    """Those that ended: only then is their time counted."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass
