#include "train/validation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include <torch/torch.h>

#include "model/monotonic_search.h"
#include "model/xtts_model.h"
#include "train/batch_tensors.h"
#include "train/clip_losses.h"
#include "train/memory_attempt.h"
#include "train/speech_task.h"

namespace qanat {
namespace {

struct Cell {
  double cost = std::numeric_limits<double>::infinity();
  std::int64_t steps = 0;
};

Cell cheapest(const Cell& a, const Cell& b, const Cell& c) {
  return std::min({a, b, c}, [](const Cell& x, const Cell& y) { return x.cost < y.cost; });
}

// A batch in host memory, as if it had come through the ring.
DeviceBatch as_device_batch(const Batch& batch) {
  const auto copy = [](auto values) {
    return std::vector<std::remove_const_t<typename decltype(values)::element_type>>(values.begin(),
                                                                                     values.end());
  };
  return {.id = batch.id(),
          .layout = batch.layout(),
          .bytes = batch.bytes(),
          .mel_lengths = copy(batch.mel_lengths()),
          .token_lengths = copy(batch.token_lengths()),
          .items = copy(batch.items()),
          .speakers = copy(batch.speakers()),
          .slot = nullptr,
          .way = nullptr};
}

ModelBatch on_device(const ModelBatch& batch, torch::Device device) {
  const auto move = [&](const torch::Tensor& tensor) {
    return tensor.defined() ? send_to_device(tensor, device) : tensor;
  };
  return {.tokens = move(batch.tokens),
          .token_lengths = move(batch.token_lengths),
          .mel = move(batch.mel),
          .mel_lengths = move(batch.mel_lengths),
          .reference = move(batch.reference),
          .reference_lengths = move(batch.reference_lengths),
          .speakers = move(batch.speakers),
          .mel_weights = move(batch.mel_weights)};
}

// Sums over some rows, weighted with their frames.
struct RowLosses {
  torch::Tensor sums;  // f32 [kLossSums]
  torch::Tensor rows;  // f32 [B]: the total of each
};

RowLosses losses_of(TrainedModel& model, const ModelBatch& batch) {
  XttsModelImpl& network = *model.ema_network;
  const Alignment alignment = network.align(batch);
  const torch::Tensor durations =
      monotonic_durations(alignment.log_probability, batch.token_lengths, batch.mel_lengths);
  const ModelOutput output = network.forward(batch, durations);
  const LossParts parts = row_losses(batch, alignment, output, durations);
  const torch::Tensor frames = frame_weights(batch);
  const auto sum = [&](const torch::Tensor& rows) { return (rows * frames).sum(); };
  return {.sums = torch::stack({weighted_loss(parts, LossWeights{}, frames),
                                sum(parts.mel),
                                sum(parts.postnet_mel),
                                sum(parts.prior),
                                sum(parts.forward_sum),
                                sum(parts.binarisation),
                                sum(parts.duration)}),
          .rows = weighted_rows(parts, LossWeights{}) * frames};
}

// Does `work` with the rows, in halves where they do not fit. Work that throws has changed nothing.
template <typename Work>
void in_fitting_parts(RowRange rows, const Work& work) {
  if (rows.count == 1) {
    work(rows);
    return;
  }
  if (why_not_fitting([&] { work(rows); }).empty()) {
    return;
  }
  const int first = rows.count / 2;
  in_fitting_parts({.first = rows.first, .count = first}, work);
  in_fitting_parts({.first = rows.first + first, .count = rows.count - first}, work);
}

RowRange all_rows(const ModelBatch& batch) {
  return {.count = static_cast<int>(batch.mel.size(0))};
}

// The stream's. Undefined and empty before the first.
struct AllLosses {
  torch::Tensor sums;
  std::vector<torch::Tensor> rows;
};

void add_losses(TrainedModel& model, const ModelBatch& batch, AllLosses& all) {
  const torch::NoGradGuard no_grad;
  in_fitting_parts(all_rows(batch), [&](RowRange rows) {
    const RowLosses added = losses_of(model, on_device(narrow_rows(batch, rows), model.device()));
    all.sums = all.sums.defined() ? all.sums + added.sums : added.sums;
    all.rows.push_back(added.rows);
  });
}

SynthesisInput to_spoken(const ModelBatch& batch) {
  return {.tokens = batch.tokens,
          .token_lengths = batch.token_lengths,
          .reference = batch.reference,
          .reference_lengths = batch.reference_lengths,
          .speakers = batch.speakers};
}

// What a validation gathers from all processes: sums of losses over frames, of what was spoken over
// rows; frames, rows; losses by clip. One of them may have read a substitute where another has read
// the utterance.
constexpr std::size_t kLosses = kLossSums;
constexpr std::size_t kCounts = kLosses + 5;
using ValidationSums = std::array<double, kCounts + 2 * ClipLosses::kGroups>;

// In the order of ranks, so they are the same everywhere.
ValidationSums add_up(const ValidationSums& own, ProcessGroup* group) {
  if (group == nullptr || group->rank().world == 1) {
    return own;
  }
  const std::vector<double> all = group->all_gather(own);
  ValidationSums sums{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    sums[i % sums.size()] += all[i];
  }
  return sums;
}

}  // namespace

double warped_distance(const torch::Tensor& a, const torch::Tensor& b) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor distance =
      (torch::cdist(a.unsqueeze(0), b.unsqueeze(0), 1.0)[0] / a.size(1)).contiguous();
  const std::int64_t rows = a.size(0);
  const std::int64_t columns = b.size(0);
  const float* value = distance.data_ptr<float>();
  // One row of cells is enough; [0] stands for "before the first frame".
  std::vector<Cell> cells(static_cast<std::size_t>(columns + 1));
  Cell corner{.cost = 0, .steps = 0};
  for (std::int64_t row = 0; row < rows; ++row) {
    Cell diagonal = row == 0 ? corner : Cell{};
    for (std::size_t column = 1; column < cells.size(); ++column) {
      const Cell above = cells[column];
      const Cell best = cheapest(diagonal, above, cells[column - 1]);
      cells[column] = {.cost = best.cost + static_cast<double>(*value++), .steps = best.steps + 1};
      diagonal = above;
    }
  }
  return cells.back().cost / static_cast<double>(cells.back().steps);
}

double score_of(const ValidationResult& result, BestBy by) {
  return by == BestBy::free_running && result.free_running
             ? result.free_running->mel_distance * (1 + result.free_running->length_error)
             : result.losses.total;
}

Validator::Validator(std::vector<Batch> batches, int max_free_running)
    : batches_(std::move(batches)),
      max_free_running_(max_free_running),
      shown_(choose_references()) {}

// The next utterance of the same speaker, in the order of the set; after the last comes the first.
std::vector<std::vector<Validator::Shown>> Validator::choose_references() const {
  struct Place {
    std::int32_t speaker = 0;
    std::uint32_t item = 0;
    Shown at{};
  };
  std::vector<Place> places;
  std::vector<std::vector<Shown>> shown;
  for (std::size_t batch = 0; batch < batches_.size(); ++batch) {
    shown.emplace_back(static_cast<std::size_t>(batches_[batch].rows()));
    for (int row = 0; row < batches_[batch].rows(); ++row) {
      const auto i = static_cast<std::size_t>(row);
      places.push_back({.speaker = batches_[batch].speakers()[i],
                        .item = batches_[batch].items()[i],
                        .at = {.batch = batch, .row = row}});
    }
  }
  std::ranges::stable_sort(
      places, {}, [](const Place& place) { return std::tuple(place.speaker, place.item); });
  for (std::size_t first = 0; first < places.size();) {
    std::size_t end = first;
    while (end < places.size() && places[end].speaker == places[first].speaker) {
      ++end;
    }
    for (std::size_t i = first; i < end; ++i) {
      std::size_t next = i;  // a substitute may be there several times: that is no other utterance
      do {
        next = next + 1 < end ? next + 1 : first;
      } while (next != i && places[next].item == places[i].item);
      shown[places[i].at.batch][static_cast<std::size_t>(places[i].at.row)] = places[next].at;
    }
    first = end;
  }
  return shown;
}

bool Validator::is_own(std::size_t batch, int row) const {
  const Shown& shown = shown_[batch][static_cast<std::size_t>(row)];
  return shown.batch == batch && shown.row == row;
}

// Nothing is left to chance. In host memory.
ModelBatch Validator::to_tensors(std::size_t batch, int speakers) const {
  const DeviceBatch source = as_device_batch(batches_[batch]);
  const int rows = batches_[batch].rows();
  std::vector<ReferenceCrop> crops;
  for (int row = 0; row < rows; ++row) {
    const int frames = source.mel_lengths[static_cast<std::size_t>(row)];
    crops.push_back({.row = row, .frames = is_own(batch, row) ? most_of_own(frames) : 0});
  }
  ModelBatch tensors = to_model_batch(source, {.count = rows}, crops, torch::kCPU, speakers);
  show(batch, tensors);
  return tensors;
}

// Adds the references, which may come from any batch.
void Validator::show(std::size_t batch, ModelBatch& tensors) const {
  const std::int64_t bins = tensors.mel.size(2);
  std::vector<torch::Tensor> references;
  for (int row = 0; row < batches_[batch].rows(); ++row) {
    const Shown& shown = shown_[batch][static_cast<std::size_t>(row)];
    const Batch& from = batches_[shown.batch];
    const int frames = from.mel_lengths()[static_cast<std::size_t>(shown.row)];
    const int length = is_own(batch, row) ? most_of_own(frames) : longest_reference(frames);
    auto* mel = const_cast<float*>(from.mel_row(shown.row).data());  // from_blob() takes no const
    references.push_back(torch::from_blob(mel, {length, bins}));
    tensors.reference_lengths[row] = length;
  }
  tensors.reference = torch::nn::utils::rnn::pad_sequence(references, /*batch_first=*/true);
}

// Without references taken from the row itself: for free-running, which predicts all of it.
ModelBatch Validator::without_own(std::size_t batch, const ModelBatch& tensors) const {
  ModelBatch result = tensors;
  result.reference_lengths = tensors.reference_lengths.clone();
  for (int row = 0; row < static_cast<int>(tensors.mel.size(0)); ++row) {
    if (is_own(batch, row)) {
      result.reference_lengths[row] = 0;
    }
  }
  return result;
}

// Rows that are to be spoken. The stream's while it is validated, the host's after it.
struct Validator::Spoken {
  std::size_t batch = 0;
  ModelBatch rows;                       // the first of the batch; all in host memory
  std::vector<torch::Tensor> durations;  // i64 [tokens] of each
  std::vector<torch::Tensor> mel;        // f32 [frames, bins] of each
};

// How long they will be: the host has to know before they can be spoken.
void Validator::predict(TrainedModel& model, Spoken& spoken) {
  in_fitting_parts(all_rows(spoken.rows), [&](RowRange rows) {
    const ModelBatch part = on_device(narrow_rows(spoken.rows, rows), model.device());
    const torch::Tensor durations =
        fetch_to_host(model.ema_network->predict_durations(to_spoken(part), {}));
    for (std::int64_t row = 0; row < rows.count; ++row) {
      spoken.durations.push_back(durations[row]);
    }
  });
}

void Validator::speak(TrainedModel& model, Spoken& spoken) {
  const torch::NoGradGuard no_grad;
  in_fitting_parts(all_rows(spoken.rows), [&](RowRange rows) {
    const ModelBatch part = on_device(narrow_rows(spoken.rows, rows), model.device());
    const auto first = spoken.durations.begin() + rows.first;
    std::vector<torch::Tensor> mel =
        model.ema_network->synthesise(to_spoken(part), {.durations = {first, first + rows.count}});
    for (torch::Tensor& row : mel) {
      row = fetch_to_host(row);
    }
    spoken.mel.insert(spoken.mel.end(), mel.begin(), mel.end());
  });
}

void Validator::compare(const Spoken& spoken, FreeRunning& sums) const {
  const Batch& batch = batches_[spoken.batch];
  for (std::size_t row = 0; row < spoken.mel.size(); ++row) {
    const torch::Tensor& mel = spoken.mel[row];
    const std::int64_t frames = batch.mel_lengths()[row];
    auto* recorded = const_cast<float*>(batch.mel_row(static_cast<int>(row)).data());
    sums.mel_distance += warped_distance(mel, torch::from_blob(recorded, {frames, mel.size(1)}));
    sums.length_error +=
        std::abs(static_cast<double>(mel.size(0)) / static_cast<double>(frames) - 1);
    ++sums.utterances;
  }
}

// Each process takes every so manieth batch.
std::vector<Validator::Part> Validator::parts_of(const ProcessRank& place, int speakers) const {
  std::vector<Part> parts;
  const auto world = static_cast<std::size_t>(place.world);
  for (auto batch = static_cast<std::size_t>(place.rank); batch < batches_.size(); batch += world) {
    parts.push_back({.batch = batch, .tensors = to_tensors(batch, speakers)});
  }
  return parts;
}

// Everything is submitted ahead. The host waits twice, however many batches there are: for how long
// the spoken rows are, and for the result.
ValidationResult Validator::run(TrainedModel& model,
                                DeviceStream& stream,
                                ProcessGroup* group) const {
  // All before the first is submitted: submitted work is not left.
  const std::vector<Part> parts =
      parts_of(group != nullptr ? group->rank() : ProcessRank{}, model.network->shape().speakers);
  std::deque<Spoken> spoken = to_speak(parts);
  // Sums, then rows.
  const torch::Tensor on_host =
      torch::zeros({kLossSums + num_rows(parts)},
                   torch::TensorOptions().pinned_memory(!model.device().is_cpu()));
  AllLosses losses;

  for (const Part& part : parts) {
    stream.submit([&] { add_losses(model, part.tensors, losses); });
  }
  for (Spoken& rows : spoken) {
    stream.submit([&] { predict(model, rows); });
  }
  if (!spoken.empty()) {
    stream.synchronise();
  }
  for (Spoken& rows : spoken) {
    stream.submit([&] { speak(model, rows); });
  }
  if (!parts.empty()) {
    stream.submit([&] {
      losses.rows.insert(losses.rows.begin(), losses.sums);
      on_host.copy_(torch::cat(losses.rows), /*non_blocking=*/true);
    });
  }
  stream.synchronise();
  return to_result(on_host, spoken, group);
}

// The first rows of the first batches, of those that this process has.
std::deque<Validator::Spoken> Validator::to_speak(const std::vector<Part>& parts) const {
  std::deque<Spoken> spoken;
  auto part = parts.begin();
  int left = max_free_running_;
  for (std::size_t batch = 0; batch < batches_.size() && left > 0; ++batch) {
    const int count = std::min(batches_[batch].rows(), left);
    left -= count;
    if (part == parts.end() || part->batch != batch) {
      continue;
    }
    spoken.push_back({.batch = batch,
                      .rows = without_own(batch, narrow_rows(part->tensors, {.count = count})),
                      .durations = {},
                      .mel = {}});
    ++part;
  }
  return spoken;
}

std::int64_t Validator::num_rows(const std::vector<Part>& parts) {
  std::int64_t rows = 0;
  for (const Part& part : parts) {
    rows += part.tensors.mel.size(0);
  }
  return rows;
}

ValidationResult Validator::to_result(const torch::Tensor& losses,
                                      const std::deque<Spoken>& spoken,
                                      ProcessGroup* group) const {
  FreeRunning own;
  for (const Spoken& rows : spoken) {
    compare(rows, own);
  }
  ValidationSums sums{};
  std::copy_n(losses.data_ptr<float>(), kLosses, sums.begin());
  const float* row_loss = losses.data_ptr<float>() + kLossSums;
  ClipLosses clips;
  sums[kLosses] = own.mel_distance;
  sums[kLosses + 1] = own.length_error;
  sums[kLosses + 2] = own.utterances;
  const ProcessRank place = group != nullptr ? group->rank() : ProcessRank{};
  const auto world = static_cast<std::size_t>(place.world);
  std::size_t clip = 0;
  for (std::size_t batch = 0; batch < batches_.size(); ++batch) {
    const auto& lengths = std::as_const(batches_[batch]).mel_lengths();
    if (batch % world != static_cast<std::size_t>(place.rank)) {
      clip += lengths.size();
      continue;
    }
    sums[kLosses + 3] += std::accumulate(lengths.begin(), lengths.end(), 0.0);
    sums[kLosses + 4] += batches_[batch].rows();
    for (const auto frames : lengths) {
      clips.add(clip++, static_cast<double>(*row_loss++), static_cast<double>(frames));
    }
  }
  std::ranges::copy(clips.values(), sums.begin() + kCounts);
  sums = add_up(sums, group);
  std::copy(sums.begin() + kCounts, sums.end(), clips.values().begin());

  ValidationResult result{.utterances = static_cast<std::int64_t>(sums[kLosses + 4])};
  result.frames = static_cast<std::int64_t>(sums[kLosses + 3]);
  result.losses = to_speech_losses([&](std::size_t i) { return sums[i] / sums[kLosses + 3]; });
  result.clip_losses = clips.by_group();
  if (const double utterances = sums[kLosses + 2]; utterances > 0) {
    result.free_running = FreeRunning{.utterances = static_cast<int>(utterances),
                                      .mel_distance = sums[kLosses] / utterances,
                                      .length_error = sums[kLosses + 1] / utterances};
  }
  return result;
}

}  // namespace qanat
