#include "replicas/store_gather.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <torch/version.h>

#include "base/error.h"

namespace qanat {
namespace {

std::string said_name(std::int64_t round, int rank) {
  return fmt::format("said/{}/{}", round, rank);
}

std::string all_name(std::int64_t round) {
  return fmt::format("all/{}", round);
}

// Each behind its length: "2:ab0:".
std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    all += fmt::format("{}:", text.size());
    all += text;
  }
  return all;
}

std::vector<std::string> separated(std::string_view all, int count) {
  std::vector<std::string> texts;
  while (!all.empty()) {
    std::size_t size = 0;
    const auto [end, problem] = std::from_chars(all.data(), all.data() + all.size(), size);
    const auto colon = static_cast<std::size_t>(end - all.data());
    if (problem != std::errc() || colon >= all.size() || all[colon] != ':' ||
        size > all.size() - colon - 1) {
      break;
    }
    texts.emplace_back(all.substr(colon + 1, size));
    all.remove_prefix(colon + 1 + size);
  }
  if (!all.empty() || texts.size() != static_cast<std::size_t>(count)) {
    throw Error("texts of {} processes: {} came; expected one of each", count, texts.size());
  }
  return texts;
}

}  // namespace

StoreGather::StoreGather(std::function<StorePointer()> connect, ProcessRank place)
    : listener_(std::move(connect)), place_(place) {}

void StoreGather::begin(std::string own) {
  ++round_;
  own_ = std::move(own);
  has_said_ = false;
}

void StoreGather::say(c10d::Store& store) {
  if (place_.rank == 0 || has_said_) {
    return;
  }
  store.set(said_name(round_, place_.rank), to_store_bytes(own_));
  if (round_ > 2) {  // heard; or the round after it was, where all parted
    store.deleteKey(said_name(round_ - 2, place_.rank));
  }
  has_said_ = true;
}

std::vector<std::string> StoreGather::collected(c10d::Store& store) const {
  std::vector<std::string> names;
  for (int rank = 1; rank < place_.world; ++rank) {
    names.push_back(said_name(round_, rank));
  }
  std::vector<std::string> texts{own_};
#if TORCH_VERSION_MAJOR >= 2
  for (const std::vector<std::uint8_t>& bytes : store.multiGet(names)) {
    texts.push_back(from_store_bytes(bytes));
  }
#else
  store.wait(names);
  for (const std::string& name : names) {
    texts.push_back(from_store_bytes(store.get(name)));
  }
#endif
  return texts;
}

std::optional<std::vector<std::string>> StoreGather::hear() {
  return listener_.in_time([&](c10d::Store& store) {
    if (place_.rank != 0) {
      say(store);
      return separated(from_store_bytes(store.get(all_name(round_))), place_.world);
    }
    std::vector<std::string> texts = collected(store);
    store.set(all_name(round_), to_store_bytes(joined(texts)));
    if (round_ > 1) {  // who spoke in this round has heard the last one
      store.deleteKey(all_name(round_ - 1));
    }
    return texts;
  });
}

bool StoreGather::part() {
  return listener_
      .in_time([&](c10d::Store& store) {
        say(store);
        return place_.rank != 0 || !collected(store).empty();
      })
      .value_or(false);
}

bool StoreGather::share(const std::string& text) {
  const std::optional<bool> said = listener_.in_time([&](c10d::Store& store) {
    store.set(fmt::format("shared/{}", num_shared_), to_store_bytes(text));
    return true;
  });
  num_shared_ += said ? 1 : 0;
  return said.has_value();
}

std::optional<std::string> StoreGather::shared() {
  const auto bytes = listener_.in_time(
      [&](c10d::Store& store) { return store.get(fmt::format("shared/{}", num_shared_)); });
  if (!bytes) {
    return std::nullopt;
  }
  ++num_shared_;
  return from_store_bytes(*bytes);
}

}  // namespace qanat
