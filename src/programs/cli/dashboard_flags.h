// The flags of the live page, as commands that show one have them, and the page they ask for.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/flags.h"
#include "diagnose/diagnosis.h"
#include "locale/translator.h"
#include "telemetry/prometheus.h"

namespace qanat {

class Dashboard;

class DashboardFlags {
 public:
  // `--dashboard [PORT]`, `--dashboard-address`, `--dashboard-token`.
  void declare(Flags& flags);
  // Throws UsageError when the port is none.
  bool wanted() const;

  // Starts the page of a run and says on `err` where it is.
  std::unique_ptr<Dashboard> start(const std::filesystem::path& journal,
                                   const Translator& words,
                                   std::ostream& err) const;

 private:
  int port() const;

  CLI::Option* asked_ = nullptr;  // owned by the app
  std::vector<std::string> port_;
  std::string address_ = "127.0.0.1";
  std::string token_;
};

// What a scrape says beside the journal: this program's version and its diagnosis.
//
// Rules that could not be applied are left out.
ScrapeContext scrape_context(const Diagnosis& diagnosis);

}  // namespace qanat
