"""`qanat train`: messages, exit codes, and runs that are killed and go on as if nothing had been."""
import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from program import QANAT, environment, qanat, write_tone

UTTERANCES = 12
NANO = ["--model-size", "nano", "--batch-size", "4", "--render-every", "0", "--no-emoji"]
TWO_DEVICES = ["--virtual-gpus", "2", "--data-gpu", "0", "--model-gpu", "1"]
KILLS = int(os.environ.get("QANAT_KILLS", "0"))


class Train(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # One thread for the model in every mode, so that results can be compared to the bit.
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        cls.temporary = tempfile.TemporaryDirectory(prefix="qanat train ")
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.corpus = cls.folder / "corpus"
        (cls.corpus / "wavs").mkdir(parents=True)
        with open(cls.corpus / "metadata.csv", "w", encoding="utf-8") as manifest:
            for n in range(UTTERANCES):
                write_tone(cls.corpus / "wavs" / f"clip-{n:02}.wav", 200 + 20 * n, 0.5 + 0.01 * n)
                manifest.write(f"clip-{n:02}|clip {n}\n")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def checkpoints(self, name=""):
        return self.folder / (self.id().rpartition(".")[2] + name)

    def arguments(self, checkpoints, *more):
        return ["train", "--train-data", self.corpus, "--set", f"data.cache_dir={self.folder}",
                "--checkpoint-dir", checkpoints, *NANO, *more]

    def train(self, checkpoints, *more, expect=0):
        result = qanat(*self.arguments(checkpoints, *more), timeout=300)
        self.assertEqual(result.returncode, expect, result.stderr + result.stdout)
        return result

    def start(self, checkpoints, *more):
        return subprocess.Popen([QANAT, *map(str, self.arguments(checkpoints, *more))],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=environment())

    def steps_in_journal(self, checkpoints):
        try:
            lines = (checkpoints / "journal.jsonl").read_text().splitlines()
        except FileNotFoundError:
            return 0
        return sum(line.startswith('{"kind":"step"') for line in lines)

    def wait_for_steps(self, process, checkpoints, count):
        deadline = time.monotonic() + 120
        while self.steps_in_journal(checkpoints) < count:
            self.assertIsNone(process.poll(), "the run ended early")
            self.assertLess(time.monotonic(), deadline, "no step in time")
            time.sleep(0.02)

    def hashes(self, checkpoints, step):
        folder = checkpoints / f"step-{step:09}"
        return {file.name: hashlib.sha256(file.read_bytes()).hexdigest()
                for file in folder.glob("*.safetensors")}

    def thread_names(self, checkpoints):
        """Of all threads that the run's own samples have seen so far."""
        lines = (checkpoints / "journal.jsonl").read_text().splitlines()
        return {name for line in lines if line.startswith('{"kind":"host"') and line.endswith("}")
                for name in json.loads(line)["counters"].get("threads", ())}

    def test_threads_of_libtorch_wait_asleep_beside_a_busy_program(self):
        checkpoints = self.checkpoints()
        neighbour = subprocess.Popen([sys.executable, "-c", "while True: pass"])  # on the one core
        self.addCleanup(neighbour.wait)
        self.addCleanup(neighbour.kill)
        process = self.start(checkpoints, "--max-steps", 100000, "--set", "pipeline.monitor_every=0.1")
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.wait_for_steps(process, checkpoints, 1)
        deadline = time.monotonic() + 60
        while "passive-waits" not in self.thread_names(checkpoints):
            self.assertIsNone(process.poll(), "the run ended early")
            self.assertLess(time.monotonic(), deadline, "threads go on spinning")
            time.sleep(0.05)

    def test_only_a_data_set_is_needed(self):
        result = qanat("train", "--train-data", self.corpus, "--set",
                       f"data.cache_dir={self.folder}", "--max-steps", 1, "--batch-size", 2,
                       "--json", cwd=self.folder, timeout=300)
        self.assertEqual(result.returncode, 0, result.stderr)
        summary = json.loads(result.stdout)
        self.assertEqual(summary["steps"], 1)
        self.assertEqual(summary["model_device"], "cpu")
        self.assertIn("Single-GPU Buffered Mode", result.stderr)
        self.assertTrue((self.folder / "checkpoints" / "run.yaml").exists())

    def test_says_where_it_runs_and_how_far_it_is(self):
        result = self.train(self.checkpoints(), "--max-steps", 2, *TWO_DEVICES)
        for words in ["Intelligent GPU Pipeline: Multi-GPU Mode", "- Data Processing GPU: 0",
                      "- Model Training GPU: 1", "Model will be placed on /GPU:1",
                      "Model training starting now", "step 2/2", "data wait", "busy"]:
            self.assertIn(words, result.stderr)
        self.assertTrue(result.stderr.isascii())

    def test_a_data_set_that_is_not_there_is_named_before_anything_starts(self):
        result = qanat("train", "--train-data", self.folder / "nowhere", "--checkpoint-dir",
                       self.checkpoints())
        self.assertEqual(result.returncode, 1)
        self.assertIn("nowhere", result.stderr)
        self.assertFalse(self.checkpoints().exists())

    def test_more_memory_than_there_is_is_refused_with_what_would_fit(self):
        many = self.checkpoints("-many")  # a batch has no more rows than there are
        (many / "wavs").mkdir(parents=True)
        write_tone(many / "clip.wav", 200, 8)
        for n in range(2048):
            (many / "wavs" / f"{n}.wav").symlink_to(many / "clip.wav")
        (many / "metadata.csv").write_text("".join(f"{n}|clip {n}\n" for n in range(2048)))
        result = qanat("train", "--train-data", many, "--set", f"data.cache_dir={self.folder}",
                       "--checkpoint-dir", self.checkpoints(), "--model-size", "big",
                       "--batch-size", 2048, timeout=300)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("memory of cpu: training needs about", result.stderr)
        self.assertIn("a smaller --model-size", result.stderr)

    def test_wrong_devices_are_refused(self):
        result = self.train(self.checkpoints(), "--data-gpu", 0, "--model-gpu", 1, expect=1)
        self.assertIn("Insufficient GPUs for Multi-GPU Mode", result.stderr)

    def test_sigterm_saves_and_leaves_with_its_number(self):
        checkpoints = self.checkpoints()
        process = self.start(checkpoints, "--max-steps", 100000)
        self.wait_for_steps(process, checkpoints, 2)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, errors)
        result = self.train(checkpoints, "--max-steps", 1, "--json")
        self.assertGreaterEqual(json.loads(result.stdout)["resumed_from"], 2)

    def test_a_run_that_is_stopped_before_its_first_step_names_no_checkpoints(self):
        run = self.checkpoints()
        process = self.start(run, "--model-size", "tiny")
        journal = run / "journal.jsonl"
        while not (journal.exists() and '"kind":"run"' in journal.read_text()):
            self.assertIsNone(process.poll(), "the run ended early")
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, told)
        # A step may have been done before the signal came: what was saved is what is named.
        saved = list(run.glob("step-*"))
        self.assertIn("; checkpoints in" if saved else "; no checkpoint in", told)

    def test_a_terminal_that_closes_saves_too(self):
        checkpoints = self.checkpoints()
        process = self.start(checkpoints, "--max-steps", 100000)
        self.wait_for_steps(process, checkpoints, 2)
        process.send_signal(signal.SIGHUP)
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 128 + signal.SIGHUP, errors)
        self.assertTrue(list(checkpoints.glob("step-*/DONE")))

    def test_a_run_started_with_nohup_survives_its_terminal(self):
        checkpoints = self.checkpoints()
        process = subprocess.Popen(
            [QANAT, *map(str, self.arguments(checkpoints, "--max-steps", 12))],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=environment(), preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_for_steps(process, checkpoints, 1)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(timeout=120), 0)
        self.assertEqual(self.steps_in_journal(checkpoints), 12)

    def test_a_reader_that_leaves_ends_the_output_and_not_the_training(self):
        checkpoints = self.checkpoints()
        process = self.start(checkpoints, "--max-steps", 12, "--log-every", 1)
        self.wait_for_steps(process, checkpoints, 1)
        process.stdout.close()
        process.stderr.close()
        self.assertEqual(process.wait(timeout=120), 0)
        self.assertEqual(self.steps_in_journal(checkpoints), 12)

    def test_a_journal_that_is_deleted_is_missed_at_the_end(self):
        checkpoints = self.checkpoints()
        process = self.start(checkpoints, "--max-steps", 30)
        self.wait_for_steps(process, checkpoints, 1)
        (checkpoints / "journal.jsonl").unlink()
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, errors)
        self.assertRegex(errors, "no report: .*journal.jsonl: cannot read the journal")

    def test_a_second_training_in_a_folder_is_refused_and_a_killed_one_leaves_it_free(self):
        checkpoints = self.checkpoints()
        process = self.start(checkpoints, "--max-steps", 100000)
        self.addCleanup(process.kill)
        self.wait_for_steps(process, checkpoints, 1)
        second = self.train(checkpoints, "--max-steps", 1, expect=1)
        self.assertIn(f"another training uses this folder: process {process.pid} on ",
                      second.stderr)
        process.kill()
        process.communicate()
        self.train(checkpoints, "--max-steps", 1)

    def test_a_disk_that_is_full_for_a_while_is_waited_for(self):
        disk, notes = self.checkpoints("-disk"), self.checkpoints("-notes")
        disk.mkdir()
        script = '''
            mount -t tmpfs -o size=64m none "$1" || exit 77
            notes=$2; filler=$1/filler; shift 2
            head -c 62000000 /dev/zero > "$filler"
            "$@" 2> "$notes" & run=$!
            until grep -q "trying again" "$notes"; do kill -0 $run || exit 76; sleep 0.1; done
            rm "$filler"
            wait $run'''
        command = self.arguments(disk / "run", "--max-steps", 3)
        result = subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", disk, notes, QANAT,
                                 *map(str, command)], env=environment(), timeout=300)
        if result.returncode in (1, 77) and not notes.exists():
            self.skipTest("may not mount a small disk here")
        said = notes.read_text()
        self.assertEqual(result.returncode, 0, said)
        self.assertIn("No space left on device", said)
        self.assertIn("the attempt after", said)

    def test_files_that_are_not_the_checkpoint_or_the_journal_are_notes(self):
        checkpoints = self.checkpoints("-refused")
        for name in ("report.html", "run.yaml"):
            (checkpoints / name / "inside").mkdir(parents=True)
        (checkpoints / "renders").write_text("in the way")
        result = self.train(checkpoints, "--max-steps", 4, "--save-every", 2, "--render-every", 2)
        self.assertEqual(result.stderr.count("the run continues without this file"), 2, result.stderr)
        self.assertIn("training continues without it", result.stderr)
        self.assertEqual(len(self.hashes(checkpoints, 4)), 3)

    def killed_and_resumed(self, *mode):
        whole, parts = self.checkpoints("-whole"), self.checkpoints("-parts")
        self.train(whole, "--max-steps", 20, *mode)
        process = self.start(parts, "--max-steps", 20, "--save-every", 5, *mode)
        self.wait_for_steps(process, parts, 11)
        process.kill()
        process.communicate()
        result = self.train(parts, "--max-steps", 20, "--save-every", 5, "--json", *mode)
        self.assertGreaterEqual(json.loads(result.stdout)["resumed_from"], 5)
        self.assertEqual(self.hashes(parts, 20), self.hashes(whole, 20))
        self.assertEqual(len(self.hashes(whole, 20)), 3)

    def test_a_killed_run_ends_with_the_same_weights(self):
        self.killed_and_resumed()

    def test_a_killed_run_on_two_devices_ends_with_the_same_weights(self):
        self.killed_and_resumed(*TWO_DEVICES)

    def test_a_full_disk_is_said_and_leaves_the_old_checkpoint_whole(self):
        checkpoints = self.checkpoints()
        self.train(checkpoints, "--max-steps", 1)
        before = self.hashes(checkpoints, 1)

        def limit_files():
            import resource
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        result = subprocess.run(
            [QANAT, *map(str, self.arguments(checkpoints, "--max-steps", 2))], text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment(), preexec_fn=limit_files, timeout=120)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("step-", result.stderr)
        self.assertEqual(self.hashes(checkpoints, 1), before)
        self.train(checkpoints, "--max-steps", 2)

    def test_too_little_address_space_is_named_and_does_not_hang(self):
        def limit_addresses():
            import resource
            resource.setrlimit(resource.RLIMIT_AS, (1000000 << 10, 1000000 << 10))

        result = subprocess.run(
            [QANAT, *map(str, self.arguments(self.checkpoints(), "--max-steps", 1))], text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment(), preexec_fn=limit_addresses, timeout=60)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("ulimit -v unlimited", result.stderr)

    @unittest.skipUnless(KILLS, "slow: set QANAT_KILLS to the number of kills")
    def test_kills_at_random_moments_lose_at_most_one_interval(self):
        checkpoints, chance = self.checkpoints(), random.Random(1)
        most = 0
        for _ in range(KILLS):
            process = self.start(checkpoints, "--max-steps", 100000, "--save-every", 2)
            time.sleep(chance.uniform(0.3, 3.0))
            process.kill()
            process.communicate()
            saved = sorted(int(folder.name[5:]) for folder in checkpoints.glob("step-*")
                           if (folder / "DONE").exists())
            self.assertGreaterEqual(saved[-1] if saved else 0, most)
            most = saved[-1] if saved else 0
        self.assertGreater(most, 0)
        result = self.train(checkpoints, "--max-steps", most + 1, "--json")
        self.assertEqual(json.loads(result.stdout).get("resumed_from", 0), most)


if __name__ == "__main__":
    unittest.main()
