#include "base/quantity.h"

#include <type_traits>

#include <gtest/gtest.h>

namespace qanat {
namespace {

template <typename A, typename B>
concept Addable = requires(A a, B b) {
  a + b;
};

static_assert(Addable<Bytes, Bytes>);
static_assert(!Addable<Bytes, SampleCount>);
static_assert(!std::is_convertible_v<int, Bytes>);

TEST(QuantityTest, Compares) {
  EXPECT_LT(Bytes{1}, Bytes{2});
}

}  // namespace
}  // namespace qanat
