#include "clips.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "audio/audio_decoder.h"
#include "base/error.h"
#include "corpus/demo_corpus.h"
#include "dataset/manifest.h"
#include "features/mel_extractor.h"
#include "text/text_front_end.h"

namespace qanat {

namespace {

constexpr std::int64_t kMelBins = 80;

// Decodes and transforms one file after another.
class MelReader {
 public:
  MelReader() : decoder_(SampleRate{22050}) {}

  torch::Tensor read(const std::filesystem::path& file) {
    const auto samples = decoder_.decode_pcm16(file);
    if (!samples) {
      throw Error("{}: {}", file.string(), samples.failure().what);
    }
    const SampleCount count{static_cast<std::int64_t>(samples.value().size())};
    const std::int64_t frames = mel_frames(count, extractor_.config()).value;
    torch::Tensor mel = torch::empty({frames, kMelBins});
    extractor_.extract(samples.value(),
                       {mel.data_ptr<float>(), static_cast<std::size_t>(mel.numel())});
    return mel;
  }

 private:
  AudioDecoder decoder_;
  MelExtractor extractor_;
};

Clip read_phones(const nlohmann::json& line, std::map<std::string, std::int64_t>& ids, int hop) {
  Clip clip;
  clip.id = line.at("id");
  for (const auto& phone : line.at("phones")) {
    const auto next = static_cast<std::int64_t>(ids.size()) + 1;  // 0 is padding
    clip.tokens.push_back(ids.emplace(phone.at(0), next).first->second);
    clip.starts.push_back(phone.at(1).get<double>() / hop);
  }
  return clip;
}

torch::Tensor pad_rows(const std::vector<torch::Tensor>& rows, double value) {
  std::int64_t longest = 0;
  for (const torch::Tensor& row : rows) {
    longest = std::max(longest, row.size(0));
  }
  std::vector<torch::Tensor> padded;
  for (const torch::Tensor& row : rows) {
    std::vector<std::int64_t> pad(static_cast<std::size_t>(2 * row.dim()), 0);
    pad.back() = longest - row.size(0);
    padded.push_back(torch::constant_pad_nd(row, pad, value));
  }
  return torch::stack(padded);
}

torch::Tensor lengths_of(const std::vector<torch::Tensor>& rows) {
  std::vector<std::int64_t> lengths;
  for (const torch::Tensor& row : rows) {
    lengths.push_back(row.size(0));
  }
  return torch::tensor(lengths);
}

}  // namespace

ClipSet make_phone_clips(const std::filesystem::path& folder, const DemoSpeech& speech) {
  DemoCorpusOptions options;
  options.folder = folder;
  options.utterances = speech.utterances;
  options.languages = {speech.language};
  options.voices = 1;
  options.mean_seconds = speech.mean_seconds;
  options.espeak_program = QANAT_ESPEAK_PROGRAM;
  const DemoCorpus corpus = make_demo_corpus(options);
  if (!corpus.voice.starts_with("espeak")) {
    throw Error("acceptance: the corpus is spoken by {}; expected eSpeak NG; try installing it",
                corpus.voice);
  }
  MelReader reader;
  std::map<std::string, std::int64_t> ids;
  ClipSet set;
  std::ifstream lines(folder / "alignments.jsonl");
  for (std::string line; std::getline(lines, line);) {
    Clip clip = read_phones(nlohmann::json::parse(line), ids, MelConfig{}.hop);
    clip.mel = reader.read(folder / "wavs" / (clip.id + ".wav"));
    set.clips.push_back(std::move(clip));
  }
  set.vocabulary = static_cast<int>(ids.size()) + 1;
  return set;
}

ClipSet read_shortest_clips(const std::filesystem::path& data, int count) {
  const Manifest manifest = read_manifest({.data = data});
  const TextFrontEnd front_end;
  MelReader reader;
  ClipSet set;
  set.vocabulary = front_end.tokenizer().size();
  for (const Utterance& utterance : manifest.utterances) {
    const auto tokens = front_end.tokens(utterance.text, utterance.language);
    if (!tokens) {
      throw Error("{}: {}", utterance.id, tokens.failure().what);
    }
    set.clips.push_back({.id = utterance.id,
                         .tokens = {tokens.value().begin(), tokens.value().end()},
                         .mel = reader.read(audio_path(manifest, utterance))});
  }
  std::ranges::stable_sort(set.clips, {}, &Clip::frames);
  // The same words twice, spoken at different lengths, cannot both be learned by heart.
  std::set<std::vector<std::int64_t>> said;
  std::erase_if(set.clips, [&](const Clip& clip) { return !said.insert(clip.tokens).second; });
  if (set.clips.size() > static_cast<std::size_t>(count)) {
    set.clips.resize(static_cast<std::size_t>(count));
  }
  return set;
}

ModelBatch to_batch(const std::vector<Clip>& clips) {
  std::vector<torch::Tensor> tokens, mels, references, weights;
  for (const Clip& clip : clips) {
    tokens.push_back(torch::tensor(clip.tokens));
    mels.push_back(clip.mel);
    references.push_back(clip.mel.narrow(0, 0, (clip.frames() + 1) / 2));
    weights.push_back(torch::ones({clip.frames()}));
  }
  const double silence = std::log(1e-5);
  ModelBatch batch;
  batch.tokens = pad_rows(tokens, 0);
  batch.token_lengths = lengths_of(tokens);
  batch.mel = pad_rows(mels, silence);
  batch.mel_lengths = lengths_of(mels);
  batch.reference = pad_rows(references, silence);
  batch.reference_lengths = lengths_of(references);
  batch.mel_weights = pad_rows(weights, 0);
  return batch;
}

}  // namespace qanat
