#include "telemetry/trace_store.h"

#include <algorithm>

namespace qanat {

TraceStore::TraceStore(Bytes budget)
    : head_budget_(static_cast<std::size_t>(budget.value) / 4),
      tail_budget_(static_cast<std::size_t>(budget.value) - head_budget_),
      chunk_(std::max<std::size_t>(tail_budget_ / 32, 256)) {}

void TraceStore::add(std::string_view records) {
  if (tail_.empty() && head_.size() + records.size() <= head_budget_) {
    head_ += records;
    return;
  }
  if (tail_.empty() || tail_.back().bytes.size() + records.size() > chunk_) {
    tail_.emplace_back();
  }
  tail_.back().bytes += records;
  ++tail_.back().adds;
  tail_bytes_ += records.size();
  while (tail_bytes_ > tail_budget_) {
    tail_bytes_ -= tail_.front().bytes.size();
    left_out_ += tail_.front().adds;
    tail_.pop_front();
    if (tail_.empty()) {
      tail_.emplace_back();  // the head is over for good
    }
  }
}

TraceStore::Contents TraceStore::contents() const {
  Contents contents{.head = head_, .tail = {}};
  for (const Chunk& chunk : tail_) {
    contents.tail.push_back(chunk.bytes);
  }
  return contents;
}

Bytes TraceStore::size() const {
  return Bytes{static_cast<std::int64_t>(head_.size() + tail_bytes_)};
}

}  // namespace qanat
