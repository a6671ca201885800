#include <array>
#include <cerrno>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/ostream.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include "base/language_tag.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/help_formatter.h"
#include "cli/language_flag.h"
#include "cli/report_flags.h"
#include "dataset/script.h"
#include "locale/message_error.h"
#include "locale/messages/command_output.h"
#include "locale/messages/file_errors.h"
#include "locale/messages/help.h"
#include "locale/messages/languages.h"
#include "text/characters.h"
#include "text/latin_letters.h"
#include "text/text_front_end.h"

namespace qanat {
namespace {

constexpr int kStopCheckMs = 200;

// Calls `take` with each line of standard input. Returns early when `stop` is requested: a read
// that waits for a person to type could not be interrupted, so it is only begun when there is
// something to read.
void for_each_input_line(const std::stop_token& stop,
                         const std::function<void(std::string_view)>& take) {
  std::string pending;
  std::array<char, 65'536> block;
  while (!stop.stop_requested()) {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (::poll(&input, 1, kStopCheckMs) <= 0) {
      continue;
    }
    const ssize_t got = ::read(STDIN_FILENO, block.data(), block.size());
    if (got < 0 && errno != EINTR) {
      throw MessageError(msg::stdin_unreadable{.reason = system_reason(errno)});
    }
    if (got == 0) {
      break;
    }
    pending.append(block.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    std::size_t begin = 0;
    for (std::size_t end = pending.find('\n'); end != std::string::npos && !stop.stop_requested();
         end = pending.find('\n', begin)) {
      take(std::string_view(pending).substr(begin, end - begin));
      begin = end + 1;
    }
    pending.erase(0, begin);
  }
  if (!pending.empty() && !stop.stop_requested()) {
    take(pending);
  }
}

// The language most letters are of.
Language guess_language(std::string_view text) {
  std::int64_t persian = 0;
  for (const char32_t code_point : decode_utf8(text)) {
    persian += is_arabic_letter(code_point) ? 1 : is_latin_letter(code_point) ? -1 : 0;
  }
  return persian > 0 ? Language::fa : Language::en;
}

// By the script where that decides; never guessed.
Result<LanguageTag> language_of(std::string_view raw) {
  const TextScript script = script_of(encode_utf8(decode_utf8(raw)));
  if (!script.language) {
    return to_failure(msg::script_open{.script = script.name, .example = script.example});
  }
  return script.language->reader() ? LanguageTag(guess_language(raw)) : *script.language;
}

// A symbol as it can be seen in a list.
std::string visible(const std::string& symbol) {
  if (symbol == " ") {
    return "␣";
  }
  return decode_utf8(symbol)[0] == kZwnj ? "zwnj" : symbol;
}

std::string code_point_name(const std::string& symbol) {
  return fmt::format("U+{:04X}", static_cast<std::uint32_t>(decode_utf8(symbol)[0]));
}

class DataTextCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags.argument("TEXT", text_, msg::help_text{})->required();
    language_.declare(flags, msg::help_text_language{});
    CLI::Option* const phonemes = flags.on("--phonemes", phonemes_, msg::help_phonemes{});
    flags.text("--g2p", g2p_, "CMD", msg::help_text_g2p{})->excludes(phonemes);
    report_.declare_json(flags, msg::help_text_json{});
    flags.footer(msg::footer_data_text{}, {"qanat data text '۲۵٪ از 1,234' --language fa"});
  }

  ExitCode run(const CommandContext& context) override {
    TextFrontEnd front_end({.units = units(), .g2p = g2p_});
    bool all_read = true;
    if (text_ != "-") {
      return show(front_end, text_, context) ? ExitCode::done : ExitCode::failed;
    }
    for_each_input_line(context.stop, [&](std::string_view line) {
      if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
        all_read = show(front_end, line, context) && all_read;
      }
    });
    return all_read ? ExitCode::done : ExitCode::failed;
  }

 private:
  SymbolSet units() const {
    return !g2p_.empty() ? SymbolSet::own : phonemes_ ? SymbolSet::phonemes : SymbolSet::characters;
  }

  // There is no model whose symbols count: what a text adds is learnt from it.
  Result<TextReading> read(TextFrontEnd& front_end,
                           std::string_view raw,
                           const LanguageTag& language) const {
    if (!language.reader() || !g2p_.empty()) {
      const TextRow row{.text = raw, .language = language};
      try {
        front_end.learn({&row, 1}, {});
      } catch (const MessageError& error) {
        return error.failure();
      }
    }
    return front_end.read(raw, language);
  }

  bool show(TextFrontEnd& front_end, std::string_view raw, const CommandContext& context) {
    const std::optional<LanguageTag> given = language_.language();
    const Result<LanguageTag> language = given ? Result(*given) : language_of(raw);
    const Result<TextReading> reading =
        language ? read(front_end, raw, language.value()) : Result<TextReading>(language.failure());
    if (!reading) {
      fmt::print(context.err, "qanat: {}\n", context.words.said(reason_of(reading.failure())));
      return false;
    }
    if (report_.json()) {
      print_json(front_end, raw, language.value(), reading.value(), context.out);
    } else {
      print_text(front_end.tokenizer(), raw, reading.value(), context);
    }
    return true;
  }

  static void print_text(const Tokenizer& tokenizer,
                         std::string_view raw,
                         const TextReading& reading,
                         const CommandContext& context) {
    const Translator& w = context.words;
    const auto fact = [&](const Message& name, const MessageArg& text) {
      context.out << fact_line(w.tr(name), w.said(text));
    };
    std::string tokens = fmt::format("{}:", reading.ids.size());
    for (const TokenId id : reading.ids) {
      tokens += fmt::format(" {}={}", visible(tokenizer.symbol(id)), id);
    }
    fact(msg::fact_text{}, raw);
    fact(msg::fact_normalised{}, reading.normalised);
    if (!reading.phonemes.empty()) {
      fact(msg::fact_phonemes{}, reading.phonemes);
    }
    fact(msg::fact_tokens{}, tokens);
    fact(msg::fact_unknown{},
         reading.unknown.empty() ? Message(msg::fact_unknown_none{})
                                 : Message(msg::fact_unknown_omitted{}));
    for (const UnknownSymbol& unknown : reading.unknown) {
      context.out << fact_line("",
                               w.tr(msg::fact_unknown_is{.symbol = unknown.symbol,
                                                         .code = code_point_name(unknown.symbol),
                                                         .count = unknown.count}));
    }
  }

  void print_json(const TextFrontEnd& front_end,
                  std::string_view raw,
                  const LanguageTag& language,
                  const TextReading& reading,
                  std::ostream& out) const {
    nlohmann::json tokens = nlohmann::json::array();
    for (const TokenId id : reading.ids) {
      tokens.push_back({{"symbol", front_end.tokenizer().symbol(id)}, {"id", id}});
    }
    nlohmann::json unknown = nlohmann::json::array();
    for (const UnknownSymbol& one : reading.unknown) {
      unknown.push_back({{"symbol", one.symbol},
                         {"code_point", code_point_name(one.symbol)},
                         {"count", one.count}});
    }
    nlohmann::json object = {
        {"text", raw},
        {"language", to_string(language)},
        {"normalised", reading.normalised},
        {"units", to_string(units())},
        {"tokens", tokens},
        {"unknown", unknown},
        {"symbol_table_version", front_end.tokenizer().version()},
        {"symbol_table_hash", fmt::format("{:016x}", front_end.tokenizer().hash())}};
    if (units() != SymbolSet::characters) {
      object["phonemes"] = reading.phonemes;
    }
    const int indent = text_ == "-" ? -1 : 2;
    out << object.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  }

  std::string text_;
  LanguageFlag language_;
  bool phonemes_ = false;
  std::string g2p_;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_data_text_command() {
  return std::make_unique<DataTextCommand>();
}

}  // namespace qanat
