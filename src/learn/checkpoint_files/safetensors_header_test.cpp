#include "checkpoint_files/safetensors_header.h"

#include <cstring>

#include <fmt/ranges.h>
#include <gmock/gmock.h>

namespace qanat {
namespace {

using testing::HasSubstr;

std::string with_length(std::string_view header, std::size_t num_value_bytes) {
  const std::uint64_t length = header.size();
  std::string file(sizeof length, '\0');
  std::memcpy(file.data(), &length, sizeof length);
  file += header;
  file.append(num_value_bytes, '\1');
  return file;
}

std::span<const std::byte> bytes(const std::string& file) {
  return std::as_bytes(std::span(file));
}

std::string header_failure(std::string_view header, std::size_t num_value_bytes) {
  const std::string file = with_length(header, num_value_bytes);
  const Result<SafetensorsHeader> read = read_safetensors_header(bytes(file));
  return read ? "" : read.failure().what;
}

TEST(SafetensorsHeaderTest, ComesBackAsItWasWritten) {
  std::vector<StoredTensor> tensors = {
      {.name = "b", .type = TensorType::u8, .shape = {3}},
      {.name = "a", .type = TensorType::u8, .shape = {}},
      {.name = "z", .type = TensorType::f32, .shape = {2, 3}},
      {.name = "empty", .type = TensorType::i64, .shape = {0, 4}},
  };
  place_tensors(tensors);
  std::string file = make_safetensors_header(tensors, {{"step", "7"}});
  const std::size_t begin = file.size();
  file.append(24 + 1 + 3, '\0');

  const Result<SafetensorsHeader> header = read_safetensors_header(bytes(file));

  ASSERT_TRUE(header) << header.failure().what;
  EXPECT_EQ(header.value().tensors, tensors);
  EXPECT_EQ(header.value().values_begin, begin);
  EXPECT_EQ(header.value().metadata.at("step"), "7");
}

TEST(SafetensorsHeaderTest, ValuesBeginAlignedAndLargeElementsComeFirst) {
  std::vector<StoredTensor> tensors = {{.name = "a", .type = TensorType::u8, .shape = {3}},
                                       {.name = "b", .type = TensorType::f32, .shape = {1}},
                                       {.name = "c", .type = TensorType::f64, .shape = {1}}};

  place_tensors(tensors);

  EXPECT_EQ(make_safetensors_header(tensors, {}).size() % 64, 0);
  EXPECT_EQ(tensors[0].name, "c");
  EXPECT_EQ(tensors[1].begin, 8);
  EXPECT_EQ(tensors[2].begin, 12);
}

TEST(SafetensorsHeaderTest, AFileWithoutTensorsIsOne) {
  EXPECT_EQ(header_failure("{}", 0), "");
}

struct BadHeader {
  const char* name;
  std::string header;
  std::size_t num_value_bytes;
  const char* problem;
};

class SafetensorsHeaderBadTest : public testing::TestWithParam<BadHeader> {};

TEST_P(SafetensorsHeaderBadTest, IsRefusedWithTheReason) {
  EXPECT_THAT(header_failure(GetParam().header, GetParam().num_value_bytes),
              HasSubstr(GetParam().problem));
}

std::string tensor(std::string_view name, std::string_view dtype, std::string_view rest) {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":{}}})", name, dtype, rest);
}

std::string object(const std::vector<std::string>& members) {
  return fmt::format("{{{}}}", fmt::join(members, ","));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    SafetensorsHeaderBadTest,
    testing::Values(
        BadHeader{"NotJson", "{\"a\":", 0, "not JSON"},
        BadHeader{"NotUtf8", "{\"\xff\":1}", 0, "not JSON"},
        BadHeader{"NoObject", "[]", 0, "a list where none belongs"},
        BadHeader{"TrailingText", "{} {}", 0, "not JSON"},
        BadHeader{"NameTwice",
                  object({tensor("a", "U8", R"([1],"data_offsets":[0,1])"),
                          tensor("a", "U8", R"([1],"data_offsets":[1,2])")}),
                  2,
                  "is there twice"},
        BadHeader{"KeyTwice",
                  R"({"a":{"dtype":"U8","dtype":"U8","shape":[],"data_offsets":[0,1]}})",
                  1,
                  "has dtype twice"},
        BadHeader{"MetadataTwice", R"({"__metadata__":{"a":"1","a":"2"}})", 0, "twice"},
        BadHeader{"MetadataNotText", R"({"__metadata__":{"a":1}})", 0, "a number"},
        BadHeader{"NoShape", R"({"a":{"dtype":"U8","data_offsets":[0,1]}})", 1, "has not all of"},
        BadHeader{"UnknownKey", R"({"a":{"kind":1}})", 0, "unknown key"},
        BadHeader{
            "UnknownType", object({tensor("a", "F128", R"([1],"data_offsets":[0,1])")}), 1, "F128"},
        BadHeader{"OneOffset",
                  object({tensor("a", "U8", R"([1],"data_offsets":[0])")}),
                  1,
                  "data_offsets are not two"},
        BadHeader{"ThreeOffsets",
                  object({tensor("a", "U8", R"([1],"data_offsets":[0,1,2])")}),
                  1,
                  "data_offsets are not two"},
        BadHeader{"Negative",
                  object({tensor("a", "U8", R"([-1],"data_offsets":[0,1])")}),
                  1,
                  "a negative number"},
        BadHeader{"Fraction",
                  object({tensor("a", "U8", R"([1.5],"data_offsets":[0,1])")}),
                  1,
                  "not whole"},
        BadHeader{"Nested",
                  object({tensor("a", "U8", R"([[1]],"data_offsets":[0,1])")}),
                  1,
                  "a list in a list"},
        BadHeader{"Beyond",
                  object({tensor("a", "F32", R"([2],"data_offsets":[0,8])")}),
                  7,
                  "bytes 0 to 8 of 7"},
        BadHeader{"Backwards",
                  object({tensor("a", "U8", R"([1],"data_offsets":[1,0])")}),
                  1,
                  "bytes 1 to 0"},
        BadHeader{"WrongSize",
                  object({tensor("a", "F32", R"([2],"data_offsets":[0,4])")}),
                  4,
                  "do not fit its type and shape"},
        BadHeader{"Overflow",
                  object({tensor("a", "F32", R"([4611686018427387904,4],"data_offsets":[0,0])")}),
                  0,
                  "do not fit its type and shape"},
        BadHeader{"OverflowBesideZero",
                  object({tensor("a", "F32", R"([0,9223372036854775807,9],"data_offsets":[0,0])")}),
                  0,
                  "do not fit its type and shape"},
        BadHeader{"HugeDimension",
                  object({tensor("a", "U8", R"([18446744073709551615],"data_offsets":[0,1])")}),
                  1,
                  "has a dimension of"},
        BadHeader{"Overlap",
                  object({tensor("a", "U8", R"([2],"data_offsets":[0,2])"),
                          tensor("b", "U8", R"([2],"data_offsets":[1,3])")}),
                  3,
                  "begins at byte 1"},
        BadHeader{"Hole",
                  object({tensor("a", "U8", R"([1],"data_offsets":[0,1])"),
                          tensor("b", "U8", R"([1],"data_offsets":[2,3])")}),
                  3,
                  "begins at byte 2"},
        BadHeader{"Leftover",
                  object({tensor("a", "U8", R"([1],"data_offsets":[0,1])")}),
                  9,
                  "9 bytes of values"}),
    [](const auto& bad) { return bad.param.name; });

TEST(SafetensorsHeaderTest, AHeaderLongerThanTheFileIsRefused) {
  std::string file = with_length("{}", 0);
  file[7] = '\x7f';

  const Result<SafetensorsHeader> header = read_safetensors_header(bytes(file));

  ASSERT_FALSE(header);
  EXPECT_THAT(header.failure().what, HasSubstr("in a file of 10"));
}

TEST(SafetensorsHeaderTest, AFileShorterThanItsLengthFieldIsRefused) {
  const Result<SafetensorsHeader> header = read_safetensors_header(bytes("{}"));

  ASSERT_FALSE(header);
  EXPECT_THAT(header.failure().what, HasSubstr("too short"));
}

}  // namespace
}  // namespace qanat
