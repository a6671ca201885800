#include "training/mode_run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "history/run_history.h"
#include "monitor/resident_memory.h"
#include "report/run_html.h"
#include "training/measured_run.h"

namespace qanat {
namespace {

// What the turns of one mode left behind.
struct ModeTurns {
  std::vector<DualRun> runs;
  RunHistory history;           // of the first one
  std::optional<Bytes> memory;  // most of all turns
};

class ModeRounds {
 public:
  explicit ModeRounds(const ModeRunRequest& request)
      : request_(request), turns_(request.modes.size()) {}

  // False when stopped.
  bool run() {
    for (int round = 0; round < request_.rounds; ++round) {
      for (std::size_t i = 0; i < request_.modes.size(); ++i) {
        if (!take_turn(i, round)) {
          return false;
        }
      }
    }
    return true;
  }

  std::vector<ModeRow> rows() const {
    std::vector<ModeRow> rows;
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      rows.push_back(row_of(request_.modes[i], turns_[i]));
    }
    return rows;
  }

 private:
  bool take_turn(std::size_t at, int round) {
    const TrainingMode& mode = request_.modes[at];
    std::filesystem::path folder = request_.folder / mode.folder;
    if (round > 0) {
      folder /= fmt::format("turn-{}", round + 1);
    }
    restart_peak_memory();
    std::optional<MeasuredTurn> turn = run_turn({.config = mode.config,
                                                 .steps = request_.steps,
                                                 .folder = folder,
                                                 .progress = progress_after(steps_before_),
                                                 .stop = request_.stop});
    if (!turn || request_.stop.stop_requested()) {
      return false;
    }
    steps_before_ += request_.steps;
    ModeTurns& turns = turns_[at];
    turns.memory = std::max(turns.memory, peak_resident_memory());
    if (turns.runs.empty()) {
      turns.history = std::move(turn->history);
    }
    turns.runs.push_back(std::move(turn->run));
    return true;
  }

  ProgressFn progress_after(std::int64_t steps) const {
    if (!request_.progress) {
      return {};
    }
    return [this, steps](std::int64_t done, std::int64_t) {
      request_.progress(steps + done,
                        request_.steps * request_.rounds * std::ssize(request_.modes));
    };
  }

  ModeRow row_of(const TrainingMode& mode, const ModeTurns& turns) const {
    const RunSummary all = pooled_summary(turns.runs);
    ModeRow row{.name = mode.name,
                .profile = profile_mode(turns.runs),
                .diagnosis = diagnose_turns(turns.runs),
                .memory = turns.memory,
                .emulated = mode.config.values.pipeline.virtual_gpus > 0,
                .folder = mode.folder};
    std::ranges::transform(turns.runs, std::back_inserter(row.turns), to_turn);
    write_text_file(request_.folder / row.folder / "report.html",
                    render_html({.summary = all,
                                 .history = turns.history,
                                 .diagnosis = row.diagnosis,
                                 .words = request_.words}));
    return row;
  }

  const ModeRunRequest& request_;
  std::vector<ModeTurns> turns_;
  std::int64_t steps_before_ = 0;
};

}  // namespace

std::optional<std::vector<ModeRow>> run_modes(const ModeRunRequest& request) {
  ModeRounds rounds(request);
  return rounds.run() ? std::optional(rounds.rows()) : std::nullopt;
}

}  // namespace qanat
