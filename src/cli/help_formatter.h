// The look of --help: one column for flags, one for words, wrapped to the terminal.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace qanat {

// Method names are those of CLI11's interface.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(int width);

  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_subcommand(const CLI::App* command) const override;

 private:
  std::string entry(const std::string& name, const std::string& words) const;

  std::size_t width_;
};

// `text` in lines of at most `width` columns, broken at blanks; a longer word has its own line.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

}  // namespace qanat
