#!/usr/bin/env python3
"""HiFi-GAN's generator in PyTorch: what src/voice/speech/hifigan_test.cpp is compared with.

  hifigan.py          prints the samples that the test expects of small generators
  hifigan.py DIR      writes generators of full size with random weights, and what they make of random
                      frames: DIR/v1 and DIR/v3. QANAT_HIFIGAN_ORACLE=DIR makes the test compare.

Needs PyTorch. Written from the paper and the names of the published state dict.
"""
import json
import math
import pathlib
import struct
import sys

import torch
from torch.nn.functional import leaky_relu
from torch.nn.utils import weight_norm

V1 = {"resblock": "1", "upsample_rates": [8, 8, 2, 2], "upsample_kernel_sizes": [16, 16, 4, 4],
      "upsample_initial_channel": 512, "resblock_kernel_sizes": [3, 7, 11],
      "resblock_dilation_sizes": [[1, 3, 5]] * 3}
V3 = {"resblock": "2", "upsample_rates": [8, 8, 4], "upsample_kernel_sizes": [16, 16, 8],
      "upsample_initial_channel": 256, "resblock_kernel_sizes": [3, 5, 7],
      "resblock_dilation_sizes": [[1, 2], [2, 6], [3, 12]]}
MEL = {"num_mels": 80, "n_fft": 1024, "hop_size": 256, "win_size": 1024, "sampling_rate": 22050, "fmin": 0,
       "fmax": 8000}


def same(width, kernel, dilation=1):
    return weight_norm(torch.nn.Conv1d(width, width, kernel, dilation=dilation,
                                       padding=(kernel - 1) * dilation // 2))


class Residual(torch.nn.Module):
    def __init__(self, kind, width, kernel, dilations):
        super().__init__()
        first = torch.nn.ModuleList(same(width, kernel, dilation) for dilation in dilations)
        if kind == "1":
            self.convs1 = first
            self.convs2 = torch.nn.ModuleList(same(width, kernel) for _ in dilations)
        else:
            self.convs = first

    def forward(self, x):
        if hasattr(self, "convs"):
            for one in self.convs:
                x = x + one(leaky_relu(x, 0.1))
            return x
        for one, two in zip(self.convs1, self.convs2):
            x = x + two(leaky_relu(one(leaky_relu(x, 0.1)), 0.1))
        return x


class Generator(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config["upsample_initial_channel"]
        self.blocks_of_a_stage = len(config["resblock_kernel_sizes"])
        self.conv_pre = weight_norm(torch.nn.Conv1d(80, width, 7, padding=3))
        self.ups = torch.nn.ModuleList()
        self.resblocks = torch.nn.ModuleList()
        for rate, kernel in zip(config["upsample_rates"], config["upsample_kernel_sizes"]):
            up = torch.nn.ConvTranspose1d(width, width // 2, kernel, rate, padding=(kernel - rate) // 2)
            self.ups.append(weight_norm(up))
            width //= 2
            for size, dilations in zip(config["resblock_kernel_sizes"], config["resblock_dilation_sizes"]):
                self.resblocks.append(Residual(config["resblock"], width, size, dilations))
        self.conv_post = weight_norm(torch.nn.Conv1d(width, 1, 7, padding=3))

    def forward(self, x):
        x = self.conv_pre(x)
        for i, up in enumerate(self.ups):
            x = up(leaky_relu(x, 0.1))
            first = i * self.blocks_of_a_stage
            x = sum(block(x) for block in self.resblocks[first:first + self.blocks_of_a_stage])
            x = x / self.blocks_of_a_stage
        return torch.tanh(self.conv_post(leaky_relu(x)))


def formula(name, shape):
    """The weights of the test: a formula both sides know."""
    phase = sum(name.encode())
    scale, offset = 0.1, 0.0
    if name.endswith("weight_g"):
        offset = 1.0
    elif name.endswith("weight_v"):
        scale = 1 / math.sqrt(math.prod(shape[1:]))
    values = [offset + scale * math.sin(0.37 * i + phase) for i in range(math.prod(shape))]
    return torch.tensor(values, dtype=torch.float64).float().view(shape)


def small(config, channels):
    config = dict(config, upsample_initial_channel=channels)
    generator = Generator(config)
    generator.load_state_dict({name: formula(name, tuple(value.shape))
                               for name, value in generator.state_dict().items()})
    frames = 6
    mel = torch.tensor([-5 + 3 * math.sin(0.9 * i) for i in range(frames * 80)], dtype=torch.float64)
    with torch.no_grad():
        return generator(mel.float().view(frames, 80).t().unsqueeze(0)).flatten()


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in sorted(tensors.items()):
        raw = tensor.detach().contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def write_full(folder, config):
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    generator = Generator(config)
    mel = -5 + 2 * torch.randn(40, 80)
    with torch.no_grad():
        audio = generator(mel.t().unsqueeze(0)).flatten()
    (folder / "config.json").write_text(json.dumps({**config, **MEL}))
    write_safetensors(folder / "generator.safetensors", generator.state_dict())
    write_safetensors(folder / "oracle.safetensors", {"mel": mel, "audio": audio})


def main():
    if len(sys.argv) > 1:
        for name, config in (("v1", V1), ("v3", V3)):
            write_full(pathlib.Path(sys.argv[1]) / name, config)
        return
    for name, config, channels in (("v1", V1, 16), ("v3", V3, 8)):
        audio = small(config, channels)
        print(name, len(audio), ", ".join(f"{value:.8f}" for value in audio[100::120]))


if __name__ == "__main__":
    main()
