#!/usr/bin/env python3
"""`python -m piper.train` with qanat.Loader in place of its data module: no cache of tensors to prepare, and
batches of clips of like length. Everything else, its arguments included, is piper's own.

    pip install dist/qanat-*.whl 'piper-tts[train]'
    python3 examples/piper_with_loader.py fit --data.csv_path LJSpeech-1.1/metadata.csv --data.voice_name mine \\
        --data.espeak_voice en-us --data.cache_dir runs/piper --data.config_path runs/piper/config.json

Differs from piper's: silence at the ends is not trimmed.
"""
import itertools
import json

import qanat
import torch
from piper.config import PhonemeType, PiperConfig
from piper.phoneme_ids import DEFAULT_PHONEME_ID_MAP, phonemes_to_ids
from piper.phonemize_espeak import EspeakPhonemizer
from piper.train.__main__ import _DEFAULT_CALLBACKS, VitsLightningCLI
from piper.train.vits.dataset import Batch, VitsDataModule
from piper.train.vits.lightning import VitsModel
from piper.train.vits.mel_processing import spectrogram_torch


class QanatDataModule(VitsDataModule):
    test_dataset = ()  # of clips that piper would speak after each validation

    def prepare_data(self):
        config = PiperConfig(num_symbols=self.num_symbols, num_speakers=self.num_speakers,
                             sample_rate=self.sample_rate, espeak_voice=self.espeak_voice,
                             phoneme_id_map=DEFAULT_PHONEME_ID_MAP, phoneme_type=PhonemeType.ESPEAK,
                             piper_version="1.5.0")
        self.config_path.parent.mkdir(parents=True, exist_ok=True)
        self.config_path.write_text(json.dumps(config.to_dict(), ensure_ascii=False, indent=2))

    def setup(self, stage):
        self.phonemizer = EspeakPhonemizer()
        self.ids = {}  # of utterances that were met

    def loader(self, split):
        loader = qanat.Loader(self.csv_path, self.batch_size, payload="audio", split=split,
                              val_split=self.validation_split, shuffle=split == "train",
                              mel={"sample_rate": self.sample_rate, "hop": self.hop_length},
                              transform=lambda batch: self.to_piper(batch, loader))
        return loader

    def train_dataloader(self):
        return self.loader("train")

    def val_dataloader(self):
        return self.loader("validation") if self.validation_split else []

    def phoneme_ids(self, loader, item):
        if item not in self.ids:
            sentences = self.phonemizer.phonemize(self.espeak_voice, loader.utterance(item)["text"])
            self.ids[item] = torch.tensor(list(itertools.chain(*(
                phonemes_to_ids(sentence, id_map=DEFAULT_PHONEME_ID_MAP) for sentence in sentences))))
        return self.ids[item]

    def to_piper(self, batch, loader):
        samples = torch.from_dlpack(batch.audio)  # int16 [rows, samples]
        audio_lengths = torch.from_dlpack(batch.audio_lengths).long()
        width = max(int(samples.shape[1]), self.segment_size)
        audio = torch.zeros(len(batch), 1, width)
        audio[:, 0, :samples.shape[1]] = samples / 32768.0
        spectra = [spectrogram_torch(audio[row, :, :length], self.filter_length, self.sample_rate,
                                     self.hop_length, self.win_length)[0]
                   for row, length in enumerate(audio_lengths.tolist())]
        ids = [self.phoneme_ids(loader, item) for item in batch.items.tolist()]
        speakers = torch.from_dlpack(batch.speakers).long().clone() if self.is_multispeaker else None
        return Batch(
            phoneme_ids=torch.nn.utils.rnn.pad_sequence(ids, batch_first=True),
            phoneme_lengths=torch.tensor([len(one) for one in ids]),
            spectrograms=torch.nn.utils.rnn.pad_sequence([one.T for one in spectra], True).mT.contiguous(),
            spectrogram_lengths=torch.tensor([one.shape[1] for one in spectra]),
            audios=audio, audio_lengths=audio_lengths.clone(), speaker_ids=speakers)


def main():
    VitsLightningCLI(VitsModel, QanatDataModule,
                     trainer_defaults={"max_epochs": -1, "callbacks": _DEFAULT_CALLBACKS})


if __name__ == "__main__":
    main()
