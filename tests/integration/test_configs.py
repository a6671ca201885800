"""configs/: every file loads, has an effect, and fits the cards it is for."""
import json
import re
import unittest

from program import SOURCE, qanat

CONFIGS = SOURCE / "configs"
CARDS = {"dual_gpu_12gb.yaml": "12", "dual_gpu_16gb.yaml": "16", "dual_gpu_24gb.yaml": "24"}


def shown(name):
    result = qanat("config", "show", "--json", "--config", CONFIGS / name)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


class ConfigsTest(unittest.TestCase):
    def test_every_file_is_tested(self):
        self.assertEqual({path.name for path in CONFIGS.iterdir()},
                         {"default.yaml", "low_memory.yaml", *CARDS})

    def test_the_default_file_holds_the_defaults(self):
        defaults = json.loads(qanat("config", "show", "--json").stdout)["config"]
        self.assertEqual(shown("default.yaml")["config"], defaults)

    def test_low_memory_bounds_what_takes_memory(self):
        pipeline = shown("low_memory.yaml")["config"]["pipeline"]
        self.assertEqual((pipeline["memory_budget"], pipeline["feature_cache"]), (128, 0))

    def test_the_batches_for_two_cards_fit_them(self):
        table = qanat("devices", "--memory-table").stdout
        sizes = re.search(r"^ +(nano .*)$", table, re.MULTILINE)[1].split()
        for name, card in CARDS.items():
            with self.subTest(name):
                config = shown(name)["config"]
                row = re.search(rf"^{card} GB +(.*)$", table, re.MULTILINE)[1].split()
                largest = dict(zip(sizes, map(int, row[1:])))[config["model"]["size"]]
                self.assertLessEqual(config["data"]["batch_size"], largest)
                self.assertEqual(config["pipeline"]["model_gpu_memory"], int(row[0]))
                self.assertTrue(config["pipeline"]["enable_memory_isolation"])
                self.assertEqual((config["data"]["data_gpu"], config["data"]["model_gpu"]), (0, 1))


if __name__ == "__main__":
    unittest.main()
