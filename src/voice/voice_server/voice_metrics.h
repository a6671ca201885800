// What the server has done, for Prometheus: the text exposition format, version 0.0.4.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/time.h"
#include "voice_server/stream_server.h"

namespace qanat {

enum class VoiceProtocol { http, wyoming };
// How a request for speech ended.
enum class SpeechOutcome { spoken, refused, cancelled, expired, failed, busy };

// How much one request took.
struct SpeechCost {
  Seconds audio{0};
  Seconds work{0};
};

// Fixture; all methods from any thread.
class VoiceMetrics {
 public:
  VoiceMetrics() = default;
  VoiceMetrics(const VoiceMetrics&) = delete;
  VoiceMetrics& operator=(const VoiceMetrics&) = delete;

  void count(VoiceProtocol protocol, SpeechOutcome outcome);
  void add(const SpeechCost& cost);
  void first_audio(Seconds after);  // a request was there

  struct Now {
    StreamCounts connections{};
    std::size_t jobs = 0;
    std::size_t running = 0;
  };
  std::string prometheus_text(const Now& now) const;

 private:
  static constexpr std::array<double, 9> kBounds{0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4};

  mutable std::mutex mutex_;  // guards what follows
  std::map<std::pair<VoiceProtocol, SpeechOutcome>, std::uint64_t> requests_;
  SpeechCost cost_;
  std::array<std::uint64_t, kBounds.size() + 1> first_{};
  double first_sum_ = 0;
};

}  // namespace qanat
