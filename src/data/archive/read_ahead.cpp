#include "archive/read_ahead.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/thread.h"

namespace qanat {
namespace {

// What a clip is taken for that lies in a page of a table.
constexpr std::int64_t kAssumedClip = 256 * 1024;
// Workers open clips in about the order of the list. What was passed so far was not wanted: its
// features were kept, or another clip took its place.
constexpr std::size_t kPassed = 64;
// How far behind a list may be that was held up by clips that nobody wanted.
constexpr std::size_t kMaxBehind = 4096;

std::int64_t size_ahead(const ClipPlace& place) {
  return place.size.value > 0 ? place.size.value : kAssumedClip;
}

}  // namespace

ReadAhead::List::~List() {
  const std::lock_guard lock(ahead_.mutex_);
  std::erase(ahead_.lists_, this);
  for (auto clip = ahead_.ahead_.begin(); clip != ahead_.ahead_.end();) {
    const auto next = std::next(clip);
    if (clip->second.list == this) {
      clip->second.list = nullptr;
      if (clip->second.is_there()) {
        ahead_.drop(clip);
      }
    }
    clip = next;
  }
}

void ReadAhead::List::append(const std::vector<ClipPlace>& places) {
  {
    const std::lock_guard lock(ahead_.mutex_);
    places_.insert(places_.end(), places.begin(), places.end());
    ahead_.start_threads();
  }
  ahead_.changed_.notify_all();
}

ReadAhead::ReadAhead(ClipContainers containers, const ReadAheadOptions& options)
    : containers_(std::move(containers)), options_(options) {}

ReadAhead::~ReadAhead() {
  for (std::jthread& thread : threads_) {
    thread.request_stop();  // all of them before the first is waited for
  }
}

std::unique_ptr<ReadAhead::List> ReadAhead::make_list() {
  std::unique_ptr<List> list(new List(*this));
  const std::lock_guard lock(mutex_);
  lists_.push_back(list.get());
  return list;
}

void ReadAhead::start_threads() {
  while (std::ssize(threads_) < options_.requests) {
    threads_.push_back(start_thread(fmt::format("ahead-{}", threads_.size()),
                                    [this](const std::stop_token& stop) { fetch_clips(stop); }));
  }
}

// Null: there is nothing to fetch, or no room for it.
ReadAhead::List* ReadAhead::next_list() {
  for (auto list = lists_.begin(); list != lists_.end(); ++list) {
    if (!(*list)->places_.empty()) {
      const std::int64_t size = size_ahead((*list)->places_.front());
      if (bytes_ > 0 && bytes_ + size > options_.budget.value) {
        return nullptr;
      }
      lists_.splice(lists_.end(), lists_, list);
      return lists_.back();
    }
  }
  return nullptr;
}

void ReadAhead::drop(std::map<Key, Ahead>::iterator clip) {
  bytes_ -= clip->second.size;
  ahead_.erase(clip);
  changed_.notify_all();
}

void ReadAhead::drop_passed(const List* list, std::size_t number) {
  for (auto clip = ahead_.begin(); clip != ahead_.end();) {
    const auto next = std::next(clip);
    const Ahead& one = clip->second;
    if (one.list == list && one.is_there() && one.number + kPassed < number) {
      drop(clip);
    }
    clip = next;
  }
}

// A clip was opened that was not read ahead: what stands before it in its list is not wanted any
// more.
void ReadAhead::catch_up(const ClipPlace& place) {
  for (List* const list : lists_) {
    const std::size_t count = std::min(list->places_.size(), kMaxBehind);
    const auto end = list->places_.begin() + static_cast<std::ptrdiff_t>(count);
    const auto found = std::find(list->places_.begin(), end, place);
    if (found != end) {
      list->next_ += static_cast<std::size_t>(found - list->places_.begin()) + 1;
      list->places_.erase(list->places_.begin(), std::next(found));
      drop_passed(list, list->next_);
      changed_.notify_all();
    }
  }
}

void ReadAhead::fetch(std::unique_lock<std::mutex>& lock, List& list) {
  const std::size_t number = list.next_++;
  const ClipPlace place = list.places_.front();
  list.places_.pop_front();
  const Key key = key_of(place);
  const auto [made, is_made] =
      ahead_.try_emplace(key, Ahead{.list = &list, .number = number, .size = size_ahead(place)});
  if (!is_made) {
    return;  // it comes twice; the second time it is read at once
  }
  bytes_ += made->second.size;
  lock.unlock();
  std::optional<Result<StoredClip>> clip;
  std::exception_ptr failure;
  try {
    clip.emplace(container(place).open(place));
  } catch (...) {
    failure = std::current_exception();  // for whoever opens the clip
  }
  lock.lock();
  const auto found = ahead_.find(key);  // nobody drops what is not there yet
  found->second.clip = std::move(clip);
  found->second.failure = failure;
  if (found->second.list == nullptr) {
    drop(found);
  }
  changed_.notify_all();
}

void ReadAhead::fetch_clips(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  List* list = nullptr;
  while (changed_.wait(lock, stop, [&] { return (list = next_list()) != nullptr; })) {
    fetch(lock, *list);
  }
}

Result<StoredClip> ReadAhead::open(const ClipPlace& place) {
  const Key key = key_of(place);
  std::unique_lock lock(mutex_);
  auto found = ahead_.find(key);
  if (found != ahead_.end() && !found->second.is_there()) {
    changed_.wait(lock, [&] {
      found = ahead_.find(key);
      return found == ahead_.end() || found->second.is_there();
    });
  }
  if (found == ahead_.end()) {
    catch_up(place);
    lock.unlock();
    return container(place).open(place);
  }
  Ahead taken = std::move(found->second);
  drop(found);
  if (taken.list != nullptr) {
    drop_passed(taken.list, taken.number);
  }
  lock.unlock();
  if (taken.failure) {
    std::rethrow_exception(taken.failure);
  }
  return *std::move(taken.clip);
}

Result<FileIdentity> ReadAhead::identity(const ClipPlace& place) const {
  return container(place).identity(place);
}

}  // namespace qanat
