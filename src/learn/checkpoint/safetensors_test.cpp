#include "checkpoint/safetensors.h"

#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "checkpoint/mapped_tensors.h"

namespace qanat {
namespace {

using testing::HasSubstr;

class SafetensorsTest : public testing::Test {
 protected:
  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("safetensors-{}-{}",
                          ::getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

 private:
  std::filesystem::path folder_;
};

std::string content(const std::filesystem::path& path) {
  return read_text_file(path).value();
}

Result<TensorMap> parsed(const std::filesystem::path& path) {
  const std::string file = content(path);
  return parse_safetensors(std::as_bytes(std::span(file)));
}

TensorMap one_of_each() {
  return {{"f64", torch::tensor({1.0, -2.5}, torch::kFloat64)},
          {"f32", torch::arange(6, torch::kFloat32).reshape({2, 3})},
          {"f16", torch::tensor({0.5, 2.0}, torch::kFloat16)},
          {"bf16", torch::tensor({0.5, 3.0}, torch::kBFloat16)},
          {"i64", torch::tensor({std::int64_t{1} << 40, std::int64_t{-1}}, torch::kInt64)},
          {"i32", torch::tensor({7}, torch::kInt32)},
          {"u8", torch::tensor({1, 2, 255}, torch::kUInt8)},
          {"bool", torch::tensor({1, 0, 1}, torch::kBool)},
          {"scalar", torch::tensor(3.5F)},
          {"none", torch::empty({0, 4})}};
}

TEST_F(SafetensorsTest, MappedTensorsAreTheSameAndOutliveTheirName) {
  const TensorMap written = one_of_each();
  write_safetensors(path("all.safetensors"), written, {{"step", "1"}});

  const Result<TensorMap> mapped =
      map_safetensors(MappedFile::open(path("all.safetensors")).value());
  std::filesystem::remove(path("all.safetensors"));

  ASSERT_TRUE(mapped);
  ASSERT_EQ(mapped.value().size(), written.size());
  for (const auto& [name, tensor] : written) {
    EXPECT_TRUE(torch::equal(mapped.value().at(name), tensor)) << name;
  }
}

TEST_F(SafetensorsTest, EveryTypeComesBack) {
  const TensorMap written = one_of_each();
  write_safetensors(path("all.safetensors"), written, {{"step", "1"}});

  const Result<TensorMap> read = parsed(path("all.safetensors"));

  ASSERT_TRUE(read) << read.failure().what;
  ASSERT_EQ(read.value().size(), written.size());
  for (const auto& [name, tensor] : written) {
    EXPECT_EQ(read.value().at(name).scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(torch::equal(read.value().at(name), tensor)) << name;
  }
}

TEST_F(SafetensorsTest, EqualTensorsGiveEqualBytes) {
  write_safetensors(path("a"), one_of_each(), {{"x", "1"}, {"y", "2"}});
  write_safetensors(path("b"), one_of_each(), {{"x", "1"}, {"y", "2"}});

  EXPECT_EQ(content(path("a")), content(path("b")));
}

TEST_F(SafetensorsTest, ATransposedTensorIsStoredAsItReads) {
  const torch::Tensor tensor = torch::arange(6).reshape({2, 3}).t();
  write_safetensors(path("t"), {{"t", tensor}}, {});

  EXPECT_TRUE(torch::equal(parsed(path("t")).value().at("t"), tensor));
}

TEST_F(SafetensorsTest, ATypeTheFormatLacksIsAnErrorNamingTheTensor) {
  const TensorMap tensors = {{"wave", torch::zeros({2}, torch::kComplexFloat)}};

  EXPECT_THROW(
      {
        try {
          write_safetensors(path("c"), tensors, {});
        } catch (const Error& error) {
          EXPECT_THAT(error.what(), HasSubstr("tensor wave: type ComplexFloat"));
          throw;
        }
      },
      Error);
  EXPECT_FALSE(std::filesystem::exists(path("c")));
}

TEST_F(SafetensorsTest, ATensorMayNotTakeTheNameOfTheMetadata) {
  const TensorMap tensors = {{"__metadata__", torch::zeros({2})}};

  EXPECT_THROW(write_safetensors(path("m"), tensors, {}), Error);
}

TEST_F(SafetensorsTest, ATruncatedFileIsAFailure) {
  write_safetensors(path("all"), one_of_each(), {});
  std::filesystem::resize_file(path("all"), content(path("all")).size() - 1);

  const Result<TensorMap> read = parsed(path("all"));

  ASSERT_FALSE(read);
  EXPECT_THAT(read.failure().what, HasSubstr("tensor"));
}

TEST_F(SafetensorsTest, ABoolThatIsNeitherTrueNorFalseIsAFailure) {
  write_safetensors(path("b"), {{"flag", torch::tensor({1}, torch::kBool)}}, {});
  std::string bytes = content(path("b"));
  bytes.back() = '\2';

  const Result<TensorMap> read = parse_safetensors(std::as_bytes(std::span(bytes)));

  ASSERT_FALSE(read);
  EXPECT_THAT(read.failure().what, HasSubstr("tensor flag"));
}

}  // namespace
}  // namespace qanat
