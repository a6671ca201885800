// Reads arbitrary bytes as what the journal says of host, GPUs and storage. What is accepted has to
// come back unchanged when it is written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "monitor/gpu_sample.h"
#include "monitor/host_counters.h"
#include "monitor/host_setup.h"
#include "monitor/storage_probe.h"

namespace {

template <typename Value, typename Read>
void check(const nlohmann::json& json, Read read) {
  const qanat::Result<Value> value = read(json);
  if (!value) {
    return;
  }
  const qanat::Result<Value> again = read(qanat::to_json(value.value()));
  if (!again || !(again.value() == value.value())) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const nlohmann::json json = nlohmann::json::parse(data, data + size, nullptr, false);
  if (json.is_discarded()) {
    return 0;
  }
  check<qanat::HostSetup>(json, qanat::to_host_setup);
  check<qanat::HostCounters>(json, qanat::to_host_counters);
  check<qanat::GpuSetup>(json, qanat::to_gpu_setup);
  check<qanat::StorageReading>(json, qanat::to_storage_reading);
  (void)qanat::to_gpu_samples(json);
  return 0;
}
