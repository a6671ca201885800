#!/usr/bin/env python3
"""Makes a Piper voice of the medium architecture with random weights, by Piper's own exporter: for timings, not for ears.

  piper_model.py OUT.onnx [--site FOLDER]     FOLDER: site-packages that has piper, where this Python has none

Needs piper-tts and torch. Lightning, with which Piper trains, is replaced by a stub where it is missing: the exporter
takes nothing of it but the weights.
"""
import argparse
import json
import pathlib
import sys
import types


def stub_lightning(torch):
    """As much of lightning as a module needs to be made and not trained."""
    class LightningModule(torch.nn.Module):
        def save_hyperparameters(self):
            import inspect
            frame = inspect.currentframe().f_back
            names = inspect.getargvalues(frame).locals
            self.hparams = types.SimpleNamespace(**{k: v for k, v in names.items() if k != "self"})

        @classmethod
        def load_from_checkpoint(cls, *_, **__):
            torch.manual_seed(1)
            return cls(mos_metric=None)

    module = types.ModuleType("lightning")
    module.LightningModule = LightningModule
    module.LightningDataModule = object
    sys.modules["lightning"] = module


class Missing(types.ModuleType):
    """Anything that training would import."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--site", help="site-packages with piper")
    options = parser.parse_args()
    if options.site:
        sys.path.append(options.site)
    import torch
    try:
        import lightning  # noqa: F401
    except ImportError:
        stub_lightning(torch)
    for name in ("dataset", "mos", "mel_processing"):
        sys.modules[f"piper.train.vits.{name}"] = Missing(name)
    # Only the training part of the package is needed; its __init__ would load ONNX Runtime.
    if options.site:
        package = types.ModuleType("piper")
        package.__path__ = [str(pathlib.Path(options.site) / "piper")]
        sys.modules["piper"] = package
    from piper.train import export_onnx
    sys.argv = ["export_onnx", "--checkpoint", "none", "--output-file", str(options.out)]
    export_onnx.main()
    symbols = {symbol: [number] for number, symbol in enumerate("_^$ !'(),-.:;?abcdefghijklmnopqrstuvwxyz")}
    for number, symbol in enumerate("æçðøħŋœɐɑɒɔəɚɛɜɡɪɫɹɾʃʊʌʒʔˈˌːθ̩ᵻ", len(symbols)):
        symbols[symbol] = [number]
    options.out.with_suffix(".onnx.json").write_text(json.dumps({
        "audio": {"sample_rate": 22050, "quality": "medium"}, "espeak": {"voice": "en-us"},
        "inference": {"noise_scale": 0.667, "length_scale": 1, "noise_w": 0.8}, "phoneme_type": "espeak",
        "phoneme_id_map": symbols, "num_symbols": 256, "num_speakers": 1, "speaker_id_map": {},
        "piper_version": "1.0.0", "hop_length": 256}), encoding="utf-8")
    print(f"{options.out}: {options.out.stat().st_size >> 20} MiB")


if __name__ == "__main__":
    main()
