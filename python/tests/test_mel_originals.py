"""Mel definitions by name against the libraries that their originals call: librosa's bands, torch's stft,
torchaudio's MelSpectrogram, called as each trainer's code calls them. On the clips of a data set that
QANAT_CLIPS names, or on synthetic ones. What needs a library that cannot be imported is skipped."""
import importlib
import os
import unittest

from tests.corpora import CorpusTest, make_corpus, write_wav

TOLERANCE = 2e-3  # of log-mel
# Both sides compute in float32. In bands that hold next to nothing (those above 11 kHz of a clip that was
# recorded at 22 kHz) each is off by up to 5e-3 from double precision, in a few values of a million.
RARE = 1e-4  # of the values
LARGEST = 1e-2
CLIPS = 48


def hifigan(samples):
    """meldataset.py: mel_spectrogram()."""
    import librosa
    import torch

    bands = torch.from_numpy(librosa.filters.mel(sr=22050, n_fft=1024, n_mels=80, fmin=0, fmax=8000))
    padded = torch.nn.functional.pad(samples[None, None], (384, 384), mode="reflect")[0]
    spectrum = torch.stft(padded, 1024, hop_length=256, win_length=1024, window=torch.hann_window(1024),
                          center=False, onesided=True, return_complex=True)
    level = torch.sqrt(torch.view_as_real(spectrum).pow(2).sum(-1) + 1e-9)
    return torch.log(torch.clamp(bands @ level, min=1e-5))[0].T


def matcha(samples):
    """What its data module makes of it: normalise() with the statistics of LJSpeech."""
    return (hifigan(samples) - -5.536622) / 2.116101


def librosa_log_mel(samples, window, floor):
    import librosa
    import torch

    level = torch.stft(samples[None], 1024, hop_length=256, win_length=1024, window=window, center=True,
                       pad_mode="reflect", return_complex=True).abs()
    bands = librosa.filters.mel(sr=22050, n_fft=1024, n_mels=80, fmin=0, fmax=8000)
    return torch.log(floor(torch.from_numpy(bands) @ level))[0].T


def tacotron2(samples):
    """TacotronSTFT: reflected by half a window, magnitudes, clamped."""
    import torch

    return librosa_log_mel(samples, torch.hann_window(1024), lambda mel: mel.clamp(min=1e-5))


def nemo(samples):
    """FilterbankFeatures as FastPitch configures it: symmetric window, floor added."""
    import torch

    return librosa_log_mel(samples, torch.hann_window(1024, periodic=False), lambda mel: mel + 1e-5)


def f5(samples):
    """MelSpectrogramFeatures of Vocos, get_vocos_mel_spectrogram of F5-TTS."""
    import torch
    import torchaudio

    mel = torchaudio.transforms.MelSpectrogram(sample_rate=24000, n_fft=1024, hop_length=256, n_mels=100,
                                               center=True, power=1, normalized=False, norm=None)
    return torch.log(mel(samples).clamp(min=1e-5)).T


def styletts2(samples):
    """to_mel and preprocess of meldataset.py: the transform keeps its sample rate of 16 kHz."""
    import torch
    import torchaudio

    mel = torchaudio.transforms.MelSpectrogram(n_mels=80, n_fft=2048, win_length=1200, hop_length=300)
    return ((torch.log(1e-5 + mel(samples)) - -4) / 4).T


# by what, and what a difference of log-mel was divided by.
ORIGINALS = {"hifigan": (hifigan, "librosa", 1), "matcha": (matcha, "librosa", 2.116101),
             "tacotron2": (tacotron2, "librosa", 1), "nemo": (nemo, "librosa", 1),
             "f5": (f5, "torchaudio", 1), "styletts2": (styletts2, "torchaudio", 4)}


def missing(*modules):
    """Why one of them cannot be imported; a torchaudio that does not fit its torch raises RuntimeError."""
    for name in modules:
        try:
            importlib.import_module(name)
        except (ImportError, OSError, RuntimeError) as error:
            return f"{name}: {str(error).splitlines()[0]}"
    return None


class Originals(CorpusTest):
    def rows(self, folder, name, payload):
        """{item: payload without padding}"""
        import numpy
        import qanat

        rows = {}
        with qanat.Loader(folder, 4, mel=name, payload=payload, shuffle=False,
                          cache_dir=os.path.join(self.scratch, "cache")) as loader:
            for batch in loader:
                values = numpy.asarray(batch.mel if payload == "mel" else batch.audio)
                lengths = batch.mel_lengths if payload == "mel" else batch.audio_lengths
                for row, length in enumerate(lengths.tolist()):
                    rows[batch.items.tolist()[row]] = values[row, :length].copy()
                if len(rows) >= CLIPS:
                    break
        return rows

    def clips_at(self, rate, name):
        """A data set at the rate of a preset: where nothing is resampled, both get the same samples."""
        folder = os.path.join(self.scratch, f"clips{rate}")
        if os.path.exists(folder):
            return folder
        clips = os.environ.get("QANAT_CLIPS")
        if clips is None:
            return make_corpus(folder, utterances=8, rate=rate, seconds=0.5)
        os.makedirs(os.path.join(folder, "wavs"))
        with open(os.path.join(folder, "metadata.csv"), "w", encoding="utf-8") as manifest:
            for item, samples in self.rows(clips, name, "audio").items():
                write_wav(os.path.join(folder, "wavs", f"{item}.wav"), samples.tolist(), rate)
                manifest.write(f"{item}|a clip|a clip\n")
        return folder

    def test_each_is_what_the_library_of_its_original_makes(self):
        for name, (original, needed, deviation) in ORIGINALS.items():
            with self.subTest(name):
                reason = missing("numpy", "torch", needed)
                if reason:
                    self.skipTest(reason)
                import qanat
                import torch

                folder = self.clips_at(qanat.mel_presets()[name]["sample_rate"], name)
                audio, mels = self.rows(folder, name, "audio"), self.rows(folder, name, "mel")
                self.assertEqual(audio.keys(), mels.keys())
                largest = mean = rare = 0.0
                for item, mel in mels.items():
                    expected = original(torch.from_numpy(audio[item].astype("float32") / 32768))
                    self.assertEqual(mel.shape, tuple(expected.shape))
                    off = deviation * abs(mel - expected.numpy())
                    largest, mean = max(largest, off.max()), mean + off.mean() / len(mels)
                    rare += (off > TOLERANCE).mean() / len(mels)
                print(f"{name}: {len(mels)} clips, log-mel off by {largest:.2g} at most, {mean:.2g} in the "
                      f"mean; above {TOLERANCE}: {1e6 * rare:.0f} of a million values")
                self.assertLess(rare, RARE)
                self.assertLess(largest, LARGEST)
                self.assertLess(mean, 1e-5)


if __name__ == "__main__":
    unittest.main()
