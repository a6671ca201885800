#include "voice_server/voice_server.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "locale/message_error.h"
#include "locale/messages/voice_server.h"
#include "serve/access.h"
#include "voice_server/http_voice.h"
#include "voice_server/wyoming_voice.h"

namespace qanat {
namespace {

const VoiceServerOptions& checked(const VoiceServerOptions& options) {
  if (!is_loopback(options.http.address) && options.token.empty()) {
    throw MessageError(msg::voice_needs_token{.address = options.http.address});
  }
  return options;
}

}  // namespace

VoiceServer::VoiceServer(const VoiceServerOptions& options, const VoiceEngine& engine)
    : options_(checked(options)),
      queue_({.workers = options.workers,
              .most_jobs = options.limits.jobs,
              .wait_limit = options.limits.wait,
              .time_limit = options.limits.job},
             engine),
      desk_{.engine = engine,
            .limits = options.limits,
            .token = options.token,
            .words = options.words,
            .queue = queue_,
            .metrics = metrics_} {
  std::vector<Service> services;
  services.push_back(
      {.place = options_.http,
       .open = [this](Caller caller) { return make_http_voice_session(desk_, std::move(caller)); },
       .busy = http_busy_answer()});
  if (options_.wyoming) {
    services.push_back({.place = *options_.wyoming, .open = [this](Caller caller) {
                          return make_wyoming_session(desk_, std::move(caller));
                        }});
  }
  server_ =
      std::make_unique<StreamServer>(StreamServerOptions{.most_clients = options_.limits.clients,
                                                         .send_timeout = options_.limits.unread},
                                     std::move(services));
}

std::string VoiceServer::url() const {
  const std::string& address = options_.http.address;
  const bool is_v6 = address.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}/{}{}",
                     is_v6 ? "[" : "",
                     address,
                     is_v6 ? "]" : "",
                     port(),
                     options_.token.empty() ? "" : "?token=",
                     options_.token);
}

std::optional<int> VoiceServer::wyoming_port() const {
  return options_.wyoming ? std::optional(server_->port(1)) : std::nullopt;
}

std::string VoiceServer::metrics_text() const {
  return metrics_.prometheus_text({.connections = server_->counts(),
                                   .jobs = queue_.num_jobs(),
                                   .running = queue_.num_running()});
}

}  // namespace qanat
