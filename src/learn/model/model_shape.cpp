#include "model/model_shape.h"

namespace qanat {

namespace {

ModelShape widths_and_depths(ModelPreset preset) {
  ModelShape s;
  switch (preset) {
    case ModelPreset::nano:
      s.text_width = 96, s.text_layers = 2, s.text_heads = 2, s.text_ffn = 192;
      s.speaker_width = 96, s.speaker_layers = 1, s.speaker_heads = 2, s.speaker_ffn = 192;
      s.decoder_width = 96, s.decoder_layers = 3, s.decoder_heads = 2, s.decoder_ffn = 192;
      s.latents = 8, s.patch = 4, s.postnet_width = 0;
      break;
    case ModelPreset::tiny:
      s.text_width = 128, s.text_layers = 3, s.text_heads = 2, s.text_ffn = 512;
      s.speaker_width = 128, s.speaker_layers = 2, s.speaker_heads = 2, s.speaker_ffn = 256;
      s.decoder_width = 192, s.decoder_layers = 4, s.decoder_heads = 3, s.decoder_ffn = 512;
      s.latents = 16, s.patch = 4, s.postnet_width = 0;
      break;
    case ModelPreset::small:
      s.text_width = 256, s.text_layers = 4, s.text_heads = 4, s.text_ffn = 768;
      s.speaker_width = 256, s.speaker_layers = 3, s.speaker_heads = 4, s.speaker_ffn = 512;
      s.decoder_width = 256, s.decoder_layers = 4, s.decoder_heads = 4, s.decoder_ffn = 1024;
      s.latents = 32, s.patch = 2, s.postnet_width = 256;
      break;
    case ModelPreset::normal:
      s.text_width = 384, s.text_layers = 6, s.text_heads = 6, s.text_ffn = 1024;
      s.speaker_width = 384, s.speaker_layers = 4, s.speaker_heads = 6, s.speaker_ffn = 512;
      s.decoder_width = 384, s.decoder_layers = 6, s.decoder_heads = 6, s.decoder_ffn = 1024;
      s.latents = 32, s.patch = 2, s.postnet_width = 256;
      break;
    case ModelPreset::big:
      s.text_width = 512, s.text_layers = 8, s.text_heads = 8, s.text_ffn = 1536;
      s.speaker_width = 512, s.speaker_layers = 6, s.speaker_heads = 8, s.speaker_ffn = 768;
      s.decoder_width = 512, s.decoder_layers = 10, s.decoder_heads = 8, s.decoder_ffn = 2048;
      s.latents = 32, s.patch = 2, s.postnet_width = 512;
      break;
  }
  return s;
}

}  // namespace

ModelShape model_shape(ModelPreset preset, int vocabulary, int speakers) {
  ModelShape shape = widths_and_depths(preset);
  shape.vocabulary = vocabulary;
  shape.speakers = speakers;
  return shape;
}

}  // namespace qanat
