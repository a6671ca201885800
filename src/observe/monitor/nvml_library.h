// NVIDIA's management library, found at run time. Every function of it is optional: which of them
// a driver has decides what can be said, not whether anything can.
//
// The declarations are ours, from the documented binary interface; no header of NVIDIA is needed.
// Calls may hang when a GPU is lost: see nvml_probe.h for how they are made.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace qanat::nvml {

using Return = int;
using Device = void*;
using EventSet = void*;

inline constexpr Return kSuccess = 0;
inline constexpr Return kNotSupported = 3;
inline constexpr Return kInsufficientSize = 7;
inline constexpr Return kDriverNotLoaded = 9;
inline constexpr Return kGpuIsLost = 15;
inline constexpr Return kVersionMismatch = 18;

struct Utilisation {
  unsigned gpu = 0;  // %
  unsigned memory = 0;
};
struct Memory {
  unsigned long long total = 0;  // bytes
  unsigned long long free = 0;
  unsigned long long used = 0;
};
struct PciInfo {
  char legacy[16] = {};
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  unsigned ids = 0;
  unsigned subsystem = 0;
  char id[32] = {};  // "00000000:65:00.0"
};
struct ProcessV1 {
  unsigned pid = 0;
  unsigned long long memory = 0;
};
struct Process {  // of versions 2 and 3
  unsigned pid = 0;
  unsigned long long memory = 0;
  unsigned instance = 0;
  unsigned compute_instance = 0;
};
struct EventData {
  Device device = nullptr;
  unsigned long long type = 0;
  unsigned long long data = 0;
  unsigned instance = 0;
  unsigned compute_instance = 0;
};
inline constexpr unsigned long long kXidEvent = 0x8;

using Number = Return (*)(Device, unsigned*);
using LongNumber = Return (*)(Device, unsigned long long*);
using Text = Return (*)(Device, char*, unsigned);

// Null where the library has no such function.
struct Functions {
  Return (*init)() = nullptr;
  Return (*shutdown)() = nullptr;
  const char* (*error_string)(Return) = nullptr;
  Return (*driver_version)(char*, unsigned) = nullptr;
  Return (*cuda_version)(int*) = nullptr;
  Return (*device_count)(unsigned*) = nullptr;
  Return (*device_by_index)(unsigned, Device*) = nullptr;
  Text name = nullptr;
  Text uuid = nullptr;
  Return (*pci_info)(Device, PciInfo*) = nullptr;
  Return (*utilisation)(Device, Utilisation*) = nullptr;
  Return (*memory)(Device, Memory*) = nullptr;
  Return (*clock)(Device, int, unsigned*) = nullptr;      // MHz; 1: multiprocessors, 2: memory
  Return (*max_clock)(Device, int, unsigned*) = nullptr;  // MHz
  Number power = nullptr;                                 // mW
  Number power_limit = nullptr;                           // mW
  Return (*temperature)(Device, int, unsigned*) = nullptr;
  LongNumber clock_limits = nullptr;
  Number link_gen = nullptr;
  Number link_width = nullptr;
  Number link_gen_max = nullptr;
  Number link_width_max = nullptr;
  Number link_replays = nullptr;
  Return (*ecc_errors)(Device, int, int, unsigned long long*) = nullptr;
  Return (*remapped_rows)(Device, unsigned*, unsigned*, unsigned*, unsigned*) = nullptr;
  Number persistence = nullptr;
  Return (*processes)(Device, unsigned*, Process*) = nullptr;
  Return (*processes_v1)(Device, unsigned*, ProcessV1*) = nullptr;
  Return (*peer_status)(Device, Device, int, int*) = nullptr;
  Return (*common_ancestor)(Device, Device, int*) = nullptr;
  Return (*make_event_set)(EventSet*) = nullptr;
  Return (*register_events)(Device, unsigned long long, EventSet) = nullptr;
  Return (*wait_for_event)(EventSet, EventData*, unsigned) = nullptr;
  Return (*free_event_set)(EventSet) = nullptr;
};

// Owns the loaded library. Functions may be called from any thread, as NVML allows.
class Library {
 public:
  // `path` empty: libnvidia-ml.so.1, then libnvidia-ml.so (which may be the toolkit's stub). Fails
  // with the loader's words.
  static Result<std::shared_ptr<const Library>> open(const std::string& path);
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library();

  const Functions& functions() const { return functions_; }
  // What a code means, in the library's words where it has some.
  std::string describe(Return code) const;

 private:
  explicit Library(void* loaded);

  void* loaded_;
  Functions functions_;
};

}  // namespace qanat::nvml
