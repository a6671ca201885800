// The look of --help: one column for flags, one for words, wrapped to the terminal, in the language
// of the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "locale/translator.h"

namespace qanat {

// Method names are those of CLI11's interface.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter(int width, Translator words);

  std::string make_description(const CLI::App* app) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_footer(const CLI::App* app) const override;

 private:
  std::string entry(const std::string& name, const std::string& words) const;

  std::size_t width_;
  Translator words_;
};

// `text` in lines of at most `width` columns, broken at blanks; a longer word has its own line.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

// Columns that `text` takes: isolates and joiners take none.
std::size_t text_columns(std::string_view text);

// "checkpoint  checkpoints/step-100\n": a name in a column of its own, and what it is.
std::string fact_line(const std::string& name, const std::string& text);

// Help as it is shown where code needs no ticks.
std::string without_ticks(std::string text);

}  // namespace qanat
