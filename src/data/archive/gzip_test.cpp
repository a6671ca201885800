#include "archive/gzip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

namespace qanat {
namespace {

std::string gzipped(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(GzipTest, GivesBackWhatWasPackedInSeveralMembers) {
  const std::string text(3'000'000, 'x');
  const std::string packed = gzipped(text) + gzipped("end");

  const Result<std::string> out = gunzip(bytes_of(packed), mebibytes(8));

  ASSERT_TRUE(out);
  EXPECT_EQ(out.value(), text + "end");
}

TEST(GzipTest, RefusesMoreThanTheLimit) {
  const std::string packed = gzipped(std::string(9'000'000, '\0'));

  EXPECT_FALSE(gunzip(bytes_of(packed), mebibytes(8)));
}

class CutGzipTest : public testing::TestWithParam<std::size_t> {};

TEST_P(CutGzipTest, IsRefused) {
  const std::string packed = gzipped("a text that is packed");

  EXPECT_FALSE(gunzip(bytes_of(packed.substr(0, GetParam())), mebibytes(1)));
}

INSTANTIATE_TEST_SUITE_P(Lengths, CutGzipTest, testing::Values(0, 1, 10, 20, 30));

}  // namespace
}  // namespace qanat
