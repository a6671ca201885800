#include "monitor/nvml_library.h"

#include <initializer_list>

#include <dlfcn.h>
#include <fmt/format.h>

namespace qanat::nvml {
namespace {

// The first of the names that the library has: newer versions of a function come first.
template <typename Function>
void find(void* library, Function& function, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (void* const symbol = ::dlsym(library, name)) {
      function = reinterpret_cast<Function>(symbol);
      return;
    }
  }
}

void find_system(void* library, Functions& f) {
  find(library, f.init, {"nvmlInit_v2", "nvmlInit"});
  find(library, f.shutdown, {"nvmlShutdown"});
  find(library, f.error_string, {"nvmlErrorString"});
  find(library, f.driver_version, {"nvmlSystemGetDriverVersion"});
  find(library,
       f.cuda_version,
       {"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"});
  find(library, f.device_count, {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"});
  find(library, f.device_by_index, {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"});
  find(library, f.peer_status, {"nvmlDeviceGetP2PStatus"});
  find(library, f.common_ancestor, {"nvmlDeviceGetTopologyCommonAncestor"});
  find(library, f.make_event_set, {"nvmlEventSetCreate"});
  find(library, f.register_events, {"nvmlDeviceRegisterEvents"});
  // The first version of the structure is a part of the second.
  find(library, f.wait_for_event, {"nvmlEventSetWait_v2", "nvmlEventSetWait"});
  find(library, f.free_event_set, {"nvmlEventSetFree"});
}

void find_device(void* library, Functions& f) {
  find(library, f.name, {"nvmlDeviceGetName"});
  find(library, f.uuid, {"nvmlDeviceGetUUID"});
  // Only this version has the field that is read.
  find(library, f.pci_info, {"nvmlDeviceGetPciInfo_v3"});
  find(library, f.utilisation, {"nvmlDeviceGetUtilizationRates"});
  find(library, f.memory, {"nvmlDeviceGetMemoryInfo"});
  find(library, f.clock, {"nvmlDeviceGetClockInfo"});
  find(library, f.max_clock, {"nvmlDeviceGetMaxClockInfo"});
  find(library, f.power, {"nvmlDeviceGetPowerUsage"});
  find(library, f.power_limit, {"nvmlDeviceGetEnforcedPowerLimit"});
  find(library, f.temperature, {"nvmlDeviceGetTemperature"});
  find(library,
       f.clock_limits,
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  find(library, f.link_gen, {"nvmlDeviceGetCurrPcieLinkGeneration"});
  find(library, f.link_width, {"nvmlDeviceGetCurrPcieLinkWidth"});
  find(library, f.link_gen_max, {"nvmlDeviceGetMaxPcieLinkGeneration"});
  find(library, f.link_width_max, {"nvmlDeviceGetMaxPcieLinkWidth"});
  find(library, f.link_replays, {"nvmlDeviceGetPcieReplayCounter"});
  find(library, f.ecc_errors, {"nvmlDeviceGetTotalEccErrors"});
  find(library, f.remapped_rows, {"nvmlDeviceGetRemappedRows"});
  find(library, f.persistence, {"nvmlDeviceGetPersistenceMode"});
  find(library,
       f.processes,
       {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  find(library, f.processes_v1, {"nvmlDeviceGetComputeRunningProcesses"});
}

}  // namespace

Library::Library(void* loaded) : loaded_(loaded) {
  find_system(loaded, functions_);
  find_device(loaded, functions_);
}

Library::~Library() {
  ::dlclose(loaded_);
}

Result<std::shared_ptr<const Library>> Library::open(const std::string& path) {
  const std::initializer_list<const char*> usual = {"libnvidia-ml.so.1", "libnvidia-ml.so"};
  const std::initializer_list<const char*> given = {path.c_str()};
  std::string why;
  for (const char* const name : path.empty() ? usual : given) {
    if (void* const loaded = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
      return std::shared_ptr<const Library>(new Library(loaded));
    }
    const char* const error = ::dlerror();
    if (why.empty()) {
      why = error == nullptr ? fmt::format("{}: cannot be loaded", name) : error;
    }
  }
  return Failure{why};
}

std::string Library::describe(Return code) const {
  const char* const text =
      functions_.error_string == nullptr ? nullptr : functions_.error_string(code);
  return text == nullptr ? fmt::format("error {}", code) : fmt::format("{} ({})", text, code);
}

}  // namespace qanat::nvml
