// A command of the user's that turns lines of text into lines of symbols (--g2p).
//
// It is run by the shell, once per language, with the language in QANAT_LANGUAGE, and kept running:
// one line in, one line out, UTF-8, written out at once. Nothing it does is trusted.
//
// Fixture; thread-safe, questions of one language take turns. Every call ends in bounded time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/language_tag.h"
#include "base/result.h"
#include "base/time.h"
#include "text/child_process.h"

namespace qanat {

struct OwnFrontEndConfig {
  std::string command;
  Seconds first_timeout{30.0};  // for the first answer: it may have to load a model
  Seconds timeout{10.0};        // for each of the others
};

class OwnFrontEnd {
 public:
  explicit OwnFrontEnd(OwnFrontEndConfig config) : config_(std::move(config)) {}
  OwnFrontEnd(const OwnFrontEnd&) = delete;
  OwnFrontEnd& operator=(const OwnFrontEnd&) = delete;

  const std::string& command() const { return config_.command; }

  // The answer to each line, spaces single; empty where it has nothing to say. A Failure when one
  // of them gets no answer, or one that is no line of text; after
  // three such failures in a row it is not asked again. Throws Error when it answers one line with
  // several, or the same line differently: nothing it says can then be believed.
  Result<std::vector<std::string>> answers(std::span<const std::string> lines,
                                           const LanguageTag& language);

  // Hashes its answers to fixed lines: equal commands answer alike. Failure and Error as above.
  Result<std::uint64_t> probe(const LanguageTag& language);

 private:
  struct Speaker {
    std::mutex mutex;  // guards the rest
    std::optional<ChildProcess> process;
    std::vector<std::string> probed;  // its answers to the fixed lines; empty: not asked yet
    int failures_in_a_row = 0;
    std::optional<Failure> never_started{};  // why it did not answer the first of them
  };

  Speaker& speaker(const LanguageTag& language);
  Result<Done> start(Speaker& with, const LanguageTag& language) const;
  static void note_failed_start(Speaker& with, const Failure& why);
  Failure given_up(const Speaker& with) const;
  Result<std::string> ask(Speaker& with, const std::string& line, Seconds timeout) const;
  Result<std::vector<std::string>> ask_all(Speaker& with, std::span<const std::string> lines) const;

  const OwnFrontEndConfig config_;
  std::mutex mutex_;                                          // guards the map
  std::map<LanguageTag, std::unique_ptr<Speaker>> speakers_;  // only added to
};

}  // namespace qanat
