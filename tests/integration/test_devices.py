"""`qanat devices`: what there is to run on."""
import json
import unittest

from program import qanat


class Devices(unittest.TestCase):
    def test_without_a_gpu_it_says_so_and_what_to_do(self):
        result = qanat("devices")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("No GPU was found", result.stdout)
        self.assertIn("--virtual-gpus 2", result.stdout)

    def test_virtual_gpus_are_listed_as_emulated(self):
        result = qanat("devices", "--virtual-gpus", 2, "--virtual-gpu-memory", 512, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        found = json.loads(result.stdout)
        self.assertEqual([device["id"] for device in found["devices"]], ["virtual:0", "virtual:1"])
        self.assertTrue(all(device["emulated"] for device in found["devices"]))
        self.assertEqual({device["memory_mb"] for device in found["devices"]}, {512})
        self.assertTrue(all(device["threads"] >= 1 for device in found["devices"]))
        self.assertRegex(found["libtorch"], r"^\d+\.\d+")
        self.assertGreaterEqual(found["host"]["cores"], 1)

    def test_the_memory_table_grows_with_the_card_and_shrinks_with_the_model(self):
        result = qanat("devices", "--memory-table", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        table = {(row["card_gb"], row["model_size"]): row["batch_size"]
                 for row in json.loads(result.stdout)["memory_table"]}
        self.assertLess(table[12, "tiny"], table[16, "tiny"])
        self.assertLess(table[16, "tiny"], table[24, "tiny"])
        self.assertGreater(table[12, "tiny"], table[12, "small"])
        self.assertIn("24 GB", qanat("devices", "--memory-table").stdout)

    def test_a_negative_number_of_gpus_is_a_usage_error(self):
        self.assertEqual(qanat("devices", "--virtual-gpus", -1).returncode, 2)


if __name__ == "__main__":
    unittest.main()
