"""A training killed at random moments (kill -9) that saves the state of its loader every few steps
goes through every utterance exactly once an epoch. QANAT_KILLS says how often; 20 without it."""
import collections
import json
import os
import random
import signal
import subprocess
import sys

from tests.corpora import CorpusTest

EPOCHS = 6
SAVE_EVERY = 3


def train(data, cache, checkpoint):
    """Everything a trainer has learnt is the list of what it saw; saved with the loader's state."""
    import qanat

    loader = qanat.Loader(data, 2, cache_dir=cache, num_workers=2)
    seen = []
    if os.path.exists(checkpoint):
        with open(checkpoint, encoding="utf-8") as file:
            saved = json.load(file)
        loader.load_state_dict(saved["loader"])
        seen = saved["seen"]
    print("ready", flush=True)
    steps = 0
    while loader.epoch < EPOCHS:
        for batch in loader:
            seen.append([batch.epoch, batch.items.tolist()])
            steps += 1
            if steps % SAVE_EVERY == 0 or loader.epoch == EPOCHS:
                with open(checkpoint + ".part", "w", encoding="utf-8") as file:
                    json.dump({"loader": loader.state_dict(), "seen": seen}, file)
                os.replace(checkpoint + ".part", checkpoint)


class Kills(CorpusTest):
    utterances = 60

    def test_every_utterance_is_seen_once_an_epoch(self):
        kills = int(os.environ.get("QANAT_KILLS", "20"))
        source = random.Random(kills)
        checkpoint = os.path.join(self.scratch, "checkpoint.json")
        command = [sys.executable, __file__, self.data, os.path.join(self.scratch, "cache"), checkpoint]
        killed = 0
        while True:
            child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                                     env={**os.environ, "PYTHONPATH": os.getcwd()})
            self.addCleanup(child.stdout.close)
            self.assertEqual(child.stdout.readline(), "ready\n")
            try:
                if killed < kills:
                    child.wait(source.uniform(0, 0.03))
                else:
                    child.wait(60)
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGKILL)
            if child.wait() == -signal.SIGKILL:
                killed += 1
                continue
            self.assertEqual(child.returncode, 0)
            self.check(checkpoint)
            os.remove(checkpoint)
            if killed >= kills:
                return

    def check(self, checkpoint):
        with open(checkpoint, encoding="utf-8") as file:
            seen = json.load(file)["seen"]
        counts = collections.Counter((epoch, item) for epoch, items in seen for item in items)
        self.assertEqual(counts, {(epoch, item): 1 for epoch in range(EPOCHS)
                                  for item in range(self.utterances)})


if __name__ == "__main__":
    train(*sys.argv[1:])
