"""Mel definitions by name against their originals, written down in double precision from what each
trainer's code does. Needs numpy."""
import importlib.util
import os
import unittest

from tests.corpora import CorpusTest, make_corpus

HAS_NUMPY = importlib.util.find_spec("numpy") is not None
TOLERANCE = 2e-3  # of log-mel; float against double gives 4e-4 on speech
MEAN_TOLERANCE = 1e-5

# rate, fft, hop, window, bands, low, high; slaney or htk bands, area norm, power, centred frames,
# what becomes of a band, rate the bands are for.
ORIGINALS = {
    "hifigan": dict(eps=1e-9),
    "matcha": dict(eps=1e-9, mean=-5.536622, std=2.116101),
    "tacotron2": dict(centred=True),
    "nemo": dict(centred=True, adds=True, symmetric=True),
    "f5": dict(rate=24000, bands=100, high=12000, htk=True, area=False, centred=True),
    "styletts2": dict(rate=24000, fft=2048, hop=300, window=1200, htk=True, area=False, power=True,
                      centred=True, adds=True, mean=-4.0, std=4.0, band_rate=16000),
}


def bands_of(numpy, rate, fft, bands, low, high, htk, area):
    """[bands, bins] triangles, as librosa and torchaudio lay them out."""
    def to_mel(hz):
        if htk:
            return 2595 * numpy.log10(1 + hz / 700)
        return numpy.where(hz < 1000, hz * 3 / 200,
                           15 + 27 * numpy.log(numpy.maximum(hz, 1) / 1000) / numpy.log(6.4))

    def to_hz(mel):
        if htk:
            return 700 * (10 ** (mel / 2595) - 1)
        return numpy.where(mel < 15, mel * 200 / 3, 1000 * 6.4 ** ((mel - 15) / 27))

    edges = to_hz(numpy.linspace(to_mel(numpy.float64(low)), to_mel(numpy.float64(high)), bands + 2))
    bins = numpy.linspace(0, rate / 2, fft // 2 + 1)
    rising = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    weights = numpy.maximum(0, numpy.minimum(rising, falling))
    return weights * (2 / (edges[2:] - edges[:-2]))[:, None] if area else weights


def log_mel(numpy, samples, *, rate=22050, fft=1024, hop=256, window=1024, bands=80, low=0, high=8000,
            htk=False, area=True, power=False, centred=False, adds=False, symmetric=False, eps=0.0,
            mean=0.0, std=1.0, band_rate=None):
    """[frames, bands]"""
    reach = fft // 2 if centred else (fft - hop) // 2
    padded = numpy.pad(samples, reach, mode="reflect")
    frames = 1 + (len(padded) - fft) // hop
    hann = numpy.zeros(fft)
    phase = numpy.arange(window) / (window - 1 if symmetric else window)
    begin = (fft - window) // 2
    hann[begin:begin + window] = 0.5 - 0.5 * numpy.cos(2 * numpy.pi * phase)
    spectra = numpy.fft.rfft(numpy.stack([padded[f * hop:f * hop + fft] * hann
                                          for f in range(frames)]))
    level = abs(spectra) ** 2 if power else numpy.sqrt(abs(spectra) ** 2 + eps)
    mel = level @ bands_of(numpy, band_rate or rate, fft, bands, low, high, htk, area).T
    logs = numpy.log(mel + 1e-5) if adds else numpy.log(numpy.maximum(mel, 1e-5))
    return (logs - mean) / std


@unittest.skipUnless(HAS_NUMPY, "numpy is not installed; try the package python3-numpy")
class Presets(CorpusTest):
    def rows(self, rate, **settings):
        """{item: payload without padding} of an epoch of clips at this rate."""
        import numpy
        import qanat

        folder = os.path.join(self.scratch, str(rate))
        if not os.path.exists(folder):
            make_corpus(folder, utterances=8, rate=rate, seconds=0.5)
        rows = {}
        with qanat.Loader(folder, 4, cache_dir=os.path.join(self.scratch, "cache"),
                          **settings) as loader:
            for batch in loader:
                mel = settings["payload"] == "mel"
                values = numpy.asarray(batch.mel if mel else batch.audio)
                lengths = numpy.asarray(batch.mel_lengths if mel else batch.audio_lengths)
                for row, item in enumerate(batch.items.tolist()):
                    rows[item] = values[row, :lengths[row]].copy()
        return rows

    def test_each_is_what_the_original_makes(self):
        import numpy
        import qanat

        for name, original in ORIGINALS.items():
            with self.subTest(name):
                rate = original.get("rate", 22050)
                self.assertEqual(qanat.mel_presets()[name]["sample_rate"], rate)
                audio = self.rows(rate, payload="audio", mel=name)
                mels = self.rows(rate, payload="mel", mel=name)
                self.assertEqual(len(mels), 8)
                for item, mel in mels.items():
                    expected = log_mel(numpy, audio[item] / 32768.0, **original)
                    self.assertEqual(mel.shape, expected.shape)
                    difference = abs(mel - expected) * original.get("std", 1.0)
                    self.assertLess(difference.max(), TOLERANCE)
                    self.assertLess(difference.mean(), MEAN_TOLERANCE)

    def test_settings_of_ones_own(self):
        import numpy

        own = {"preset": "f5", "sample_rate": 22050, "fft_size": 512, "hop": 160, "window": 400,
               "mel_bins": 40, "fmin": 60, "fmax": 7600, "norm": "slaney"}
        audio = self.rows(22050, payload="audio", mel=own)
        mels = self.rows(22050, payload="mel", mel=own)
        for item, mel in mels.items():
            expected = log_mel(numpy, audio[item] / 32768.0, fft=512, hop=160, window=400, bands=40,
                               low=60, high=7600, htk=True, centred=True)
            self.assertLess(abs(mel - expected).max(), TOLERANCE)


if __name__ == "__main__":
    unittest.main()
