// `qanat serve`: a trained voice for other programs.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "cli/command.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/command_output.h"
#include "locale/messages/help.h"
#include "locale/messages/voice_server.h"
#include "serve/access.h"
#include "speech/served_voice.h"
#include "torch_cli/checkpoint_flags.h"
#include "torch_cli/torch_commands.h"
#include "voice_server/voice_server.h"

namespace qanat {
namespace {

constexpr int kDefaultPort = 8020;

std::vector<RecordedVoice> to_voices(const std::vector<std::string>& given) {
  std::vector<RecordedVoice> voices;
  for (const std::string& one : given) {
    const std::size_t equals = one.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == one.size()) {
      throw UsageError(
          msg::usage_flag{.flag = "--voice", .what = msg::usage_voice_flag{.given = one}});
    }
    RecordedVoice voice{.name = one.substr(equals + 1), .file = one.substr(0, equals)};
    if (std::ranges::find(voices, voice.name, &RecordedVoice::name) != voices.end()) {
      throw UsageError(
          msg::usage_flag{.flag = "--voice", .what = msg::usage_voice_twice{.name = voice.name}});
    }
    voices.push_back(std::move(voice));
  }
  return voices;
}

class ServeCommand : public Command {
 public:
  void declare(Flags& flags) override {
    checkpoint_.declare(flags);
    flags.text("--vocoder", vocoder_, "DIR", msg::help_synth_vocoder{});
    flags.text("--voice", voices_, "FILE=NAME", msg::help_serve_voice{})->expected(1)->take_all();
    flags.number("--port", port_, "N", {0, 65535}, msg::help_serve_port{});
    flags.text("--address", address_, "ADDRESS", msg::help_serve_address{})->capture_default_str();
    flags.text("--token", token_, "TEXT", msg::help_serve_token{});
    flags.number("--wyoming", wyoming_, "PORT", {0, 65535}, msg::help_serve_wyoming{});
    flags.text("--wyoming-address", wyoming_address_, "ADDRESS", msg::help_serve_wyoming_address{})
        ->capture_default_str();
    flags.number("--workers", workers_, "N", {1, 256}, msg::help_serve_workers{});
    flags.number(
        "--max-characters", characters_, "N", {1, 100'000}, msg::help_serve_max_characters{});
    flags.number("--max-queue", queue_, "N", {1, 10'000}, msg::help_serve_max_queue{});
    flags.number("--max-clients", clients_, "N", {1, 10'000}, msg::help_serve_max_clients{});
    flags.number("--max-wait", wait_, "S", {0.1, 3600}, msg::help_serve_max_wait{});
    flags.footer(msg::footer_serve{},
                 {"qanat serve --checkpoint voice",
                  "qanat serve --checkpoint voice --voice anna.wav=anna --wyoming 10200"});
  }

  ExitCode run(const CommandContext& context) override {
    const VoiceServerOptions options = make_options(context);
    const Clock::time_point begin = Clock::now();
    const auto warn = [&context](const Message& text) { tell(context, msg::note{.text = text}); };
    const std::unique_ptr<VoiceEngine> engine =
        open_served_voice({.checkpoint = checkpoint_.choice(),
                           .vocoder = vocoder_,
                           .voices = to_voices(voices_),
                           .warn = warn});
    const VoiceServer server(options, *engine);
    if (options.wyoming && !is_loopback(options.wyoming->address)) {
      warn(msg::voice_open_wyoming{.address = options.wyoming->address});
    }
    tell(context,
         msg::serve_warmed{.vocoder = engine->facts().vocoder, .time = seconds_since(begin)});
    tell(context,
         msg::serve_ready{.model = engine->facts().model,
                          .voices = msg::serve_voices{.count = engine->facts().voices.size()},
                          .url = server.url()});
    if (const std::optional<int> port = server.wyoming_port()) {
      tell(context,
           msg::serve_wyoming_ready{.address = wyoming_address_, .port = std::to_string(*port)});
    }
    wait_for(context.stop);
    tell(context, msg::serve_stopped{});
    return ExitCode::done;
  }

 private:
  VoiceServerOptions make_options(const CommandContext& context) const {
    const bool needs_token = !is_loopback(address_) && token_.empty();
    VoiceServerOptions options{.http = {.address = address_, .port = port_},
                               .token = needs_token ? make_token() : token_,
                               .words = context.words,
                               .workers = workers_.value_or(num_speech_workers()),
                               .limits = {.characters = static_cast<std::size_t>(characters_),
                                          .jobs = static_cast<std::size_t>(queue_),
                                          .clients = static_cast<std::size_t>(clients_),
                                          .wait = Seconds(wait_)}};
    if (wyoming_) {
      options.wyoming = ListeningPlace{.address = wyoming_address_, .port = *wyoming_};
    }
    return options;
  }

  static void wait_for(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait(lock, stop, [] { return false; });
  }

  CheckpointFlags checkpoint_;
  std::string vocoder_;
  std::vector<std::string> voices_;
  int port_ = kDefaultPort;
  std::string address_ = "127.0.0.1";
  std::string token_;
  std::optional<int> wyoming_;
  std::string wyoming_address_ = "127.0.0.1";
  std::optional<int> workers_;
  int characters_ = 4096;
  int queue_ = 100;
  int clients_ = 256;
  double wait_ = 60;
};

}  // namespace

std::unique_ptr<Command> make_serve_command() {
  return std::make_unique<ServeCommand>();
}

}  // namespace qanat
