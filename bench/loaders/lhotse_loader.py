#!/usr/bin/env python3
"""Lhotse: cuts, its sampler, and features on the fly in the workers of PyTorch's DataLoader. The extractor
is ours, with the mel of the job: Lhotse's own is another one. Its manifest is made once, beside the
corpus, as its users prepare it."""
import time

START = time.monotonic()

import dataclasses  # noqa: E402
import os  # noqa: E402

import numpy  # noqa: E402
import torch  # noqa: E402
from lhotse import CutSet, MonoCut, Recording  # noqa: E402
from lhotse.audio.backend import AudioBackend, set_current_audio_backend  # noqa: E402
from lhotse.audio.source import AudioSource  # noqa: E402
from lhotse.dataset import OnTheFlyFeatures, SimpleCutSampler  # noqa: E402
from lhotse.features.base import FeatureExtractor, register_extractor  # noqa: E402
from torch.utils.data import DataLoader, Dataset  # noqa: E402

import job  # noqa: E402
from torch_mel import TorchMel  # noqa: E402


class WaveReader(AudioBackend):
    """Whole WAV files, as the others read them: quicker than Lhotse's readers."""

    def read_audio(self, path_or_fd, *_, **__):
        samples = job.read_samples(str(path_or_fd))
        return numpy.multiply(samples, numpy.float32(1 / 32768), dtype=numpy.float32)[None], job.RATE


@dataclasses.dataclass
class MelConfig:
    sampling_rate: int = job.RATE

    def to_dict(self):
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, data):
        return cls(**data)


@register_extractor
class Mel(FeatureExtractor):
    name = "log-mel-of-the-job"
    config_type = MelConfig
    frame_shift = job.HOP / job.RATE

    def __init__(self, config=None):
        super().__init__(config=config)
        self.mel = TorchMel(full_scale=1.0)

    def feature_dim(self, sampling_rate):
        return job.BANDS

    def extract(self, samples, sampling_rate):
        samples = torch.as_tensor(samples).flatten()
        mel = torch.empty(len(samples) // job.HOP, job.BANDS)
        self.mel.write(samples, mel)
        return mel

    def extract_batch(self, samples, sampling_rate, lengths=None):
        return [self.extract(one, sampling_rate) for one in samples]


def cut_of(name, file):
    samples = len(job.read_samples(file))
    recording = Recording(id=name, sources=[AudioSource(type="file", channels=[0], source=file)],
                          sampling_rate=job.RATE, num_samples=samples, duration=samples / job.RATE)
    return MonoCut(id=name, start=0, duration=recording.duration, channel=0, recording=recording)


def read_cuts(corpus):
    path = os.path.join(corpus.folder, "lhotse_cuts.jsonl")
    if not os.path.exists(path):
        CutSet.from_cuts(map(cut_of, corpus.ids, corpus.files)).to_file(path + ".part.jsonl")
        os.replace(path + ".part.jsonl", path)
    return CutSet.from_file(path).to_eager()


class Features(Dataset):
    def __init__(self, corpus):
        self.position = {name: i for i, name in enumerate(corpus.ids)}
        self.features = OnTheFlyFeatures(Mel(), use_batch_extract=True)

    def __getitem__(self, cuts):
        mels, lengths = self.features(cuts)[:2]
        return [self.position[cut.id] for cut in cuts], lengths.tolist(), mels


class Endless:
    def __init__(self, sampler):
        self.sampler = sampler

    def __iter__(self):
        epoch = 0
        while True:
            self.sampler.set_epoch(epoch)
            yield from self.sampler
            epoch += 1


def one_thread(_):
    torch.set_num_threads(1)


def main():
    options = job.options_of("Lhotse on an LJSpeech folder", ("--prefetch", 2, None))
    job.keep_freed_memory()
    torch.set_num_threads(1)
    set_current_audio_backend(WaveReader())
    corpus = job.Corpus(options.corpus)
    sampler = SimpleCutSampler(read_cuts(corpus), max_cuts=options.batch, shuffle=True, drop_last=False)
    loader = DataLoader(Features(corpus), sampler=Endless(sampler), batch_size=None,
                        num_workers=options.workers, prefetch_factor=options.prefetch,
                        worker_init_fn=one_thread)
    iterator = iter(loader)
    job.run(options, corpus, iterator, START)
    iterator._shutdown_workers()


if __name__ == "__main__":
    main()
