#include "replicas/store_texts.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include <fmt/format.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "locale/message_error.h"
#include "locale/messages.h"
#include "replicas/c10d_errors.h"

namespace qanat {
namespace {

std::vector<std::uint8_t> to_bytes(const std::string& text) {
  return {text.begin(), text.end()};
}

std::string to_text(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

}  // namespace

StorePointer connect_store(const ReplicaPlace& place, Seconds timeout, StoreRole role) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(place.port);
  options.isServer = place.rank == 0 && !place.has_store && role == StoreRole::first_of_process;
  options.waitWorkers = false;
  options.timeout =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::max(timeout, Seconds(1)));
  try {
    return c10::make_intrusive<c10d::PrefixStore>(
        fmt::format("qanat/{}", place.attempt),
        c10::make_intrusive<c10d::TCPStore>(place.address, options));
  } catch (const std::exception& error) {
    throw MessageError(
        msg::replicas_no_store{.rank = place.rank,
                               .address = fmt::format("{}:{}", place.address, place.port),
                               .reason = first_line(error)});
  }
}

void StoreTexts::set(const std::string& name, const std::string& text) {
  with_store([&](c10d::Store& store) { store.set(name, to_bytes(text)); });
}

std::optional<std::string> StoreTexts::get(const std::string& name) {
  return with_store([&](c10d::Store& store) {
    return store.check({name}) ? std::optional(to_text(store.get(name))) : std::nullopt;
  });
}

std::string StoreTexts::set_once(const std::string& name, const std::string& text) {
  return with_store(
      [&](c10d::Store& store) { return to_text(store.compareSet(name, {}, to_bytes(text))); });
}

}  // namespace qanat
