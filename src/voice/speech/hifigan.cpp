#include "speech/hifigan.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/files.h"
#include "locale/message_error.h"
#include "locale/messages/command_output.h"
#include "locale/messages/training.h"

namespace qanat {
namespace {

constexpr int kOuterKernel = 7;
constexpr int kMaxWidth = 4096;
constexpr int kMaxListLength = 64;  // of a list
// No trained network comes near it; damaged bytes are beyond it, and would make silence of speech.
constexpr double kMaxWeight = 1e6;

// A number of the configuration within its range; a Failure otherwise.
Result<int> whole(const nlohmann::json& json, const std::string& key, int min, int max) {
  if (!json.is_number_integer() || json < min || json > max) {
    return to_failure(msg::hifigan_key{.key = key, .min = min, .max = max});
  }
  return json.get<int>();
}

Result<std::vector<int>> whole_list(const nlohmann::json& json, const std::string& key, int max) {
  if (!json.is_array() || json.empty() || json.size() > kMaxListLength) {
    return to_failure(msg::hifigan_list{.key = key});
  }
  std::vector<int> values;
  for (const nlohmann::json& one : json) {
    const Result<int> value = whole(one, key, 1, max);
    if (!value) {
      return value.failure();
    }
    values.push_back(value.value());
  }
  return values;
}

// Reads keys until one is wrong.
class ConfigReader {
 public:
  explicit ConfigReader(const nlohmann::json& config) : config_(config) {}

  void number(const char* key, int& value, int min, int max) {
    take(whole(at(key), key, min, max), value);
  }
  void list(const char* key, std::vector<int>& values, int max) {
    take(whole_list(at(key), key, max), values);
  }
  void lists(const char* key, std::vector<std::vector<int>>& values, int max) {
    const nlohmann::json all = at(key);
    values.clear();
    if (!all.is_array() || all.empty() || all.size() > kMaxListLength) {
      take(Result<Done>(to_failure(msg::hifigan_list{.key = key})), done_);
      return;
    }
    for (const nlohmann::json& one : all) {
      values.emplace_back();
      take(whole_list(one, key, max), values.back());
    }
  }
  // Absent or null where `fallback` is meant.
  void hertz(const char* key, float& value, float fallback) {
    const nlohmann::json found = at(key);
    value = found.is_number() ? found.get<float>() : fallback;
  }
  const std::optional<Failure>& failure() const { return failure_; }

 private:
  nlohmann::json at(const char* key) const {
    return config_.is_object() ? config_.value(key, nlohmann::json()) : nlohmann::json();
  }
  template <typename T>
  void take(Result<T> result, T& value) {
    if (result) {
      value = std::move(result).value();
    } else if (!failure_) {
      failure_ = result.failure();
    }
  }

  const nlohmann::json& config_;
  Done done_{};
  std::optional<Failure> failure_;
};

std::optional<Failure> wrong_sizes(const HifiGanShape& shape) {
  std::int64_t hop = 1;
  for (const int rate : shape.rates) {  // too large is enough to know: the product has no bound
    hop = hop > shape.mel.hop ? hop : hop * rate;
  }
  bool fits = shape.rates.size() == shape.kernels.size() && hop == shape.mel.hop &&
              shape.block_kernels.size() == shape.block_dilations.size() &&
              shape.rates.size() < 31 && (shape.channels >> shape.rates.size()) > 0;
  for (std::size_t i = 0; fits && i < shape.rates.size(); ++i) {
    const int more = shape.kernels[i] - shape.rates[i];
    fits = more >= 0 && more % 2 == 0;
  }
  fits = fits && std::ranges::all_of(shape.block_kernels, [](int one) { return one % 2 == 1; });
  return fits ? std::nullopt : std::optional(to_failure(msg::hifigan_sizes{}));
}

torch::Tensor convolve(const torch::Tensor& x,
                       const torch::Tensor& weight,
                       const torch::Tensor& bias,
                       int dilation = 1) {
  const std::int64_t kernel = weight.size(2);
  return torch::conv1d(x, weight, bias, 1, (kernel - 1) * dilation / 2, dilation);
}

}  // namespace

Result<HifiGanShape> to_hifigan_shape(const nlohmann::json& config) {
  HifiGanShape shape;
  ConfigReader reader(config);
  const nlohmann::json kind =
      config.is_object() ? config.value("resblock", nlohmann::json()) : nlohmann::json();
  if (kind != "1" && kind != "2" && kind != 1 && kind != 2) {
    return to_failure(msg::hifigan_resblock{});
  }
  shape.block = kind == "1" || kind == 1 ? HifiGanShape::Block::two_convolutions
                                         : HifiGanShape::Block::one_convolution;
  reader.number("upsample_initial_channel", shape.channels, 1, kMaxWidth);
  reader.list("upsample_rates", shape.rates, 1024);
  reader.list("upsample_kernel_sizes", shape.kernels, 1024);
  reader.list("resblock_kernel_sizes", shape.block_kernels, 1023);
  reader.lists("resblock_dilation_sizes", shape.block_dilations, 1024);
  reader.number("num_mels", shape.mel.mel_bins, 1, 1024);
  reader.number("n_fft", shape.mel.fft_size, 2, 1 << 20);
  reader.number("hop_size", shape.mel.hop, 1, 1 << 20);
  reader.number("win_size", shape.mel.window, 2, 1 << 20);
  int rate = 0;
  reader.number("sampling_rate", rate, 1, 1'000'000);
  reader.hertz("fmin", shape.mel.fmin, 0);
  reader.hertz("fmax", shape.mel.fmax, static_cast<float>(rate) / 2);
  shape.mel.sample_rate = SampleRate{rate};
  if (reader.failure()) {
    return *reader.failure();
  }
  if (const std::optional<Failure> wrong = wrong_sizes(shape)) {
    return *wrong;
  }
  return shape;
}

// Weights by name: every one is asked for once, and none may be left.
class HifiGan::Taking {
 public:
  explicit Taking(const TensorMap& weights) {
    constexpr std::string_view kPrefix = "generator.";
    const bool has_prefix = std::ranges::any_of(
        weights, [&](const auto& one) { return one.first.starts_with(kPrefix); });
    for (const auto& [name, tensor] : weights) {
      if (!has_prefix) {
        weights_.emplace(name, tensor);
      } else if (name.starts_with(kPrefix)) {  // discriminators may stand beside it
        weights_.emplace(name.substr(kPrefix.size()), tensor);
      }
    }
  }

  Convolution take(const std::string& name, std::array<std::int64_t, 3> shape, int out) {
    Convolution convolution{.weight = weight_of(name), .bias = tensor(name + ".bias")};
    check(name + ".weight", convolution.weight, shape);
    check_values(name + ".weight", convolution.weight);  // weight norm may divide by 0
    check(name + ".bias", convolution.bias, std::array<std::int64_t, 1>{out});
    return convolution;
  }
  void finish() const {
    if (!weights_.empty()) {
      throw MessageError(msg::hifigan_unknown_weight{.tensor = weights_.begin()->first});
    }
  }

 private:
  torch::Tensor tensor(const std::string& name) {
    const auto found = weights_.find(name);
    if (found == weights_.end()) {
      throw MessageError(msg::hifigan_missing_weight{.tensor = name});
    }
    torch::Tensor value = found->second.to(torch::kFloat32).contiguous();
    check_values(name, value);
    weights_.erase(found);
    return value;
  }
  // Weight norm: direction times length, one length for each of the first dimension.
  torch::Tensor weight_of(const std::string& name) {
    constexpr std::array<std::pair<const char*, const char*>, 2> kNorms = {
        {{".weight_g", ".weight_v"},
         {".parametrizations.weight.original0", ".parametrizations.weight.original1"}}};
    for (const auto& [length, direction] : kNorms) {
      if (weights_.contains(name + length)) {
        const torch::Tensor g = tensor(name + length);
        const torch::Tensor v = tensor(name + direction);
        if (v.dim() != 3 || g.numel() != v.size(0)) {
          throw MessageError(msg::hifigan_missing_weight{.tensor = name + direction});
        }
        return v * (g.view({-1, 1, 1}) / v.flatten(1).norm(2, 1).view({-1, 1, 1}));
      }
    }
    return tensor(name + ".weight");
  }
  static void check_values(const std::string& name, const torch::Tensor& value) {
    if (!(value.abs() <= kMaxWeight).all().item<bool>()) {  // nor is NaN
      throw MessageError(msg::hifigan_weight_value{.tensor = name});
    }
  }
  template <std::size_t N>
  static void check(const std::string& name,
                    const torch::Tensor& value,
                    const std::array<std::int64_t, N>& shape) {
    if (value.sizes() != c10::IntArrayRef(shape)) {
      throw MessageError(msg::weights_other_shape{.what = "",
                                                  .tensor = name,
                                                  .shape = c10::str(value.sizes()),
                                                  .expected = c10::str(c10::IntArrayRef(shape))});
    }
  }

  TensorMap weights_;
};

HifiGan::HifiGan(HifiGanShape shape, const TensorMap& weights) : shape_(std::move(shape)) {
  Taking taking(weights);
  int width = shape_.channels;
  in_ = taking.take("conv_pre", {width, shape_.mel.mel_bins, kOuterKernel}, width);
  const bool is_deep = shape_.block == HifiGanShape::Block::two_convolutions;
  for (std::size_t i = 0; i < shape_.rates.size(); ++i) {
    const int narrow = width / 2;
    Stage stage;
    stage.up = taking.take(fmt::format("ups.{}", i), {width, narrow, shape_.kernels[i]}, narrow);
    for (std::size_t j = 0; j < shape_.block_kernels.size(); ++j) {
      ResidualBlock block{.first = {},
                          .second = {},
                          .dilations = shape_.block_dilations[j],
                          .kernel = shape_.block_kernels[j]};
      const std::string name = fmt::format("resblocks.{}", i * shape_.block_kernels.size() + j);
      const std::array<std::int64_t, 3> size = {narrow, narrow, block.kernel};
      for (std::size_t k = 0; k < block.dilations.size(); ++k) {
        block.first.push_back(taking.take(
            fmt::format("{}.{}.{}", name, is_deep ? "convs1" : "convs", k), size, narrow));
        if (is_deep) {
          block.second.push_back(taking.take(fmt::format("{}.convs2.{}", name, k), size, narrow));
        }
      }
      stage.blocks.push_back(std::move(block));
    }
    stages_.push_back(std::move(stage));
    width = narrow;
  }
  out_ = taking.take("conv_post", {1, width, kOuterKernel}, 1);
  taking.finish();
}

// From the samples back to the frames: how far the inputs of one output reach, at most.
std::optional<int> HifiGan::context() const {
  int reach = kOuterKernel / 2;
  for (std::size_t i = shape_.rates.size(); i-- > 0;) {
    int widest = 0;
    for (std::size_t j = 0; j < shape_.block_kernels.size(); ++j) {
      int own = 0;
      for (const int dilation : shape_.block_dilations[j]) {
        const bool is_deep = shape_.block == HifiGanShape::Block::two_convolutions;
        own += shape_.block_kernels[j] / 2 * (dilation + (is_deep ? 1 : 0));
      }
      widest = std::max(widest, own);
    }
    reach = (reach + widest + shape_.kernels[i] - 1) / shape_.rates[i] + 1;
  }
  return reach + kOuterKernel / 2;
}

torch::Tensor HifiGan::forward(const ResidualBlock& block, torch::Tensor x) {
  for (std::size_t k = 0; k < block.first.size(); ++k) {
    torch::Tensor y = convolve(torch::leaky_relu(x, kSlope),
                               block.first[k].weight,
                               block.first[k].bias,
                               block.dilations[k]);
    if (!block.second.empty()) {
      y = convolve(torch::leaky_relu(y, kSlope), block.second[k].weight, block.second[k].bias);
    }
    x = x + y;
  }
  return x;
}

torch::Tensor HifiGan::forward(torch::Tensor x) const {
  x = convolve(x, in_.weight, in_.bias);
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const Stage& stage = stages_[i];
    const int rate = shape_.rates[i];
    x = torch::conv_transpose1d(torch::leaky_relu(x, kSlope),
                                stage.up.weight,
                                stage.up.bias,
                                rate,
                                (shape_.kernels[i] - rate) / 2);
    torch::Tensor sum;
    for (const ResidualBlock& block : stage.blocks) {
      const torch::Tensor y = forward(block, x);
      sum = sum.defined() ? sum + y : y;
    }
    x = sum / static_cast<double>(stage.blocks.size());
  }
  return torch::tanh(convolve(torch::leaky_relu(x, kLastSlope), out_.weight, out_.bias));
}

std::vector<float> HifiGan::synthesise(std::span<const float> log_mel) {
  const auto bins = static_cast<std::size_t>(shape_.mel.mel_bins);
  QANAT_CHECK(log_mel.size() % bins == 0) << log_mel.size();
  if (log_mel.empty()) {
    return {};
  }
  const torch::NoGradGuard no_grad;
  torch::Tensor mel = torch::empty(
      {static_cast<std::int64_t>(log_mel.size() / bins), static_cast<std::int64_t>(bins)});
  std::ranges::copy(log_mel, mel.data_ptr<float>());
  const torch::Tensor sound = forward(mel.t().contiguous().unsqueeze(0)).contiguous();
  return {sound.data_ptr<float>(), sound.data_ptr<float>() + sound.numel()};
}

std::unique_ptr<Vocoder> open_hifigan(const std::filesystem::path& folder) {
  const std::filesystem::path config = folder / "config.json";
  const auto refuse = [](const std::filesystem::path& file, const MessageArg& why) {
    return MessageError(msg::vocoder_refused{.file = file.string(), .why = why});
  };
  const Result<std::string> text = read_text_file(config, mebibytes(1));
  if (!text) {
    throw refuse(config, reason_of(text.failure()));
  }
  const Result<HifiGanShape> shape =
      to_hifigan_shape(nlohmann::json::parse(text.value(), nullptr, false));
  if (!shape) {
    throw refuse(config, reason_of(shape.failure()));
  }
  std::filesystem::path file = folder / "generator.safetensors";
  if (!std::filesystem::exists(file)) {
    file = folder / "model.safetensors";
  }
  const Result<MappedFile> bytes = MappedFile::open(file);
  if (!bytes) {
    throw refuse(file, reason_of(bytes.failure()));
  }
  const Result<TensorMap> weights = parse_safetensors(bytes.value().bytes());
  if (!weights) {
    throw refuse(file, reason_of(weights.failure()));
  }
  try {
    return std::make_unique<HifiGan>(shape.value(), weights.value());
  } catch (const MessageError& error) {
    throw refuse(file, error.message());
  }
}

}  // namespace qanat
