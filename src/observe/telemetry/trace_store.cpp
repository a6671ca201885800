#include "telemetry/trace_store.h"

#include <algorithm>

namespace qanat {

TraceStore::TraceStore(Bytes budget)
    : head_budget_(static_cast<std::size_t>(budget.value) / 4),
      middle_budget_(static_cast<std::size_t>(budget.value) / 8),
      rest_budget_(static_cast<std::size_t>(budget.value) - head_budget_),
      chunk_(std::max<std::size_t>(rest_budget_ / 32, 256)) {}

void TraceStore::add(std::string_view records, Group group) {
  if (tail_.empty() && head_.size() + records.size() <= head_budget_) {
    head_ += records;
    return;
  }
  if (tail_.empty() || tail_.back().bytes.size() + records.size() > chunk_) {
    tail_.emplace_back();
  }
  tail_.back().bytes += records;
  tail_.back().records.push_back({.group = group, .size = records.size()});
  tail_bytes_ += records.size();
  while (middle_bytes_ + tail_bytes_ > rest_budget_) {
    tail_bytes_ -= tail_.front().bytes.size();
    drop(tail_.front());
    tail_.pop_front();
    if (tail_.empty()) {
      tail_.emplace_back();  // the head is over for good
    }
  }
}

void TraceStore::rate(Group group, double importance) {
  ratings_[group] = importance;
  if (ratings_.size() <= kKeptGroups) {
    return;
  }
  const auto least = std::ranges::min_element(
      ratings_, {}, [](const std::pair<const Group, double>& rated) { return rated.second; });
  forget(least->first);
  ratings_.erase(least);
}

void TraceStore::drop(const Chunk& chunk) {
  std::size_t at = 0;
  for (const Record& record : chunk.records) {
    const bool kept = record.group != kNoGroup && ratings_.contains(record.group) &&
                      middle_bytes_ + record.size <= middle_budget_;
    if (kept) {
      middle_.emplace(dropped_,
                      Kept{.group = record.group, .bytes = chunk.bytes.substr(at, record.size)});
      middle_bytes_ += record.size;
    } else {
      ++left_out_;
    }
    at += record.size;
    ++dropped_;
  }
}

void TraceStore::forget(Group group) {
  left_out_ += static_cast<std::int64_t>(std::erase_if(middle_, [&](const auto& one) {
    const bool leaves = one.second.group == group;
    middle_bytes_ -= leaves ? one.second.bytes.size() : 0;
    return leaves;
  }));
}

TraceStore::Contents TraceStore::contents() const {
  Contents contents{.head = head_, .middle = {}, .tail = {}};
  for (const auto& [order, kept] : middle_) {
    contents.middle.push_back(kept.bytes);
  }
  for (const Chunk& chunk : tail_) {
    contents.tail.push_back(chunk.bytes);
  }
  return contents;
}

Bytes TraceStore::size() const {
  return Bytes{static_cast<std::int64_t>(head_.size() + middle_bytes_ + tail_bytes_)};
}

}  // namespace qanat
