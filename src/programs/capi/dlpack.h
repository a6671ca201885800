// The structs of DLPack, by which array libraries hand memory to each other
// (https://dmlc.github.io/dlpack). Names and layout are the standard's.
#pragma once

#include <cstdint>

namespace qanat::dlpack {

inline constexpr std::int32_t kCpu = 1;
inline constexpr std::uint8_t kInt = 0;
inline constexpr std::uint8_t kFloat = 2;

struct Device {
  std::int32_t type = kCpu;
  std::int32_t id = 0;
};

struct DataType {
  std::uint8_t code = kInt;
  std::uint8_t bits = 0;
  std::uint16_t lanes = 1;
};

struct Tensor {
  void* data = nullptr;
  Device device{};
  std::int32_t dimensions = 0;
  DataType type{};
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;  // in values
  std::uint64_t byte_offset = 0;
};

struct ManagedTensor {
  Tensor tensor{};
  void* context = nullptr;
  void (*deleter)(ManagedTensor*) = nullptr;
};

struct Version {
  std::uint32_t major = 1;
  std::uint32_t minor = 0;
};

struct VersionedTensor {
  Version version{};
  void* context = nullptr;
  void (*deleter)(VersionedTensor*) = nullptr;
  std::uint64_t flags = 0;
  Tensor tensor{};
};

}  // namespace qanat::dlpack
