#include "cli/report_language.h"

#include <cstdlib>

namespace qanat {

CLI::Option* declare_language(CLI::App& app, std::string& code) {
  return app
      .add_option("--lang", code, "en or fa; not given: the environment's (LANG=fa_IR), else en")
      ->check(CLI::IsMember({"en", "fa"}).description(""))
      ->type_name("LANGUAGE");
}

Language report_language(const std::string& code, const EnvironmentLookup& environment) {
  if (const auto language = to_language(code)) {
    return *language;
  }
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const std::string value = environment(name).value_or("");
    if (!value.empty()) {
      return value == "fa" || value.starts_with("fa_") ? Language::fa : Language::en;
    }
  }
  return Language::en;
}

Language report_language(const std::string& code) {
  return report_language(code, [](const std::string& name) -> std::optional<std::string> {
    const char* const value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  });
}

}  // namespace qanat
