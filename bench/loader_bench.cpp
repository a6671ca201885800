// Measures our loader; ./dev bench loader runs it beside the others.
#include "loader_bench.h"

#include <CLI/CLI.hpp>

#include "bench_main.h"

namespace qanat {
namespace {

void declare_epochs(CLI::App& app, LoaderBenchOptions& options) {
  app.add_option("--epochs", options.epochs, "epochs to run")->capture_default_str();
  app.add_option("--source", options.source, "where features come from after the first epoch")
      ->check(CLI::IsMember({"audio", "cache"}))
      ->capture_default_str();
  app.add_option("--dump", options.dump, "write the mel of the first utterances here");
  app.add_option("--dump-limit", options.dump_limit, "how many")->capture_default_str();
}

void declare_loading(CLI::App& app, LoaderBenchOptions& options) {
  app.add_option("--corpus", options.corpus, "folder with metadata.csv and wavs/")->required();
  app.add_option("--workers", options.workers, "worker threads")->capture_default_str();
  app.add_option("--batch", options.batch, "utterances per batch")->capture_default_str();
}

int run(int argc, char** argv) {
  LoaderBenchOptions options;
  CLI::App app("Measures Qanat's loader.", "qanat_loader_bench");
  app.require_subcommand(1);
  CLI::App* epochs = app.add_subcommand("epochs", "whole epochs, as fast as they come");
  declare_loading(*epochs, options);
  declare_epochs(*epochs, options);
  CLI::App* shards = app.add_subcommand("shards", "epochs from shards against memcpy");
  declare_loading(*shards, options);
  shards->add_option("--shards", options.shards, "folder for the shards")->required();
  shards->add_option("--rounds", options.rounds, "of both in turn")->capture_default_str();
  CLI::App* paced = app.add_subcommand("paced", "a consumer with a trainer's pace");
  declare_loading(*paced, options);
  paced->add_option("--pace", options.pace, "batches per second")->capture_default_str();
  paced->add_option("--seconds", options.seconds, "how long")->capture_default_str();
  CLI::App* plan = app.add_subcommand("plan", "planning an epoch, without audio");
  plan->add_option("--utterances", options.utterances, "how many")->capture_default_str();
  plan->add_option("--rounds", options.rounds, "epochs to plan")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  if (epochs->parsed()) {
    bench_epochs(options);
  } else if (shards->parsed()) {
    bench_shards(options);
  } else if (paced->parsed()) {
    bench_paced(options);
  } else {
    bench_plan(options);
  }
  return 0;
}

}  // namespace
}  // namespace qanat

int main(int argc, char** argv) {
  return qanat::run_bench("qanat_loader_bench", [&] { return qanat::run(argc, argv); });
}
