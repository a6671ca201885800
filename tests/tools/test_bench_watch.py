"""bench/watch.py: what a measured program leaves behind is ours, and not other programs'."""
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from watch import Watch  # noqa: E402

BURNT = 0.2  # s
BURN = f"import time\nwhile time.process_time() < {BURNT}: pass"


class WatchTest(unittest.TestCase):
    def ours(self, script):
        """Seconds that count as ours, of a shell that leaves its last child behind."""
        watch = Watch()
        subprocess.run(["sh", "-c", script, "sh", sys.executable, BURN], stderr=subprocess.DEVNULL, check=True)
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)  # until it has ended; it stays to be taken
        return watch.now()[2] - watch.start[2]

    def test_a_process_that_was_left_behind_counts(self):
        self.assertGreaterEqual(self.ours('"$1" -c "$2" & exit 0'), BURNT)

    def test_one_that_outlived_a_killed_parent_does(self):
        self.assertGreaterEqual(self.ours('sh -c \'"$1" -c "$2" & kill -9 $$\' sh "$1" "$2"; exit 0'), BURNT)


if __name__ == "__main__":
    unittest.main()
