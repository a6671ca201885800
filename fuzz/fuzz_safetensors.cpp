// Reads arbitrary bytes as the header of a safetensors file, and as the header alone with its
// length made right: a fuzzer would find eight fitting bytes, but not soon.
//
// What is accepted has to keep the promises of read_safetensors_header(): the bytes of every
// tensor are read. seeds/fuzz_safetensors has whole files.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "checkpoint_files/safetensors_header.h"

namespace {

std::uint64_t read_all(std::span<const std::byte> file) {
  const qanat::Result<qanat::SafetensorsHeader> header = qanat::read_safetensors_header(file);
  if (!header) {
    return header.failure().what.size();
  }
  std::uint64_t sum = 0;
  for (const qanat::StoredTensor& tensor : header.value().tensors) {
    const std::size_t begin = header.value().values_begin + tensor.begin;
    for (const std::byte value : file.subspan(begin, tensor.end - tensor.begin)) {
      sum += static_cast<std::uint64_t>(value);
    }
  }
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> input = std::as_bytes(std::span(data, size));
  volatile std::uint64_t sum = read_all(input);
  const std::uint64_t length = size;
  std::string header(sizeof length, '\0');
  std::memcpy(header.data(), &length, sizeof length);
  header.append(reinterpret_cast<const char*>(data), size);
  sum = sum + read_all(std::as_bytes(std::span(header)));
  return 0;
}
