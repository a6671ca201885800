// Any bytes as a tar file: members lie inside of it, in order, or there is a reason.
#include <cstddef>
#include <cstdint>
#include <span>

#include "archive/gzip.h"
#include "archive/tar_index.h"
#include "base/check.h"
#include "locale/translator.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  const qanat::Result<qanat::TarIndex> index = qanat::read_tar_index(qanat::MemoryAccess(bytes));
  std::int64_t end = 0;
  if (index) {
    for (const qanat::TarMember& member : index.value().members) {
      QANAT_CHECK(member.offset.value >= end) << member.offset.value;
      QANAT_CHECK(member.size.value >= 0) << member.size.value;
      end = member.offset.value + member.size.value;
      QANAT_CHECK(end <= static_cast<std::int64_t>(size)) << end;
    }
    if (index.value().trouble) {
      qanat::Translator().said(*index.value().trouble);
    }
  }
  if (qanat::is_gzip(bytes)) {
    const auto text = qanat::gunzip(bytes, qanat::mebibytes(4));
    QANAT_CHECK(!text || text.value().size() <= (std::size_t{4} << 20));
  }
  return 0;
}
