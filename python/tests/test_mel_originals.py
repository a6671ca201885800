"""Mel definitions by name against the libraries that their originals call: librosa's bands, torch's stft,
torchaudio's MelSpectrogram, called as each trainer's code calls them. On the clips of a data set that
QANAT_CLIPS names, or on synthetic ones. What needs a library that cannot be imported is skipped."""
import importlib
import os
import unittest

from tests.corpora import CorpusTest, make_corpus, write_wav

TOLERANCE = 2e-3  # of log-mel
# Both sides compute in float32. In bands that hold next to nothing (those above 11 kHz of a clip that was
# recorded at 22 kHz) each is off by up to 5e-3 from the original in double precision, in a few values of a
# million: on 16 clips of LJSpeech and f5, ours in 19 of them, and the original itself in 30 with torch 1.13,
# in 77 with torch 2.15, whose FFT is another one. So the original is 6.5e-3 from itself, in 156 values.
RARE = 1e-4  # of the values
LARGEST = 1e-2
# So ours may not be off from double precision more often, or by more, than so many times the original.
TIMES = 2
CLIPS = 48


def hifigan(samples):
    """meldataset.py: mel_spectrogram()."""
    import librosa
    import torch

    bands = torch.from_numpy(librosa.filters.mel(sr=22050, n_fft=1024, n_mels=80, fmin=0, fmax=8000))
    padded = torch.nn.functional.pad(samples[None, None], (384, 384), mode="reflect")[0]
    spectrum = torch.stft(padded, 1024, hop_length=256, win_length=1024, window=torch.hann_window(1024, dtype=samples.dtype),
                          center=False, onesided=True, return_complex=True)
    level = torch.sqrt(torch.view_as_real(spectrum).pow(2).sum(-1) + 1e-9)
    return torch.log(torch.clamp(bands.to(level.dtype) @ level, min=1e-5))[0].T


def matcha(samples):
    """What its data module makes of it: normalise() with the statistics of LJSpeech."""
    return (hifigan(samples) - -5.536622) / 2.116101


def librosa_log_mel(samples, window, floor):
    import librosa
    import torch

    level = torch.stft(samples[None], 1024, hop_length=256, win_length=1024, window=window, center=True,
                       pad_mode="reflect", return_complex=True).abs()
    bands = librosa.filters.mel(sr=22050, n_fft=1024, n_mels=80, fmin=0, fmax=8000)
    return torch.log(floor(torch.from_numpy(bands).to(level.dtype) @ level))[0].T


def tacotron2(samples):
    """TacotronSTFT: reflected by half a window, magnitudes, clamped."""
    import torch

    return librosa_log_mel(samples, torch.hann_window(1024, dtype=samples.dtype), lambda mel: mel.clamp(min=1e-5))


def nemo(samples):
    """FilterbankFeatures as FastPitch configures it: symmetric window, floor added."""
    import torch

    window = torch.hann_window(1024, periodic=False, dtype=samples.dtype)
    return librosa_log_mel(samples, window, lambda mel: mel + 1e-5)


def in_the_precision_of(samples, transform):
    """A window that was made in float32 stays one, whatever it is converted to."""
    import torch

    made = torch.hann_window(transform.win_length, dtype=samples.dtype)
    transform = transform.to(samples.dtype)
    transform.spectrogram.window = made
    return transform


def f5(samples):
    """MelSpectrogramFeatures of Vocos, get_vocos_mel_spectrogram of F5-TTS."""
    import torch
    import torchaudio

    mel = torchaudio.transforms.MelSpectrogram(sample_rate=24000, n_fft=1024, hop_length=256, n_mels=100,
                                               center=True, power=1, normalized=False, norm=None)
    return torch.log(in_the_precision_of(samples, mel)(samples).clamp(min=1e-5)).T


def styletts2(samples):
    """to_mel and preprocess of meldataset.py: the transform keeps its sample rate of 16 kHz."""
    import torch
    import torchaudio

    mel = torchaudio.transforms.MelSpectrogram(n_mels=80, n_fft=2048, win_length=1200, hop_length=300)
    return ((torch.log(1e-5 + in_the_precision_of(samples, mel)(samples)) - -4) / 4).T


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
                off = Off(deviation, len(mels))
                ours, theirs = Off(deviation, len(mels)), Off(deviation, len(mels))
                for item, mel in mels.items():
                    samples = torch.from_numpy(audio[item].astype("float64") / 32768)
                    expected, exact = original(samples.float()).numpy(), original(samples).numpy()
                    self.assertEqual(mel.shape, expected.shape)
                    off.add(mel, expected)
                    ours.add(mel, exact)
                    theirs.add(expected, exact)
                print(f"{name}: {len(mels)} clips, log-mel off by {off}; from double precision {ours}, "
                      f"the original itself {theirs}")
                self.assertLess(off.rare, RARE)
                self.assertLess(off.largest, LARGEST)
                self.assertLess(off.mean, 1e-5)
                self.assertLessEqual(ours.rare, TIMES * theirs.rare)
                self.assertLess(ours.largest, max(TOLERANCE, TIMES * theirs.largest))


class Off:
    """How far two log-mels are apart, over all clips."""

    def __init__(self, deviation, clips):
        self.deviation, self.clips = deviation, clips
        self.largest = self.mean = self.rare = 0.0

    def add(self, mel, expected):
        off = self.deviation * abs(mel - expected)
        self.largest = max(self.largest, off.max())
        self.mean += off.mean() / self.clips
        self.rare += (off > TOLERANCE).mean() / self.clips

    def __str__(self):
        return (f"{self.largest:.2g} at most and {self.mean:.1g} in the mean, above {TOLERANCE} "
                f"{1e6 * self.rare:.0f} of a million")


if __name__ == "__main__":
    unittest.main()
