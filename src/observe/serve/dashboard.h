// The live page of a run: follows its journal in a separate thread and serves it to browsers and
// scrapers. It only reads the journal and does not touch the training.
//
// /           the page                     /events       what changed, as server-sent events
// /metrics    for Prometheus               /report.json  the diagnosis so far
// /renders/   what evaluation sentences    /healthz      "ok"
//             sound and look like          and the page's own style and scripts
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "history/run_watch.h"
#include "locale/translator.h"
#include "serve/access.h"
#include "serve/http_server.h"

namespace qanat {

struct DashboardOptions {
  std::filesystem::path journal;  // may not be there yet
  std::string address = "127.0.0.1";
  int port = 0;
  std::string token{};  // needed unless the address is a loopback one
  Translator words{};
  Seconds pause{2};  // between two polls
  std::size_t most_clients = 256;
  // For Prometheus; empty: not served.
  std::function<std::string(const RunSnapshot&, const Diagnosis&)> metrics{};
};

// Fixture. The destructor polls once more, so that pages learn how the run ended, and closes all
// connections; it waits for pages to receive that, a second at most.
class Dashboard {
 public:
  explicit Dashboard(const DashboardOptions& options);
  Dashboard(const Dashboard&) = delete;
  Dashboard& operator=(const Dashboard&) = delete;
  ~Dashboard() = default;

  // What to open in a browser, token included.
  std::string url() const;
  int port() const { return server_->port(); }

 private:
  HttpResponse respond(const HttpRequest& request);
  HttpResponse page(const HttpRequest& request) const;
  void look(const std::stop_token& stop);
  void update();
  bool read_on();
  std::string sections_event();
  HttpResponse render_file(const std::string& path) const;

  const DashboardOptions options_;
  std::mutex mutex_;  // guards watch_ and has_looked_
  RunWatch watch_;
  bool has_looked_ = false;  // the journal was read to its end once
  std::unique_ptr<HttpServer> server_;
  std::jthread thread_;  // last: uses everything above
};

}  // namespace qanat
