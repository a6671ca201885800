#include "session/memory_check.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/error.h"
#include "batch/batch.h"
#include "config/field.h"
#include "locale/messages.h"

namespace qanat {
namespace {

// Of a card's memory, what its driver, libtorch's kernels and fragmentation leave.
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

Bytes layout_bytes(const BatchShape& shape, PayloadKind kind) {
  return Bytes{static_cast<std::int64_t>(make_layout(shape, {.kind = kind}).bytes)};
}

std::string_view name_of(ModelSize size) {
  for (const auto& choice : kChoices<ModelSize>) {
    if (choice.value == size) {
      return choice.name;
    }
  }
  return "unknown";
}

std::string model_remedies(const MemoryNeed& need, const DevicePlan& plan, Bytes limit) {
  std::vector<std::string> remedies;
  if (const int rows = fitting_rows(need, limit); rows > 0) {
    remedies.push_back(fmt::format("--batch-size {}", rows));
  }
  for (int slots = need.ring.slots - 1; slots >= 1; --slots) {
    if (with_slots(need, slots).on_model() <= limit) {
      remedies.push_back(fmt::format("--prefetch-buffer-size {}", slots));
      break;
    }
  }
  remedies.push_back(plan.model.kind == DeviceKind::cpu
                         ? std::string("a smaller --model-size")
                         : fmt::format("--model-gpu-memory {}", whole_megabytes(need.on_model())));
  return fmt::format("{}", fmt::join(remedies, ", or "));
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
  MemoryNeed need{.model = model_memory(config.model.size), .ring = ring, .largest = {}};
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
  need.ring.slot_bytes = layout_bytes(need.largest, PayloadKind::mel_f32);
  if (need.ring.stage_bytes.value > 0) {
    need.ring.stage_bytes = layout_bytes(need.largest, PayloadKind::pcm_s16);
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

std::optional<std::string> memory_problem(const MemoryNeed& need,
                                          const DevicePlan& plan,
                                          const std::optional<Bytes>& model_limit,
                                          const std::optional<Bytes>& data_limit) {
  if (model_limit && need.on_model() > *model_limit) {
    return fmt::format(
        "memory of {}: training needs about {:.0f} MB (model {:.0f}, a batch of {} x {} frames "
        "{:.0f}, a ring of {} slots {:.1f}); expected at most {:.0f} MB; try {}",
        to_string(plan.model),
        exact_megabytes(need.on_model()),
        exact_megabytes(need.model.held),
        need.largest.rows,
        need.largest.frames,
        exact_megabytes(need.batch()),
        need.ring.slots,
        exact_megabytes(ring_bytes_on_model(need.ring)),
        exact_megabytes(*model_limit),
        model_remedies(need, plan, *model_limit));
  }
  if (plan.data && data_limit && need.on_data() > *data_limit) {
    const std::int64_t fits =
        data_limit->value / (need.ring.slot_bytes.value + need.ring.stage_bytes.value);
    return fmt::format(
        "memory of {}: preparing batches takes {:.1f} MB; expected at most {:.1f} MB; try "
        "{}--data-gpu-memory {}",
        to_string(*plan.data),
        exact_megabytes(need.on_data()),
        exact_megabytes(*data_limit),
        fits > 0 ? fmt::format("--prefetch-buffer-size {}, or ", fits) : std::string(),
        whole_megabytes(need.on_data()));
  }
  return std::nullopt;
}

std::optional<std::string> check_host_memory(const MemoryNeed& need,
                                             const DevicePlan& plan,
                                             const HostFacts& host) {
  if (plan.model.kind != DeviceKind::cpu) {
    return std::nullopt;
  }
  if (const auto impossible = memory_problem(need, plan, memory_ceiling(host), {})) {
    throw Error(*impossible);
  }
  const auto doubtful = memory_problem(need, plan, free_memory(host), {});
  return doubtful ? std::optional("the kernel may end this run: " + *doubtful) : std::nullopt;
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
    throw Error(
        "address space: limited to {} MB; training takes at least {} MB, more than it uses of "
        "memory; try `ulimit -v unlimited`",
        limit->value / mebibytes(1).value,
        kMin.value / mebibytes(1).value);
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
