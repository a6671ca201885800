"""The examples stay valid: they compile, name only what the package has, and run. Packages that are not
installed are faked as far as an example uses them; torch is needed for those that train."""
import ast
import importlib.util
import json
import os
import pathlib
import re
import runpy
import subprocess
import sys
import types
import unittest
from unittest import mock

import qanat
from tests.corpora import CorpusTest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
HAS_TORCH = importlib.util.find_spec("torch") is not None
PROGRAM = os.environ.get("QANAT_BIN")
PACKAGE = str(pathlib.Path(qanat.__file__).parents[1])


# A batch of its data module. What aligns text and sound is compiled by those who train: not in the wheel.
PIPER = """
import os, runpy, sys, types
core = types.ModuleType("piper.train.vits.monotonic_align.monotonic_align.core")
core.maximum_path_c = None
sys.modules[core.__name__[:-5]] = types.ModuleType(core.__name__[:-5])
sys.modules[core.__name__] = core
example = runpy.run_path(sys.argv[1])
data = example["QanatDataModule"](
    csv_path=os.path.join(sys.argv[2], "metadata.csv"), cache_dir="piper", espeak_voice="en-us",
    config_path="piper/config.json", voice_name="demo", batch_size=4)
data.prepare_data()
data.setup("fit")
batch = next(iter(data.train_dataloader()))
print(tuple(batch.spectrograms.shape[:2]), batch.audios.dtype, len(batch.phoneme_ids))
"""


def cells_of(notebook):
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def sources():
    """(name, source) of scripts and cells."""
    for script in SCRIPTS:
        yield script.name, script.read_text(encoding="utf-8")
    for notebook in NOTEBOOKS:
        for number, cell in enumerate(cells_of(notebook)):
            yield f"{notebook.name} [{number}]", cell


class Sources(unittest.TestCase):
    def test_there_are_some(self):
        self.assertGreaterEqual(len(SCRIPTS), 4)
        self.assertEqual(len(NOTEBOOKS), 1)

    def test_each_compiles_and_names_what_there_is(self):
        for name, source in sources():
            with self.subTest(name):
                for node in ast.walk(ast.parse(source, name)):
                    if (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
                            and node.value.id == "qanat" and node.attr != "callbacks"):
                        self.assertTrue(hasattr(qanat, node.attr), f"qanat.{node.attr}")

    def test_notebooks_hold_no_output(self):
        for notebook in NOTEBOOKS:
            for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
                self.assertFalse(cell.get("outputs"))

    def test_the_list_of_examples_is_complete(self):
        listed = set(re.findall(r"\]\(([\w.]+)\)", (EXAMPLES / "README.md").read_text(encoding="utf-8")))
        self.assertLessEqual({path.name for path in (*SCRIPTS, *NOTEBOOKS)}, listed)


class FakeTrainer:
    """Runs training steps as Lightning does, on the processor."""

    def __init__(self, max_epochs, callbacks, **_):
        self.max_epochs, self.callbacks, self.global_step = max_epochs, callbacks, 0

    def fit(self, model, loader, ckpt_path=None):
        optimizer = model.configure_optimizers()
        for _ in range(self.max_epochs):
            for index, batch in enumerate(loader):
                optimizer.zero_grad()
                model.training_step(batch, index).backward()
                optimizer.step()
                self.global_step += 1


def fake_lightning(torch):
    lightning = types.ModuleType("lightning")
    lightning.LightningModule = torch.nn.Module
    lightning.Trainer = FakeTrainer
    lightning.Callback = object
    checkpoints = types.SimpleNamespace(ModelCheckpoint=lambda *_, **__: None, Callback=object)
    lightning.pytorch = types.ModuleType("lightning.pytorch")
    lightning.pytorch.callbacks = checkpoints
    lightning.pytorch.Callback = object
    return {"lightning": lightning, "lightning.pytorch": lightning.pytorch}


@unittest.skipUnless(HAS_TORCH, "torch is not installed; try the package python3-torch")
class Runs(CorpusTest):
    def setUp(self):
        before = os.getcwd()
        os.chdir(self.scratch)
        self.addCleanup(os.chdir, before)

    def run_script(self, name, *arguments):
        with mock.patch.object(sys, "argv", [name, *arguments]):
            runpy.run_path(str(EXAMPLES / name), run_name="__main__")

    def test_train_with_loader(self):
        self.run_script("train_with_loader.py", self.data)
        self.assertTrue(os.path.exists("autoencoder.pt"))

    def test_loader_any_data(self):
        self.run_script("loader_any_data.py", os.path.join(self.data, "wavs"))

    def test_pinned_loader(self):
        self.run_script("pinned_memory.py", self.data)

    def test_lightning_with_loader(self):
        import torch

        if importlib.util.find_spec("lightning") is None:
            patch = mock.patch.dict(sys.modules, fake_lightning(torch))
            patch.start()
            self.addCleanup(patch.stop)
        self.run_script("lightning_with_loader.py", self.data, "runs")
        self.assertTrue(os.path.exists("runs/journal.jsonl"))

    def test_lightning_goes_on_with_the_next_batch(self):
        if importlib.util.find_spec("lightning") is None:
            self.skipTest("lightning is not installed")
        import lightning

        example = runpy.run_path(str(EXAMPLES / "lightning_with_loader.py"))

        def fit(steps, checkpoint=None):
            seen = []

            def note(batch):
                seen.append((batch.epoch, batch.index))
                return example["to_tensors"](batch)

            saved = lightning.pytorch.callbacks.ModelCheckpoint("saved", save_last=True, save_top_k=0,
                                                                every_n_train_steps=1)
            trainer = lightning.Trainer(max_steps=steps, logger=False, enable_progress_bar=False,
                                        enable_model_summary=False, callbacks=[saved])
            trainer.fit(example["Denoiser"](), self.loader(transform=note), ckpt_path=checkpoint)
            return seen

        self.assertEqual(fit(8) + fit(15, "saved/last.ckpt"), [(i // 6, i % 6) for i in range(15)])

    @unittest.skipUnless(PROGRAM, "QANAT_BIN does not name the program")
    def test_the_notebook(self):
        os.symlink(self.data, "demo")
        with mock.patch.dict(os.environ, {"PYTHONPATH": PACKAGE}):
            names = {"__name__": "__main__"}
            for cell in cells_of(NOTEBOOKS[0]):
                exec(compile(cell, NOTEBOOKS[0].name, "exec"), names)
        self.assertIn("runs/notebook", names["said"].args[-1])
        self.assertIn("VERDICT", names["said"].stdout)

    def test_piper_with_loader(self):
        if not all(map(importlib.util.find_spec, ("piper", "lightning", "librosa"))):
            self.skipTest("piper-tts[train] is not installed")
        done = subprocess.run([sys.executable, "-c", PIPER, str(EXAMPLES / "piper_with_loader.py"), self.data],
                              capture_output=True, text=True, env={**os.environ, "PYTHONPATH": PACKAGE})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("(4, 513) torch.float32 4", done.stdout)


if __name__ == "__main__":
    unittest.main()
