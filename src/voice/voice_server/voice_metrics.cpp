#include "voice_server/voice_metrics.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace qanat {
namespace {

std::string_view name_of(VoiceProtocol protocol) {
  return protocol == VoiceProtocol::http ? "http" : "wyoming";
}

std::string_view name_of(SpeechOutcome outcome) {
  constexpr std::array<std::string_view, 6> kNames{
      "spoken", "refused", "cancelled", "expired", "failed", "busy"};
  return kNames.at(static_cast<std::size_t>(outcome));
}

std::string described(std::string_view name, std::string_view type, std::string_view help) {
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

template <typename T>
std::string plain_value(std::string_view name,
                        std::string_view type,
                        std::string_view help,
                        const T& value) {
  return described(name, type, help) + fmt::format("{} {}\n", name, value);
}

}  // namespace

void VoiceMetrics::count(VoiceProtocol protocol, SpeechOutcome outcome) {
  const std::lock_guard lock(mutex_);
  ++requests_[{protocol, outcome}];
}

void VoiceMetrics::add(const SpeechCost& cost) {
  const std::lock_guard lock(mutex_);
  cost_.audio += cost.audio;
  cost_.work += cost.work;
}

void VoiceMetrics::first_audio(Seconds after) {
  const std::lock_guard lock(mutex_);
  const auto* const bound = std::ranges::lower_bound(kBounds, after.count());
  ++first_.at(static_cast<std::size_t>(bound - kBounds.begin()));
  first_sum_ += after.count();
}

std::string VoiceMetrics::prometheus_text(const Now& now) const {
  const std::lock_guard lock(mutex_);
  std::string text = described("qanat_voice_requests_total",
                               "counter",
                               "Requests for speech by protocol and how they ended.");
  for (const auto& [key, count] : requests_) {
    text += fmt::format("qanat_voice_requests_total{{protocol=\"{}\",outcome=\"{}\"}} {}\n",
                        name_of(key.first),
                        name_of(key.second),
                        count);
  }
  text += plain_value(
      "qanat_voice_audio_seconds_total", "counter", "Speech that was made.", cost_.audio.count());
  text += plain_value("qanat_voice_work_seconds_total",
                      "counter",
                      "Time that workers took to make it.",
                      cost_.work.count());
  text += plain_value(
      "qanat_voice_clients", "gauge", "Connections that are open.", now.connections.clients);
  text += plain_value("qanat_voice_jobs", "gauge", "Texts that are spoken or wait.", now.jobs);
  text +=
      plain_value("qanat_voice_jobs_running", "gauge", "Texts that a worker is at.", now.running);
  text += plain_value("qanat_voice_clients_refused_total",
                      "counter",
                      "Connections refused because there were too many.",
                      now.connections.refused);
  text += plain_value("qanat_voice_clients_slow_total",
                      "counter",
                      "Connections dropped because the client did not read.",
                      now.connections.slow);
  text += plain_value("qanat_voice_clients_unfinished_total",
                      "counter",
                      "Connections dropped because the client did not finish its request.",
                      now.connections.unfinished);
  constexpr std::string_view kFirst = "qanat_voice_first_audio_seconds";
  text += described(kFirst, "histogram", "From a request to its first bytes of sound.");
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < first_.size(); ++i) {
    below += first_.at(i);
    text += fmt::format("{}_bucket{{le=\"{}\"}} {}\n",
                        kFirst,
                        i < kBounds.size() ? fmt::format("{}", kBounds.at(i)) : "+Inf",
                        below);
  }
  text += fmt::format("{}_sum {}\n{}_count {}\n", kFirst, first_sum_, kFirst, below);
  return text;
}

}  // namespace qanat
