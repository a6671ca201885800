#include "train/fitting_rows.h"

#include <algorithm>
#include <memory>

#include "batch/batch_plan.h"
#include "locale/message_error.h"
#include "locale/messages/training.h"
#include "train/memory_attempt.h"

namespace qanat {
namespace {

void journal_split(const RowSplit& split, RowRange rows, const std::string& why) {
  if (split.journal != nullptr) {
    split.journal->record(
        OutOfMemoryRetry{.shape = {split.shape.rows, split.shape.frames, split.shape.tokens},
                         .rows = rows.count,
                         .retried_with = (rows.count + 1) / 2,
                         .why = why});
  }
}

}  // namespace

std::vector<RowRange> FittingRows::asked(int rows, int full_rows) const {
  const int full = std::max(rows, full_rows);
  const int size = max_rows_ > 0 ? max_rows_ : full;
  const RowParts parts{.rows = static_cast<std::uint64_t>(rows),
                       .full = static_cast<std::uint64_t>(full),
                       .parts = static_cast<std::uint64_t>((full + size - 1) / size)};
  std::vector<RowRange> all;
  for (std::uint64_t part = 0; part < parts.parts; ++part) {
    const auto first = static_cast<int>(parts.begin(part));
    const auto end = static_cast<int>(parts.begin(part + 1));
    if (first < end) {
      all.push_back({.first = first, .count = end - first});
    }
  }
  return all;
}

std::vector<RowRange> FittingRows::microbatches(const BatchShape& shape, int full_rows) const {
  std::vector<RowRange> all;
  for (const RowRange& part : asked(shape.rows, full_rows)) {
    split(shape, part, all);
  }
  return all;
}

void FittingRows::split(const BatchShape& shape, RowRange rows, std::vector<RowRange>& all) const {
  {
    const std::lock_guard lock(mutex_);
    const auto most = most_.find({shape.frames, shape.tokens});
    if (most == most_.end() || rows.count <= most->second) {
      all.push_back(rows);
      return;
    }
  }
  const int first = (rows.count + 1) / 2;
  split(shape, {.first = rows.first, .count = first}, all);
  split(shape, {.first = rows.first + first, .count = rows.count - first}, all);
}

void FittingRows::remember(const BatchShape& shape, int rows) {
  const std::lock_guard lock(mutex_);
  const auto [most, is_first] = most_.emplace(std::pair(shape.frames, shape.tokens), rows);
  most->second = std::min(most->second, rows);
}

void run_or_split(const RowSplit& split, RowRange rows) {
  const std::string why = why_not_fitting([&] {
    const std::unique_ptr<TaskGradient> gradient = split.rows.gradient(rows, split.options);
    for (std::size_t phase = 0; phase < split.phases; ++phase) {
      gradient->run_phase(phase, split.sums);
    }
  });
  if (!why.empty()) {
    split_rows(split, rows, why);
  }
}

void split_rows(const RowSplit& split, RowRange rows, const std::string& why) {
  if (rows.count == 1) {
    throw MessageError(
        msg::train_one_too_large{.frames = ungrouped(split.shape.frames),
                                 .tokens = split.shape.tokens,
                                 .reason = why,
                                 .fewer = ungrouped(std::max(1, split.shape.frames / 2))});
  }
  journal_split(split, rows, why);
  const int first = (rows.count + 1) / 2;
  split.fitting.remember(split.shape, first);
  run_or_split(split, {.first = rows.first, .count = first});
  run_or_split(split, {.first = rows.first + first, .count = rows.count - first});
}

}  // namespace qanat
