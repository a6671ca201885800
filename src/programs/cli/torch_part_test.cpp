#include "cli/torch_part.h"

#include <array>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <sys/resource.h>

#include "base/error.h"

namespace qanat {
namespace {

std::unique_ptr<Command> make_nothing() {
  return nullptr;
}

const std::vector<CommandEntry> kCommands = {{"report", MessageId{}, make_nothing},
                                             {"train", MessageId{}, nullptr},
                                             {"profile data", MessageId{}, nullptr}};

template <typename... Words>
bool needs_torch(Words... words) {
  std::array<std::string, sizeof...(words) + 1> texts{"qanat", words...};
  std::array<char*, sizeof...(words) + 1> argv{};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    argv[i] = texts[i].data();
  }
  return needs_torch_part(kCommands, static_cast<int>(argv.size()), argv.data());
}

TEST(TorchPartTest, CommandsThatAreNotHereAreInTheOtherProgram) {
  EXPECT_TRUE(needs_torch("train"));
  EXPECT_TRUE(needs_torch("train", "--help"));
  EXPECT_TRUE(needs_torch("profile", "data"));
  EXPECT_TRUE(needs_torch("--lang", "fa", "train"));
}

TEST(TorchPartTest, EverythingElseIsHere) {
  EXPECT_FALSE(needs_torch());
  EXPECT_FALSE(needs_torch("report", "train"));
  EXPECT_FALSE(needs_torch("profile"));
  EXPECT_FALSE(needs_torch("profile", "--help"));
  EXPECT_FALSE(needs_torch("--help"));
  EXPECT_FALSE(needs_torch("trian"));
}

TEST(TorchPartTest, AnAddressSpaceThatIsTooSmallIsAnErrorWithTheRemedy) {
  EXPECT_THAT([] { check_address_space(600'000 * 1024); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("ulimit -v")));
  EXPECT_NO_THROW(check_address_space(RLIM_INFINITY));
}

TEST(TorchPartTest, ACompanionThatIsNotThereIsNotFound) {
  EXPECT_EQ(find_companion("qanat-no-such-program"), std::nullopt);
}

class TorchEnvironmentTest : public testing::Test {
 protected:
  TorchEnvironmentTest() { forget(); }
  TorchEnvironmentTest(const TorchEnvironmentTest&) = delete;
  TorchEnvironmentTest& operator=(const TorchEnvironmentTest&) = delete;
  ~TorchEnvironmentTest() override { forget(); }

 private:
  static void forget() {
    ::unsetenv("ONEDNN_MAX_CPU_ISA");
    ::unsetenv("DNNL_MAX_CPU_ISA");
    ::unsetenv("MKL_CBWR");
  }
};

TEST_F(TorchEnvironmentTest, IsPreparedOnce) {
  EXPECT_TRUE(prepare_torch_environment());
  EXPECT_STREQ(std::getenv("ONEDNN_MAX_CPU_ISA"), "AVX512_CORE_BF16");
  EXPECT_STREQ(std::getenv("MKL_CBWR"), "AUTO");

  EXPECT_FALSE(prepare_torch_environment());  // so a program does not start over for ever
}

class ChosenVariableTest : public TorchEnvironmentTest,
                           public testing::WithParamInterface<const char*> {};

TEST_P(ChosenVariableTest, IsKept) {
  ::setenv(GetParam(), "ALL", 1);

  EXPECT_TRUE(prepare_torch_environment());  // the other one
  EXPECT_STREQ(std::getenv(GetParam()), "ALL");
  EXPECT_FALSE(prepare_torch_environment());
}

TEST_F(TorchEnvironmentTest, TheOtherNameOfTheInstructionSetIsKeptToo) {
  ::setenv("DNNL_MAX_CPU_ISA", "ALL", 1);

  prepare_torch_environment();

  EXPECT_EQ(std::getenv("ONEDNN_MAX_CPU_ISA"), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Names,
                         ChosenVariableTest,
                         testing::Values("ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "MKL_CBWR"));

}  // namespace
}  // namespace qanat
