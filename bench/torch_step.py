#!/usr/bin/env python3
"""The training step of the nano model in Python, as one would write it with PyTorch 1.13.

Reads the weights and inputs that `qanat_step_bench --make` wrote, and prints one JSON object:
the loss of the first step, and the seconds of each timed one. Parameters have the names they have
in C++. Durations and the alignment prior are given, not computed in the step.
"""
import argparse
import json
import math
import struct
import time

import numpy
import torch
from torch import nn
from torch.nn import functional

MEL_MEAN, MEL_STD, BINS = -5.54, 2.12, 80
WIDTH, HEADS, FFN, LATENTS, PATCH = 96, 2, 192, 8, 4


def read_safetensors(path):
    types = {"F32": numpy.float32, "I64": numpy.int64}
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        body = file.read()
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values = numpy.frombuffer(body[begin:end], types[entry["dtype"]]).copy()
        tensors[name] = torch.from_numpy(values).reshape(entry["shape"])
    return tensors


def mask_of(lengths, positions):
    """(1 where real [B, T, 1], additive bias of keys [B, 1, 1, T])."""
    valid = (torch.arange(positions)[None] < lengths[:, None]).float()
    return valid[:, :, None], (valid - 1)[:, None, None] * 1e4


def positions_of(count, channels):
    frequency = torch.exp(torch.arange(0, channels, 2) * (-math.log(10000.0) / channels))
    angle = torch.arange(count)[:, None] * frequency[None]
    return torch.cat([angle.sin(), angle.cos()], 1)


def convolve(layer, x):
    return layer(x.transpose(1, 2)).transpose(1, 2)


def conv(inside, outside, kernel, stride=1):
    return nn.Conv1d(inside, outside, kernel, stride, padding=kernel // 2)


def attend(q, k, v, bias):
    q, k, v = (x.view(x.size(0), x.size(1), HEADS, -1).transpose(1, 2) for x in (q, k, v))
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
    if bias is not None:
        scores = scores + bias
    return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)


class SelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.queries_keys_values = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x, bias):
        return self.out(attend(*self.queries_keys_values(x).chunk(3, -1), bias))


class CrossAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.queries = nn.Linear(WIDTH, WIDTH)
        self.keys_values = nn.Linear(WIDTH, 2 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x, context, bias):
        return self.out(attend(self.queries(x), *self.keys_values(context).chunk(2, -1), bias))


class FeedForward(nn.Module):
    def __init__(self, layer):
        super().__init__()
        setattr(self, "in", layer(WIDTH, FFN))
        self.out = layer(FFN, WIDTH)


class ConvFeedForward(FeedForward):
    def __init__(self):
        super().__init__(lambda a, b: conv(a, b, 3))

    def forward(self, x, valid):
        x = functional.silu(getattr(self, "in")((x * valid).transpose(1, 2)))
        return self.out(x * valid.transpose(1, 2)).transpose(1, 2)


class Block(nn.Module):
    def __init__(self, with_context):
        super().__init__()
        self.attention_norm, self.attention = nn.LayerNorm(WIDTH), SelfAttention()
        if with_context:
            self.context_norm, self.context_attention = nn.LayerNorm(WIDTH), CrossAttention()
        self.ffn_norm, self.ffn = nn.LayerNorm(WIDTH), ConvFeedForward()

    def forward(self, x, mask, context=None):
        valid, bias = mask
        x = x + self.attention(self.attention_norm(x), bias)
        if context is not None:
            x = x + self.context_attention(self.context_norm(x), context, None)
        return x + self.ffn(self.ffn_norm(x), valid)


class PerceiverLayer(FeedForward):
    def __init__(self):
        super().__init__(nn.Linear)
        self.attention_norm, self.attention = nn.LayerNorm(WIDTH), CrossAttention()
        self.ffn_norm = nn.LayerNorm(WIDTH)

    def forward(self, latents, x, bias):
        latents = latents + self.attention(self.attention_norm(latents), x, bias)
        return latents + self.out(functional.silu(getattr(self, "in")(self.ffn_norm(latents))))


class TextEncoder(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, WIDTH)
        self.convolutions = nn.ModuleList(conv(WIDTH, WIDTH, 5) for _ in range(3))
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(3))
        self.speaker = nn.Linear(WIDTH, WIDTH)
        self.blocks = nn.ModuleList(Block(False) for _ in range(2))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, x, speaker, mask):
        for layer, norm in zip(self.convolutions, self.norms):
            x = x + functional.silu(norm(convolve(layer, x * mask[0])))
        x = x + self.speaker(speaker)[:, None] + positions_of(x.size(1), WIDTH)
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x)


class SpeakerEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = conv(BINS, WIDTH, 3, 2), conv(WIDTH, WIDTH, 3, 2)
        self.blocks = nn.ModuleList([Block(False)])
        self.queries = nn.Parameter(torch.randn(LATENTS, WIDTH))
        self.nobody = nn.Parameter(torch.randn(LATENTS, WIDTH))
        self.layers = nn.ModuleList(PerceiverLayer() for _ in range(2))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, mel, lengths, condition):
        x = functional.silu(convolve(self.first, mel * mask_of(lengths, mel.size(1))[0]))
        lengths = (lengths + 1) // 2
        x = functional.silu(convolve(self.second, x * mask_of(lengths, x.size(1))[0]))
        mask = mask_of((lengths + 1) // 2, x.size(1))
        x = x + positions_of(x.size(1), WIDTH)
        for block in self.blocks:
            x = block(x, mask)
        latents = self.queries[None].expand(x.size(0), -1, -1)
        for layer in self.layers:
            latents = layer(latents, x, mask[1])
        share = condition[:, None, None]
        latents = self.norm(latents) * share + self.nobody * (1 - share)
        return latents, latents.mean(1)


class Aligner(nn.Module):
    def __init__(self):
        super().__init__()
        self.key_in, self.key_out = conv(WIDTH, 2 * WIDTH, 3), conv(2 * WIDTH, BINS, 1)
        self.query_in, self.query_inner = conv(BINS, 2 * BINS, 3), conv(2 * BINS, BINS, 1)
        self.query_out = conv(BINS, BINS, 1)

    def forward(self, embedded, mel, valid_tokens, valid_frames, prior):
        keys = (embedded * valid_tokens).transpose(1, 2)
        keys = self.key_out(functional.silu(self.key_in(keys)))  # [B, 80, N]
        queries = functional.silu(self.query_in((mel * valid_frames).transpose(1, 2)))
        queries = self.query_out(functional.silu(self.query_inner(queries))).transpose(1, 2)
        scores = (queries @ keys * 2 - (keys ** 2).sum(1, keepdim=True)) * 0.05
        padding = valid_tokens.transpose(1, 2) == 0
        fit = scores.masked_fill(padding, -1e4).log_softmax(2)
        return (fit + prior).masked_fill(padding, -1e4)


class DurationPredictor(nn.Module):
    def __init__(self):
        super().__init__()
        self.speaker = nn.Linear(WIDTH, WIDTH)
        self.first, self.first_norm = conv(WIDTH, WIDTH, 3), nn.LayerNorm(WIDTH)
        self.second, self.second_norm = conv(WIDTH, WIDTH, 3), nn.LayerNorm(WIDTH)
        self.out = nn.Linear(WIDTH, 1)

    def forward(self, encoded, speaker, valid):
        x = encoded.detach() + self.speaker(speaker.detach())[:, None]
        x = self.first_norm(functional.silu(convolve(self.first, x * valid)))
        x = self.second_norm(functional.silu(convolve(self.second, x * valid)))
        return self.out(x).squeeze(2)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        setattr(self, "in", nn.Linear(PATCH * (WIDTH + 3), WIDTH))
        self.blocks = nn.ModuleList(Block(True) for _ in range(3))
        self.norm = nn.LayerNorm(WIDTH)
        self.out = nn.Linear(WIDTH, PATCH * BINS)

    def forward(self, frames, mask, latents):
        batch, count = frames.size(0), frames.size(1) // PATCH
        x = getattr(self, "in")(frames.view(batch, count, -1)) + positions_of(count, WIDTH)
        for block in self.blocks:
            x = block(x, mask, latents)
        return self.out(self.norm(x)).view(batch, count * PATCH, BINS)


class Model(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.text_encoder, self.speaker_encoder = TextEncoder(vocabulary), SpeakerEncoder()
        self.aligner, self.duration_predictor = Aligner(), DurationPredictor()
        self.prior_mean, self.decoder = nn.Linear(WIDTH, BINS), Decoder()

    def losses(self, batch):
        """The parts of each row: [B] each."""
        target = (batch["mel"] - MEL_MEAN) / MEL_STD
        tokens = mask_of(batch["token_lengths"], batch["tokens"].size(1))
        frames = mask_of(batch["mel_lengths"], target.size(1))
        embedded = self.text_encoder.embedding(batch["tokens"])
        alignment = self.aligner(embedded, target, tokens[0], frames[0], batch["prior"])
        latents, speaker = self.speaker_encoder((batch["reference"] - MEL_MEAN) / MEL_STD,
                                                batch["reference_lengths"], batch["condition"])
        text = self.text_encoder(embedded, speaker, tokens)
        log_durations = self.duration_predictor(text, speaker, tokens[0])
        token, phase, valid = batch["places"]
        prior_mean = repeat(self.prior_mean(text), token) * valid
        positions = mask_of((batch["mel_lengths"] + PATCH - 1) // PATCH, target.size(1) // PATCH)
        paced = torch.cat([repeat(text, token) * valid, phase], 2)
        mel = self.decoder(paced, positions, latents) + prior_mean
        weights = batch["mel_weights"]
        chosen = alignment.gather(2, token[:, :, None]).squeeze(2)
        wrong = (log_durations - batch["durations"].clamp(min=1).float().log()) ** 2
        return {"mel": mean((mel - target).abs().mean(2), weights),
                "prior": mean((prior_mean - target).abs().mean(2), weights),
                "forward_sum": forward_sum(alignment, batch),
                "binarisation": mean(alignment.logsumexp(2) - chosen, frames[0].squeeze(2)),
                "duration": mean(wrong, tokens[0].squeeze(2))}


def mean(values, weights):
    return (values * weights).sum(1) / weights.sum(1).clamp(min=1)


def repeat(x, token):
    return x.gather(1, token[:, :, None].expand(-1, -1, x.size(2)))


def forward_sum(alignment, batch):
    classes = functional.pad(alignment, (1, 0), value=-1.0).log_softmax(2).transpose(0, 1)
    targets = torch.arange(1, alignment.size(2) + 1)[None].expand(alignment.size(0), -1)
    losses = functional.ctc_loss(classes, targets, batch["mel_lengths"], batch["token_lengths"],
                                 reduction="none")
    return losses / batch["token_lengths"]


def prior_of(batch):
    """Log of the beta-binomial prior, [B, T, N]."""
    n = (batch["token_lengths"] - 1).double()[:, None, None]
    total = batch["mel_lengths"].double()[:, None, None]
    t = torch.arange(batch["mel"].size(1)).double()[None, :, None]
    k = torch.arange(batch["tokens"].size(1)).double()[None, None]
    a, b, rest = t + 1, (total - t).clamp(min=1), (n - k).clamp(min=0)
    ways = torch.lgamma(n + 1) - torch.lgamma(k + 1) - torch.lgamma(rest + 1)
    above = torch.lgamma(k + a) + torch.lgamma(rest + b) - torch.lgamma(k + a + rest + b)
    below = torch.lgamma(a) + torch.lgamma(b) - torch.lgamma(a + b)
    return (ways + above - below).float()


def places_of(batch):
    """Token of each frame [B, T], features of its phase [B, T, 3], 1 where real [B, T, 1]."""
    durations = batch["durations"]
    ends = durations.cumsum(1)
    frame = torch.arange(batch["mel"].size(1))[None].expand(ends.size(0), -1).contiguous()
    token = torch.searchsorted(ends, frame, right=True).clamp(max=ends.size(1) - 1)
    valid = (frame < ends[:, -1:]).float()[:, :, None]
    length = durations.gather(1, token).clamp(min=1).float()
    phase = (frame + length - ends.gather(1, token) + 0.5) / length
    features = torch.stack([phase - 0.5, (phase * math.pi).sin(), length.log()], 2)
    return token, features * valid, valid


def load(path):
    tensors = read_safetensors(path)
    weights = {k[7:]: v for k, v in tensors.items() if k.startswith("weight.")}
    batch = {k[6:]: v for k, v in tensors.items() if k.startswith("input.")}
    batch["condition"] = torch.ones(batch["tokens"].size(0))
    batch["prior"], batch["places"] = prior_of(batch), places_of(batch)
    model = Model(weights["text_encoder.embedding.weight"].size(0))
    model.load_state_dict(weights)
    return model, batch


def loss_of(model, batch):
    """Mean over frames."""
    parts = model.losses(batch)
    rows = (parts["mel"] + 0.5 * parts["prior"] + 0.5 * parts["forward_sum"] +
            0.1 * parts["binarisation"] + 0.1 * parts["duration"])
    frames = batch["mel_lengths"].float()
    return (rows * frames).sum() / frames.sum()


def make_optimiser(model):
    groups = [{"params": [p for p in model.parameters() if p.dim() > 1], "weight_decay": 0.01},
              {"params": [p for p in model.parameters() if p.dim() <= 1], "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=1e-4, betas=(0.9, 0.98), foreach=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", type=int, default=10)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    model, batch = load(options.case)
    first = loss_of(model, batch)
    first.backward()
    optimiser = make_optimiser(model)
    seconds = []
    for _ in range(options.steps):
        begin = time.perf_counter()
        optimiser.zero_grad(set_to_none=True)
        loss_of(model, batch).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        seconds.append(time.perf_counter() - begin)
    print(json.dumps({"loss": first.item(), "seconds": seconds}))


if __name__ == "__main__":
    main()
