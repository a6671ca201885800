#include "pipeline/loader.h"

#include <utility>

#include "pipeline/loader_core.h"

namespace qanat {

Loader::Loader(LoaderInputs inputs, const LoaderOptions& options, Position start)
    : core_(std::make_unique<LoaderCore>(std::move(inputs), options, start)) {}

Loader::~Loader() = default;

std::optional<Batch> Loader::next(const std::stop_token& stop) {
  return core_->next(stop);
}

void Loader::report_step(Seconds own, Seconds waited) {
  core_->report_step(own, waited);
}

ReadyLevel Loader::wait_until_ready(int count, Seconds longest, const std::stop_token& stop) const {
  return core_->wait_until_ready(count, longest, stop);
}

Position Loader::position() const {
  return core_->position();
}

PipelineStats Loader::stats() const {
  return core_->stats();
}

std::int64_t Loader::batches_per_epoch() const {
  return core_->batches_per_epoch();
}

const BucketEdges& Loader::edges() const {
  return core_->edges();
}

}  // namespace qanat
