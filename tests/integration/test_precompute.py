"""`qanat precompute`: features made once, verified, repaired, and never half written."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from program import QANAT, environment, qanat, write_tone

UTTERANCES = 12


class Precompute(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="qanat precompute ")
        cls.original = pathlib.Path(cls.folder.name) / "original"
        (cls.original / "wavs").mkdir(parents=True)
        with open(cls.original / "metadata.csv", "w", encoding="utf-8") as manifest:
            for n in range(UTTERANCES):
                write_tone(cls.original / "wavs" / f"clip-{n:02}.wav", 200 + 20 * n, 1 + 0.1 * n)
                manifest.write(f"clip-{n:02}|clip number {n}\n")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.corpus = pathlib.Path(self.folder.name) / self.id().rpartition(".")[2]
        shutil.copytree(self.original, self.corpus)
        self.features = self.corpus / ".qanat" / "features"

    def precompute(self, *arguments, expect=0):
        result = qanat("precompute", "--data-path", self.corpus, "--set",
                       f"data.cache_dir={self.folder.name}", *arguments)
        self.assertEqual(result.returncode, expect, result.stderr + result.stdout)
        return result

    def report(self, *arguments, expect=0):
        return json.loads(self.precompute("--json", *arguments, expect=expect).stdout)

    def wavs(self):
        return sorted((self.corpus / "wavs").iterdir())

    def test_everything_is_made_once(self):
        self.assertEqual(self.report()["made"], UTTERANCES)
        self.assertEqual(self.report()["made"], 0)
        self.assertTrue(self.report("--verify")["ok"])

    def start_rank(self, rank, world):
        launched = {"RANK": str(rank), "WORLD_SIZE": str(world), "LOCAL_RANK": str(rank),
                    "LOCAL_WORLD_SIZE": str(world), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1"}
        return subprocess.Popen([QANAT, "precompute", "--data-path", self.corpus, "--set",
                                 f"data.cache_dir={self.folder.name}", "--json"],
                                env={**environment(), **launched}, stdout=subprocess.PIPE)

    def test_processes_of_a_launcher_divide_the_work(self):
        ranks = [self.start_rank(rank, 3) for rank in range(3)]
        made = [json.loads(rank.communicate()[0])["made"] for rank in ranks]

        self.assertEqual([rank.returncode for rank in ranks], [0, 0, 0])
        self.assertEqual(made, [UTTERANCES // 3] * 3)
        self.assertTrue(self.report("--verify")["ok"])
        self.assertEqual(self.report()["made"], 0)

    def test_a_process_that_was_killed_leaves_what_the_next_launch_makes(self):
        self.start_rank(0, 2).communicate()

        self.assertFalse(self.report("--verify", expect=10)["ok"])
        ranks = [self.start_rank(rank, 3) for rank in range(3)]
        made = sum(json.loads(rank.communicate()[0])["made"] for rank in ranks)

        self.assertEqual(made, UTTERANCES // 2)
        self.assertTrue(self.report("--verify")["ok"])

    def test_half_precision_takes_half_the_space(self):
        self.precompute("--out", self.corpus / "f32")
        self.precompute("--out", self.corpus / "f16", "--dtype", "f16")
        size = {name: (self.corpus / name / "shard-000000.qshard").stat().st_size
                for name in ("f32", "f16")}
        self.assertAlmostEqual(size["f16"] / size["f32"], 0.5, delta=0.03)

    def test_verify_names_what_is_wrong_and_repair_makes_only_that(self):
        self.precompute()
        changed, removed = self.wavs()[3], self.wavs()[5]
        os.utime(changed)
        removed.unlink()
        shard = self.features / "shard-000000.qshard"
        damaged = bytearray(shard.read_bytes())
        damaged[100] ^= 1  # in the first entry
        shard.write_bytes(damaged)

        found = self.report("--verify", expect=10)
        self.assertEqual(found["audio_changed"], [changed.stem])
        self.assertEqual(found["orphaned"], [removed.stem])
        self.assertEqual(len(found["damaged"]), 1)
        repaired = self.report("--repair")
        self.assertEqual(repaired["made"], 2)
        self.assertEqual(repaired["damaged"], found["damaged"])
        self.assertTrue(self.report("--verify")["ok"])

    def test_a_shard_with_a_damaged_header_is_replaced_whole(self):
        self.precompute()
        shard = self.features / "shard-000000.qshard"
        damaged = bytearray(shard.read_bytes())
        damaged[30] ^= 1
        shard.write_bytes(damaged)
        self.assertEqual(len(self.report("--verify", expect=10)["refused_shards"]), 1)
        self.assertEqual(self.report()["made"], UTTERANCES)
        self.assertEqual(len(list(self.features.glob("*.qshard"))), 1)

    def test_a_bad_file_is_named_and_the_others_are_made(self):
        self.wavs()[2].write_text("not audio")
        report = self.report()
        self.assertEqual(report["made"], UTTERANCES - 1)
        self.assertEqual([failure["id"] for failure in report["failed"]], [self.wavs()[2].stem])

    def test_what_a_killed_run_left_is_removed(self):
        self.features.mkdir(parents=True)
        (self.features / "shard-000000.qshard.part-1").write_bytes(b"half")
        self.assertEqual(self.report()["leftovers_removed"], 1)
        self.assertEqual(list(self.features.glob("*.part-*")), [])

    def test_sigint_stops_in_two_seconds_and_leaves_whole_shards(self):
        # The same few files under many ids: enough work to be stopped in.
        names = [wav.stem for wav in self.wavs()]
        with open(self.corpus / "metadata.csv", "w", encoding="utf-8") as manifest:
            for n in range(400):
                for name in names:
                    os.link(self.corpus / "wavs" / f"{name}.wav",
                            self.corpus / "wavs" / f"{name}-{n}.wav")
                    manifest.write(f"{name}-{n}|some words\n")
        run = subprocess.Popen([QANAT, "precompute", "--data-path", self.corpus, "--num-workers",
                                "1", "--set", f"data.cache_dir={self.folder.name}"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        deadline = time.monotonic() + 30
        while not list(self.features.glob("*.part-*")) and run.poll() is None:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)
        start = time.monotonic()
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=30)
        self.assertLess(time.monotonic() - start, 2)
        self.assertEqual(run.returncode, 128 + signal.SIGINT, err)
        self.assertIn(b"stopped: finished shards are kept", out)
        self.assertEqual(list(self.features.glob("*.part-*")), [])
        self.assertEqual(self.report("--verify", expect=10)["refused_shards"], [])

    def test_a_wrong_dtype_is_a_usage_error(self):
        self.assertIn("expected one of f32, f16", self.precompute("--dtype", "f8", expect=2).stderr)


if __name__ == "__main__":
    unittest.main()
