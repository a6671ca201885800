// A library that answers like NVML for two GPUs, for tests. What it says is set with variables of
// the environment, read at every call:
//
//   FAKE_NVML_INIT=9          nvmlInit returns this code
//   FAKE_NVML_GPUS=1          that many GPUs; 2 when not given
//   FAKE_NVML_LOST=0          every question about this GPU answers "lost"
//   FAKE_NVML_LIMITS=0x40     why clocks are limited
//   FAKE_NVML_HANG=clock      questions about clocks do not come back for an hour
//   FAKE_NVML_XID=79          an error event of GPU 0, once per process
//   FAKE_NVML_ECC=3           uncorrected errors of GPU 0
//   FAKE_NVML_REMAP=1         rows of GPU 0 wait for a reset
//   FAKE_NVML_LINK=1          generation of the link now, of 4
//   FAKE_NVML_OTHERS=2        other processes on GPU 0
//   FAKE_NVML_MEMORY=24000    MB used on GPU 0, of 24576
//   FAKE_NVML_BUSY=50         % of the time in which GPU 0 has a kernel; 87 when not given
//   FAKE_NVML_PEER=1          state of copies between the GPUs; 0 is fine
//
// Built a second time with FAKE_NVML_OLD: a driver with old names and few functions.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

struct FakeDevice {
  int index;
};
// What callers hold as handles, which are not const in NVML.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
std::array<FakeDevice, 8> devices{{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}};

constexpr int kSuccess = 0;
constexpr int kInvalid = 2;
constexpr int kTimeout = 10;
constexpr int kLost = 15;

long setting(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtol(text, nullptr, 0);
}

int index_of(void* device) {
  return static_cast<FakeDevice*>(device)->index;
}

int answer(void* device) {
  return setting("FAKE_NVML_LOST", -1) == index_of(device) ? kLost : kSuccess;
}

template <typename T>
int give(void* device, T* place, T value) {
  const int code = answer(device);
  if (code == kSuccess) {
    *place = value;
  }
  return code;
}

long of_first(void* device, const char* name, long otherwise) {
  return index_of(device) == 0 ? setting(name, otherwise) : otherwise;
}

struct Memory {
  unsigned long long total, free, used;
};

}  // namespace

// The names are NVML's.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

const char* nvmlErrorString(int code) {
  return code == kLost ? "GPU is lost" : code == 9 ? "Driver Not Loaded" : "Some Error";
}
int nvmlShutdown() {
  return kSuccess;
}
int nvmlDeviceGetName(void* device, char* text, unsigned size) {
  std::snprintf(text, size, "Fake GPU %d", index_of(device));
  return answer(device);
}
int nvmlDeviceGetTemperature(void* device, int, unsigned* value) {
  return give(device, value, 61U);
}
int nvmlDeviceGetMemoryInfo(void* device, Memory* memory) {
  const auto used = static_cast<unsigned long long>(of_first(device, "FAKE_NVML_MEMORY", 1000))
                    << 20;
  const unsigned long long total = 24576ULL << 20;
  return give(device, memory, Memory{total, total - used, used});
}

#ifdef FAKE_NVML_OLD

int nvmlInit() {
  return static_cast<int>(setting("FAKE_NVML_INIT", kSuccess));
}
int nvmlDeviceGetCount(unsigned* count) {
  *count = 1;
  return kSuccess;
}
int nvmlDeviceGetHandleByIndex(unsigned index, void** device) {
  *device = &devices.at(index);
  return kSuccess;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* bits) {
  return give(device, bits, static_cast<unsigned long long>(setting("FAKE_NVML_LIMITS", 0)));
}

#else

int nvmlInit_v2() {
  return static_cast<int>(setting("FAKE_NVML_INIT", kSuccess));
}
int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  std::snprintf(text, size, "535.00");
  return kSuccess;
}
int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 12020;
  return kSuccess;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(setting("FAKE_NVML_GPUS", 2));
  return kSuccess;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index >= devices.size()) {
    return kInvalid;
  }
  *device = &devices.at(index);
  return kSuccess;
}
int nvmlDeviceGetUUID(void* device, char* text, unsigned size) {
  std::snprintf(text, size, "GPU-0000-%d", index_of(device));
  return answer(device);
}
struct PciInfo {
  char legacy[16];
  unsigned domain, bus, device, ids, subsystem;
  char id[32];
};
int nvmlDeviceGetPciInfo_v3(void* device, PciInfo* info) {
  std::snprintf(info->id, sizeof(info->id), "00000000:%02X:00.0", 0x65 + index_of(device));
  return answer(device);
}
struct Utilisation {
  unsigned gpu, memory;
};
int nvmlDeviceGetUtilizationRates(void* device, Utilisation* rates) {
  const auto busy = static_cast<unsigned>(of_first(device, "FAKE_NVML_BUSY", 87));
  return give(device, rates, Utilisation{busy, 40});
}
int nvmlDeviceGetClockInfo(void* device, int kind, unsigned* value) {
  if (const char* const hang = std::getenv("FAKE_NVML_HANG"); hang != nullptr) {
    std::this_thread::sleep_for(std::chrono::hours(1));
  }
  return give(device, value, kind == 1 ? 1500U : 9000U);
}
int nvmlDeviceGetMaxClockInfo(void* device, int kind, unsigned* value) {
  return give(device, value, kind == 1 ? 2520U : 10500U);
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* value) {
  return give(device, value, 301000U);
}
int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* value) {
  return give(device, value, 450000U);
}
int nvmlDeviceGetCurrentClocksEventReasons(void* device, unsigned long long* bits) {
  return give(device, bits, static_cast<unsigned long long>(setting("FAKE_NVML_LIMITS", 0)));
}
int nvmlDeviceGetCurrPcieLinkGeneration(void* device, unsigned* value) {
  return give(device, value, static_cast<unsigned>(setting("FAKE_NVML_LINK", 4)));
}
int nvmlDeviceGetCurrPcieLinkWidth(void* device, unsigned* value) {
  return give(device, value, 16U);
}
int nvmlDeviceGetMaxPcieLinkGeneration(void* device, unsigned* value) {
  return give(device, value, 4U);
}
int nvmlDeviceGetMaxPcieLinkWidth(void* device, unsigned* value) {
  return give(device, value, 16U);
}
int nvmlDeviceGetPcieReplayCounter(void* device, unsigned* value) {
  return give(device, value, 0U);
}
int nvmlDeviceGetTotalEccErrors(void* device, int, int, unsigned long long* value) {
  return give(device, value, static_cast<unsigned long long>(of_first(device, "FAKE_NVML_ECC", 0)));
}
int nvmlDeviceGetRemappedRows(
    void* device, unsigned* corrected, unsigned* uncorrected, unsigned* pending, unsigned* failed) {
  *corrected = *uncorrected = *failed = 0;
  *pending = static_cast<unsigned>(of_first(device, "FAKE_NVML_REMAP", 0));
  return answer(device);
}
int nvmlDeviceGetPersistenceMode(void* device, unsigned* mode) {
  return give(device, mode, 1U);
}
struct Process {
  unsigned pid;
  unsigned long long memory;
  unsigned instance, compute_instance;
};
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, Process* list) {
  *count = static_cast<unsigned>(of_first(device, "FAKE_NVML_OTHERS", 0));
  for (unsigned i = 0; i < *count; ++i) {
    list[i] = Process{1 + i, 1 << 20, 0, 0};
  }
  return answer(device);
}
int nvmlDeviceGetP2PStatus(void*, void*, int, int* status) {
  *status = static_cast<int>(setting("FAKE_NVML_PEER", 0));
  return kSuccess;
}
int nvmlDeviceGetTopologyCommonAncestor(void*, void*, int* level) {
  *level = 30;
  return kSuccess;
}
int nvmlEventSetCreate(void** set) {
  *set = &devices;
  return kSuccess;
}
int nvmlDeviceRegisterEvents(void* device, unsigned long long, void*) {
  return answer(device);
}
struct EventData {
  void* device;
  unsigned long long type, data;
  unsigned instance, compute_instance;
};
int nvmlEventSetWait_v2(void*, EventData* event, unsigned) {
  static std::atomic<bool> given{false};
  const long xid = setting("FAKE_NVML_XID", 0);
  if (xid == 0 || given.exchange(true)) {
    return kTimeout;
  }
  *event = EventData{devices.data(), 8, static_cast<unsigned long long>(xid), 0, 0};
  return kSuccess;
}
int nvmlEventSetFree(void*) {
  return kSuccess;
}

#endif

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
