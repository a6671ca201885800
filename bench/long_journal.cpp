// Writes the journal of a long run, by the program's own writer, for whoever wants to know how long
// a report of it takes:
//
//   qanat_long_journal --steps 3000000 run/journal.jsonl
//   /usr/bin/time -v qanat report run
#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "bench_main.h"
#include "history/long_run_testing.h"

int main(int argc, char** argv) {
  CLI::App app("Writes the journal of a long run.");
  qanat::LongRun run;
  std::filesystem::path path;
  app.add_option("--steps", run.steps, "of the run");
  app.add_option("path", path, "the journal")->required();
  CLI11_PARSE(app, argc, argv);
  return qanat::run_bench("qanat_long_journal", [&] {
    qanat::RunJournal journal(path, {.command = "train"});
    record_long_run(journal, run);
    journal.record(qanat::RunEnd{.ending = "max_steps", .step = run.steps});
    fmt::print("{:.1f} us per step in the journal\n",
               1e6 * journal.spent().count() / static_cast<double>(run.steps));
    return 0;
  });
}
