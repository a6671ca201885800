// How wide and deep a model is; the presets are the same on every machine.
#pragma once

namespace qanat {

enum class ModelPreset { nano, tiny, small, normal, big };

// Value. Widths are channels, `ffn` the inner channels of the convolutional feed-forward layers.
struct ModelShape {
  int vocabulary = 0;  // token ids are 0 (padding) to vocabulary - 1
  int speakers = 0;    // 0: no speaker table, only reference audio

  int text_width = 0;
  int text_layers = 0;
  int text_heads = 0;
  int text_ffn = 0;

  int speaker_width = 0;
  int speaker_layers = 0;
  int speaker_heads = 0;
  int speaker_ffn = 0;
  int latents = 0;  // vectors a reference is summarised in

  int decoder_width = 0;
  int decoder_layers = 0;
  int decoder_heads = 0;
  int decoder_ffn = 0;
  int patch = 0;          // mel frames per decoder position
  int postnet_width = 0;  // 0: no postnet

  int mel_bins = 80;
  // The log-mel the model is trained on has these; it works on (mel - mean) / std. LJSpeech's.
  float mel_mean = -5.54F;
  float mel_std = 2.12F;

  bool operator==(const ModelShape&) const = default;
};

ModelShape model_shape(ModelPreset preset, int vocabulary, int speakers = 0);

}  // namespace qanat
