// A voice for tests: every word of a text is one chunk of sound. Texts can be held back, and what
// was made is counted.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "serve/http_testing.h"
#include "voice_server/voice_engine.h"

namespace qanat {

class WordSpeech : public Speech {
 public:
  std::vector<std::string> words;
  std::size_t at = 0;
};

// Fixture; from any thread.
class WordEngine : public VoiceEngine {
 public:
  explicit WordEngine(std::size_t chunk = 2205) : chunk_(chunk) {
    facts_.model = "words";
    facts_.voices = {{.id = "anna"}, {.id = "بهار"}};
    facts_.languages = {"en", "fa"};
  }

  const VoiceFacts& facts() const override { return facts_; }
  std::unique_ptr<SpeechMaker> make_maker() const override {
    return std::make_unique<Maker>(const_cast<WordEngine&>(*this));
  }

  // From now on no chunk is made but those that are let through.
  void hold() {
    const std::lock_guard lock(mutex_);
    allowed_ = 0;
  }
  void let_through(std::size_t chunks) {
    {
      const std::lock_guard lock(mutex_);
      allowed_ = allowed_.value_or(0) + chunks;
    }
    changed_.notify_all();
  }
  void release() {
    {
      const std::lock_guard lock(mutex_);
      allowed_.reset();
    }
    changed_.notify_all();
  }
  // The words that were spoken, in the order they were.
  std::vector<std::string> spoken() const {
    const std::lock_guard lock(mutex_);
    return spoken_;
  }
  void wait_for_words(std::size_t count) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return spoken_.size() >= count; });
  }
  // How many makers wait to be let through.
  void wait_for_waiting(int makers) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ >= makers; });
  }

 private:
  class Maker : public SpeechMaker {
   public:
    explicit Maker(WordEngine& engine) : engine_(engine) {}
    std::unique_ptr<Speech> begin(const SpeechOrder& order) override {
      auto speech = std::make_unique<WordSpeech>();
      std::istringstream in(order.text);
      for (std::string word; in >> word;) {
        speech->words.push_back(word);
      }
      if (speech->words.empty() || speech->words.front() == "unreadable") {
        throw Error("nothing to say");
      }
      return speech;
    }
    std::optional<std::vector<float>> next(Speech& speech) override {
      return engine_.next(static_cast<WordSpeech&>(speech));
    }

   private:
    WordEngine& engine_;
  };

  std::optional<std::vector<float>> next(WordSpeech& speech) {
    if (speech.at == speech.words.size()) {
      return std::nullopt;
    }
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !allowed_ || *allowed_ > 0; });
    --waiting_;
    if (allowed_) {
      --*allowed_;
    }
    if (speech.words[speech.at] == "fail") {
      throw std::runtime_error("a bug");
    }
    spoken_.push_back(speech.words[speech.at++]);
    changed_.notify_all();
    return std::vector<float>(chunk_, 0.25F);
  }

  const std::size_t chunk_;  // samples of a word
  VoiceFacts facts_;
  mutable std::mutex mutex_;  // guards what follows
  mutable std::condition_variable changed_;
  std::optional<std::size_t> allowed_;
  std::vector<std::string> spoken_;
  int waiting_ = 0;
};

inline std::string speech_request(const std::string& json, int port, const std::string& more = "") {
  return fmt::format(
      "POST /v1/audio/speech HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\n{}\r\n{}",
      port,
      json.size(),
      more,
      json);
}

inline std::string ask_speech(int port, const std::string& json, const std::string& more = "") {
  const UniqueFd fd = connect_to(port);
  send_text(fd, speech_request(json, port, more));
  return receive_until(fd, "");
}

// The body of a chunked answer; nothing when it has no end.
inline std::optional<std::string> unchunked(const std::string& answer) {
  const std::size_t head = answer.find("\r\n\r\n");
  std::string body;
  for (std::size_t at = head + 4; head != std::string::npos && at < answer.size();) {
    const std::size_t line = answer.find("\r\n", at);
    if (line == std::string::npos) {
      return std::nullopt;
    }
    const std::size_t size = std::stoul(answer.substr(at, line - at), nullptr, 16);
    if (size == 0) {
      return body;
    }
    body += answer.substr(line + 2, size);
    at = line + 2 + size + 2;
  }
  return std::nullopt;
}

}  // namespace qanat
