// Any bytes as a configuration file: accepted or refused with ConfigError, in bounded time; what is
// accepted reads back the same from its own dump.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "config/load_config.h"
#include "config/write_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  try {
    const qanat::LoadedConfig config = qanat::load_config_text(text, "fuzz.yaml");
    const qanat::LoadedConfig again = qanat::load_config_text(qanat::to_yaml(config), "dump.yaml");
    QANAT_CHECK(again.values == config.values) << "the dump does not read back the same";
  } catch (const qanat::ConfigError& error) {
    QANAT_CHECK(!error.problems().empty()) << "refused without a reason";
  }
  return 0;
}
