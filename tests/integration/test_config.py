"""`qanat config`: what a user sees of the configuration."""
import json
import pathlib
import tempfile
import unittest

from program import SOURCE, qanat


class ConfigTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = pathlib.Path(self.folder.name) / "run.yaml"

    def show(self, *arguments):
        return qanat("config", "show", *arguments)

    def shown(self, *arguments):
        result = self.show("--json", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_the_committed_reference_is_what_the_program_prints(self):
        committed = (SOURCE / "docs" / "en" / "configuration.md").read_text(encoding="utf-8")
        self.assertEqual(qanat("config", "reference").stdout, committed, "run ./dev docs")

    def test_what_is_shown_reads_back_the_same(self):
        first = self.show("--batch-size", 8, "--lr", "3e-4", "--train-data", "a # 'b' صدا")
        self.file.write_text(first.stdout, encoding="utf-8")

        again = self.shown("--config", self.file)["config"]

        self.assertEqual(again["data"]["batch_size"], 8)
        self.assertEqual(again["training"]["learning_rate"], 3e-4)
        self.assertEqual(again["data"]["train_data"], "a # 'b' صدا")
        self.assertEqual(again, self.shown("--batch-size", 8, "--lr", "3e-4", "--train-data",
                                           "a # 'b' صدا")["config"])

    def test_flags_win_over_set_and_set_over_the_file(self):
        self.file.write_text("data:\n  batch_size: 2\n  max_mel_frames: 300\ntraining:\n  epochs: 5\n")

        result = self.shown("--config", self.file, "--set", "data.batch_size=3",
                            "--set", "training.epochs=6", "--epochs", 7)

        self.assertEqual(result["config"]["data"]["batch_size"], 3)
        self.assertEqual(result["config"]["data"]["max_mel_frames"], 300)
        self.assertEqual(result["config"]["training"]["epochs"], 7)
        self.assertEqual(result["origins"], {"data.batch_size": "--set",
                                             "data.max_mel_frames": f"{self.file}:3",
                                             "training.epochs": "--epochs"})

    def test_origins_are_shown_as_comments(self):
        self.file.write_text("data:\n  batch_size: 2\n")
        self.assertRegex(self.show("--config", self.file).stdout,
                         rf"batch_size: 2 +# from {self.file}:2\n")

    def test_all_problems_come_at_once_with_their_places(self):
        self.file.write_text("data:\n  batch_sise: 2\n  num_workers: many\nmodel:\n  size: hugh\n")

        result = self.show("--config", self.file, "--epochs", 0)

        self.assertEqual((result.returncode, result.stdout), (2, ""))
        lines = result.stderr.splitlines()
        self.assertTrue(lines[0].startswith(f"{self.file}:2:3: data.batch_sise: unknown key"))
        self.assertIn("did you mean data.batch_size?", lines[0])
        self.assertTrue(lines[1].startswith(f"{self.file}:3:3: data.num_workers: many is not valid"))
        self.assertTrue(lines[2].startswith(f"{self.file}:5:3: model.size: hugh is not valid"))
        self.assertTrue(lines[3].startswith("--epochs: training.epochs: 0 is not valid"))
        self.assertEqual(lines[4], "qanat: 4 problems in the configuration; nothing was run")

    def test_one_gpu_alone_is_refused(self):
        result = self.show("--model-gpu", 0)
        self.assertEqual(result.returncode, 2)
        self.assertIn("needs both", result.stderr)

    def test_negative_and_equal_gpu_ids_are_refused(self):
        self.assertIn("-1 is not valid",
                      self.show("--data-gpu", "-1", "--model-gpu", 0).stderr)
        self.assertIn("the same GPU", self.show("--data-gpu", 1, "--model-gpu", 1).stderr)

    def test_keys_without_effect_are_noted_on_stderr_and_in_json(self):
        self.file.write_text("training:\n  enable_xla_compilation: true\n")
        note = (f"training.enable_xla_compilation ({self.file}:2) has no effect: "
                "there is no TensorFlow here, so there is no XLA")

        self.assertIn(f"note: {note}\n", self.show("--config", self.file).stderr)
        self.assertIn(note, self.shown("--config", self.file)["notes"])

    def test_a_file_that_cannot_be_read_is_a_usage_error(self):
        for path in (self.file, self.folder.name):
            result = self.show("--config", path)
            self.assertEqual(result.returncode, 2)
            self.assertIn(str(path), result.stderr)

    def test_the_documented_keys_of_older_configurations_are_accepted(self):
        self.file.write_text("""
data:
  num_workers: 16
  prefetch_buffer_size: 16
  batch_size: 32
  prefetch_to_gpu: true
  enhanced_gpu_prefetch: true
  optimize_cpu_gpu_overlap: true
  use_tf_native_loading: true
  preprocessing_mode: precompute
  pipeline_buffer_size: 50
  model_start_delay: 2.0
  data_gpu: 0
  model_gpu: 1
training:
  enable_graph_mode: true
  enable_xla_compilation: true
  enable_eager_debug: false
  mixed_precision: true
""")
        config = self.shown("--config", self.file)["config"]
        self.assertEqual(config["data"]["num_workers"], 16)
        self.assertEqual(config["training"]["mixed_precision"], True)


if __name__ == "__main__":
    unittest.main()
