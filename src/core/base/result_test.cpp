#include "base/result.h"

#include <gtest/gtest.h>

#include "base/quantity.h"

namespace qanat {
namespace {

Result<Bytes> size_of(bool exists) {
  if (!exists) {
    return Failure{"a.wav: no such file"};
  }
  return Bytes{4096};
}

TEST(ResultTest, HoldsTheValueOrTheReason) {
  EXPECT_EQ(size_of(true).value(), Bytes{4096});
  EXPECT_EQ(size_of(false).failure().what, "a.wav: no such file");
}

}  // namespace
}  // namespace qanat
