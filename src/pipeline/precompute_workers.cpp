#include "pipeline/precompute_workers.h"

#include <exception>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/thread.h"

namespace qanat {
namespace {

// Evens out long and short utterances between workers; about a megabyte each.
constexpr std::size_t kBufferedPerWorker = 8;

}  // namespace

FeatureWorkers::FeatureWorkers(const RowSource& source,
                               std::span<const FeatureTask> tasks,
                               int mel_bins,
                               int workers)
    : source_(source), tasks_(tasks), mel_bins_(static_cast<std::size_t>(mel_bins)) {
  QANAT_CHECK(workers > 0 && mel_bins > 0) << workers << " workers, " << mel_bins << " mel bins";
  const auto count = static_cast<std::size_t>(workers);
  for (std::size_t i = 0; i < count; ++i) {
    buffers_.push_back(std::make_unique<Buffer>(kBufferedPerWorker));
  }
  for (std::size_t i = 0; i < count; ++i) {
    threads_.push_back(start_thread(fmt::format("precompute {}", i),
                                    [this, i](const std::stop_token& stop) { work(i, stop); }));
  }
}

std::optional<Result<MadeFeatures>> FeatureWorkers::next(const std::stop_token& stop) {
  if (next_ == tasks_.size()) {
    return std::nullopt;
  }
  return buffers_[next_++ % buffers_.size()]->pop(stop);
}

void FeatureWorkers::work(std::size_t worker, const std::stop_token& stop) {
  Buffer& buffer = *buffers_[worker];
  try {
    const std::unique_ptr<RowFiller> filler = source_.make_filler();
    for (std::size_t i = worker; i < tasks_.size(); i += buffers_.size()) {
      if (stop.stop_requested() || !buffer.push(make(*filler, tasks_[i]), stop)) {
        return;
      }
    }
  } catch (...) {
    buffer.fail(std::current_exception());
  }
}

Result<MadeFeatures> FeatureWorkers::make(RowFiller& filler, const FeatureTask& task) const {
  MadeFeatures made;
  made.mel.resize(task.length.frames * mel_bins_);
  made.tokens.resize(task.length.tokens);
  const Result<FilledRow> filled =
      filler.fill(task.item, {.mel = made.mel, .pcm = {}, .tokens = made.tokens});
  if (!filled) {
    return filled.failure();
  }
  made.mel.resize(static_cast<std::size_t>(filled.value().frames) * mel_bins_);
  made.tokens.resize(static_cast<std::size_t>(filled.value().tokens));
  return made;
}

}  // namespace qanat
