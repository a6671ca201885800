#include "features/npy_writer.h"

#include <bit>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/check.h"
#include "base/files.h"

namespace qanat {
namespace {

static_assert(std::endian::native == std::endian::little, "the header below says little endian");

using namespace std::string_view_literals;

// Version 1.0: magic, version, length of the text in 16 bits, the text. All of it together is a
// multiple of 64 bytes, and the text ends in a newline.
std::string header(std::int64_t rows, std::int64_t columns) {
  constexpr std::string_view kMagic = "\x93NUMPY\x01\x00"sv;
  constexpr std::size_t kAlignment = 64;
  std::string text =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  const std::size_t used = kMagic.size() + 2 + text.size() + 1;
  text.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  text.push_back('\n');
  std::string result(kMagic);
  result.push_back(static_cast<char>(text.size() & 0xffU));
  result.push_back(static_cast<char>(text.size() >> 8U));
  return result + text;
}

}  // namespace

void write_npy(const std::filesystem::path& path,
               std::span<const float> values,
               std::int64_t rows,
               std::int64_t columns) {
  QANAT_CHECK(static_cast<std::int64_t>(values.size()) == rows * columns)
      << values.size() << " values for " << rows << " x " << columns;
  AtomicFile file(path);
  file.write(header(rows, columns));
  file.write(std::as_bytes(values));
  file.commit();
}

}  // namespace qanat
