#include "session/memory_check.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <sys/resource.h>

#include "app/make_loader.h"
#include "batch/batch.h"
#include "config/field.h"
#include "locale/message_error.h"
#include "locale/messages/command_output.h"
#include "locale/messages/devices.h"

namespace qanat {
namespace {

// The share of a card's memory that its driver, libtorch's kernels and fragmentation leave.
constexpr double kUsableShare = 0.9;
constexpr int kMaxRows = 1024;
constexpr std::array kCards = {12, 16, 24};
constexpr std::array kSizes = {
    ModelSize::nano, ModelSize::tiny, ModelSize::small, ModelSize::normal, ModelSize::big};

constexpr std::int64_t kBlocksPerParameter = 5;  // weight, EMA, gradient, two moments
constexpr std::int64_t kBytesPerValue = 4;

double exact_megabytes(Bytes bytes) {
  return static_cast<double>(bytes.value) / (1024.0 * 1024.0);
}

// Rounded up: a number to be typed.
std::int64_t whole_megabytes(Bytes bytes) {
  return (bytes.value + (1 << 20) - 1) >> 20;
}

Bytes layout_bytes(const BatchShape& shape, const PayloadFormat& format) {
  return Bytes{static_cast<std::int64_t>(make_layout(shape, format).bytes)};
}

std::string_view name_of(ModelSize size) {
  for (const auto& choice : kChoices<ModelSize>) {
    if (choice.value == size) {
      return choice.name;
    }
  }
  return "unknown";
}

MessageArg either(MessageArg one, MessageArg other) {
  return msg::either_or{.one = std::move(one), .other = std::move(other)};
}

MessageArg model_remedy(const MemoryNeed& need, const DevicePlan& plan, Bytes limit) {
  MessageArg remedy =
      plan.model.kind == DeviceKind::cpu
          ? MessageArg(msg::memory_smaller_model{})
          : MessageArg(fmt::format("--model-gpu-memory {}", whole_megabytes(need.on_model())));
  for (int slots = need.ring.slots - 1; slots >= 1; --slots) {
    if (with_slots(need, slots).on_model() <= limit) {
      remedy = either(fmt::format("--prefetch-buffer-size {}", slots), std::move(remedy));
      break;
    }
  }
  const int rows = fitting_rows(need, limit);
  return rows > 0 ? either(fmt::format("--batch-size {}", rows), std::move(remedy)) : remedy;
}

}  // namespace

// Measured with this program's accounting on the longest allowed shape (1024 frames, 200 tokens).
ModelMemory model_memory(ModelSize size) {
  struct Measured {
    std::int64_t parameters;
    std::int64_t bytes_per_frame;
  };
  constexpr std::array<Measured, 5> kMeasured = {{{1'636'929, 23'400},
                                                  {6'457'057, 38'785},
                                                  {21'435'345, 100'096},
                                                  {53'998'417, 184'536},
                                                  {165'462'481, 411'534}}};
  const Measured& of_size = kMeasured[static_cast<std::size_t>(size)];
  return {.held = Bytes{of_size.parameters * kBlocksPerParameter * kBytesPerValue},
          .per_frame = Bytes{of_size.bytes_per_frame}};
}

// Measured in the same way, with the discriminators, which have no EMA, and segments of 64 frames.
ModelMemory vocoder_memory(ModelSize size) {
  struct Measured {
    std::int64_t generator;
    std::int64_t discriminators;
    std::int64_t bytes_per_frame;
  };
  constexpr std::array<Measured, 5> kMeasured = {
      {{1'191'586, 64'208, 378'500},
       {2'790'658, 252'952, 581'700},
       {7'735'938, 1'004'072, 1'006'200},
       {13'459'970, 4'000'840, 1'780'400},
       {13'459'970, 4'000'840, 1'780'400}}};  // no big one
  const Measured& of_size = kMeasured[static_cast<std::size_t>(size)];
  const std::int64_t values =
      of_size.generator * kBlocksPerParameter + of_size.discriminators * (kBlocksPerParameter - 1);
  return {.held = Bytes{values * kBytesPerValue}, .per_frame = Bytes{of_size.bytes_per_frame}};
}

Bytes MemoryNeed::batch() const {
  return Bytes{model.per_frame.value * largest.rows * largest.frames};
}

Bytes MemoryNeed::on_model() const {
  return model.held + ring_bytes_on_model(ring) + batch();
}

Bytes MemoryNeed::on_data() const {
  return ring_bytes_on_data(ring);
}

MemoryNeed memory_need(const RunConfig& config, const RingOptions& ring, const BucketEdges& edges) {
  MemoryNeed need{.model = trains_vocoder(config.training) ? vocoder_memory(config.model.size)
                                                           : model_memory(config.model.size),
                  .ring = ring,
                  .largest = {},
                  .payload = trained_format(config)};
  for (const BucketEdge& edge : edges) {
    const MemoryNeed other{.model = need.model, .ring = ring, .largest = edge.shape()};
    if (other.batch() >= need.batch()) {
      need.largest = edge.shape();
    }
  }
  return need;
}

MemoryNeed with_rows(MemoryNeed need, int rows) {
  need.largest.rows = rows;
  need.ring.slot_bytes = layout_bytes(need.largest, need.payload);
  if (need.ring.stage_bytes.value > 0) {
    PayloadFormat staged = need.payload;
    staged.kind = PayloadKind::pcm_s16;
    need.ring.stage_bytes = layout_bytes(need.largest, staged);
  }
  return need;
}

MemoryNeed with_slots(MemoryNeed need, int slots) {
  need.ring.slots = slots;
  return need;
}

int fitting_rows(const MemoryNeed& need, Bytes limit) {
  int rows = 0;
  while (rows < kMaxRows && with_rows(need, rows + 1).on_model() <= limit) {
    ++rows;
  }
  return rows;
}

std::optional<Message> memory_problem(const MemoryNeed& need,
                                      const DevicePlan& plan,
                                      const std::optional<Bytes>& model_limit,
                                      const std::optional<Bytes>& data_limit) {
  if (model_limit && need.on_model() > *model_limit) {
    return msg::memory_of_model{.device = to_string(plan.model),
                                .need = plain(exact_megabytes(need.on_model()), 0),
                                .model = plain(exact_megabytes(need.model.held), 0),
                                .rows = need.largest.rows,
                                .frames = need.largest.frames,
                                .batch = plain(exact_megabytes(need.batch()), 0),
                                .slots = need.ring.slots,
                                .ring = plain(exact_megabytes(ring_bytes_on_model(need.ring)), 1),
                                .most = plain(exact_megabytes(*model_limit), 0),
                                .remedy = model_remedy(need, plan, *model_limit)};
  }
  if (plan.data && data_limit && need.on_data() > *data_limit) {
    const std::int64_t fits =
        data_limit->value / (need.ring.slot_bytes.value + need.ring.stage_bytes.value);
    const std::string budget = fmt::format("--data-gpu-memory {}", whole_megabytes(need.on_data()));
    return msg::memory_of_data{
        .device = to_string(*plan.data),
        .need = plain(exact_megabytes(need.on_data()), 1),
        .most = plain(exact_megabytes(*data_limit), 1),
        .remedy = fits > 0 ? either(fmt::format("--prefetch-buffer-size {}", fits), budget)
                           : MessageArg(budget)};
  }
  return std::nullopt;
}

std::optional<Message> check_host_memory(const MemoryNeed& need,
                                         const DevicePlan& plan,
                                         const HostFacts& host) {
  if (plan.model.kind != DeviceKind::cpu) {
    return std::nullopt;
  }
  if (const auto impossible = memory_problem(need, plan, memory_ceiling(host), {})) {
    throw MessageError(*impossible);
  }
  const auto doubtful = memory_problem(need, plan, free_memory(host), {});
  return doubtful ? std::optional<Message>(msg::memory_doubtful{.what = *doubtful}) : std::nullopt;
}

std::vector<MemoryAdvice> memory_table(const RunConfig& config) {
  const BatchShape longest{
      .rows = 1, .frames = config.data.max_mel_frames, .tokens = config.data.max_text_length};
  std::vector<MemoryAdvice> table;
  for (const int card : kCards) {
    for (const ModelSize size : kSizes) {
      const auto usable = static_cast<int>(card * 1024 * kUsableShare);
      const MemoryNeed need{.model = model_memory(size),
                            .ring = {.slots = config.data.prefetch_buffer_size.value_or(
                                         default_slots(RunMode::single_buffered))},
                            .largest = longest};
      table.push_back({.card_gb = card,
                       .size = size,
                       .model_gpu_memory = usable,
                       .batch_size = fitting_rows(need, mebibytes(usable))});
    }
  }
  return table;
}

nlohmann::json to_json(const std::vector<MemoryAdvice>& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const MemoryAdvice& advice : table) {
    rows.push_back({{"card_gb", advice.card_gb},
                    {"model_size", name_of(advice.size)},
                    {"model_gpu_memory_mb", advice.model_gpu_memory},
                    {"batch_size", advice.batch_size}});
  }
  return rows;
}

std::string render_memory_table(const std::vector<MemoryAdvice>& table, const Translator& words) {
  std::string text = fmt::format(
      "{:<8} --model-gpu-memory   {}\n"
      "                              nano    tiny   small  normal     big\n",
      words.tr(msg::memory_table_card{}),
      words.tr(msg::memory_table_largest{}));
  for (std::size_t i = 0; i < table.size(); i += kSizes.size()) {
    text += fmt::format("{} GB  {:>19}   ", table[i].card_gb, table[i].model_gpu_memory);
    for (std::size_t s = 0; s < kSizes.size(); ++s) {
      text += fmt::format("{:>5}   ", table[i + s].batch_size);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

void check_address_space(const std::optional<Bytes>& limit) {
  constexpr Bytes kMin = mebibytes(2048);  // a nano model on two cores takes 2174
  if (limit && *limit < kMin) {
    throw MessageError(msg::memory_address_space{.limit = limit->value / mebibytes(1).value,
                                                 .least = kMin.value / mebibytes(1).value});
  }
}

std::optional<Bytes> address_space_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::nullopt;
  }
  return Bytes{static_cast<std::int64_t>(limit.rlim_cur)};
}

}  // namespace qanat
