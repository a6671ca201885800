// A voice that other programs can call: HTTP and Wyoming in front, a queue with a worker per core
// behind them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "serve/listening_socket.h"
#include "voice_server/stream_server.h"
#include "voice_server/voice_desk.h"

namespace qanat {

struct VoiceServerOptions {
  ListeningPlace http{};
  std::optional<ListeningPlace> wyoming{};  // absent: not served
  std::string token{};                      // needed unless the address is a loopback one
  Translator words{};
  int workers = 1;
  VoiceLimits limits{};
};

// Fixture. The destructor closes all connections and waits for what the workers are at.
class VoiceServer {
 public:
  // Every worker can speak, and clients are heard, when it returns. `engine` outlives it. Throws
  // Error when an address cannot be had or has to have a token.
  VoiceServer(const VoiceServerOptions& options, const VoiceEngine& engine);
  VoiceServer(const VoiceServer&) = delete;
  VoiceServer& operator=(const VoiceServer&) = delete;
  ~VoiceServer() = default;

  // What to open in a browser, token included.
  std::string url() const;
  int port() const { return server_->port(0); }
  std::optional<int> wyoming_port() const;
  std::string metrics_text() const;

 private:
  const VoiceServerOptions options_;
  VoiceMetrics metrics_;
  SpeechQueue queue_;
  VoiceDesk desk_;
  std::unique_ptr<StreamServer> server_;  // before the queue's end: its sessions use it
};

}  // namespace qanat
