// What holds for every finding of every rule, whatever the journal says: made-up runs, the same in
// every test run, and the journals in tests/golden.
#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "diagnose/diagnosis.h"
#include "diagnose/gain.h"
#include "diagnose/rule_parts.h"
#include "locale/messages/verdicts.h"
#include "metrics/journal.h"

namespace qanat {
namespace {

// Plausible runs, each spoilt in some ways.
class RandomRuns {
 public:
  explicit RandomRuns(std::uint64_t seed) : random_(seed) {}

  RunSummary make() {
    RunSummary summary;
    const double work = among(0.005, 0.3);
    const int steps = 40 + static_cast<int>(among(0, 60));
    const double wait = maybe(0.5) ? among(0, 2) * work : 0;
    const double saving = maybe(0.3) ? among(0, 10) * work : 0;
    const double launch = maybe(0.2) ? among(0, 0.5) * work : 0;
    const double transfer = maybe(0.2) ? among(0, 0.5) * work : 0;
    const double noise = among(0, 0.3);
    const double fixed = among(0, 1);
    const int save_every = 5 + static_cast<int>(among(0, 30));
    const double padding = among(0, 0.4);
    const double residual = maybe(0.1) ? among(0, 0.2) * work : 0;
    for (int i = 0; i < steps; ++i) {
      const int frames = 200 + static_cast<int>(among(0, 600));
      const double own = work * (fixed + (1 - fixed) * frames / 500) * (1 + among(0, noise));
      summary.add(
          StepRecord{.step = i,
                     .epoch = i / 25,
                     .batch = i % 25,
                     .rows = 16,
                     .padded_frames = frames,
                     .frames = static_cast<std::int64_t>(16 * frames * (1 - padding)),
                     .learning_rate = 1e-3,
                     .skipped = maybe(0.02),
                     .phases = {.wait = Seconds(wait * among(0.5, 1.5)),
                                .transfer = Seconds(transfer),
                                .launch = Seconds(launch),
                                .forward = Seconds(0.4 * own),
                                .backward = Seconds(0.4 * own),
                                .retry = Seconds(maybe(0.02) ? own : 0),
                                .optimizer = Seconds(0.2 * own),
                                .checkpoint = Seconds((i + 1) % save_every == 0 ? saving : 0),
                                .residual = Seconds(residual)}});
      summary.slots.push_back({.work = Seconds((own + wait) * among(1, 3))});
    }
    summary.out_of_memory = maybe(0.3) ? 3 : 0;
    summary.run = {.mode = "single_buffered", .device = maybe(0.3) ? "cuda:0" : "cpu"};
    summary.run.allowed_cores = 1 + static_cast<int>(among(0, 8));
    summary.run.bucket_edges = 1 << static_cast<int>(among(0, 6));
    summary.run.cadences = {{"training.save_every", save_every}, {"training.log_every", 10}};
    summary.cadences = {{"training.save_every", static_cast<std::size_t>(save_every)}};
    summary.config = {{"data", {{"batch_size", 16}}},
                      {"training", {{"save_every", save_every}, {"task", "speech"}}}};
    plan_padding(summary, padding);
    if (maybe(0.2)) {
      summary.trained_by = TrainedBy::torch;
    }
    if (maybe(0.9)) {
      add_loader(summary);
    }
    if (maybe(0.8)) {
      add_host(summary);
    }
    return summary;
  }

 private:
  double among(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  bool maybe(double chance) { return among(0, 1) < chance; }

  void plan_padding(RunSummary& summary, double now) {
    double padding = now;
    for (int edges = *summary.run.bucket_edges; edges <= 64; edges *= 2) {
      summary.padding_by_edges[std::to_string(edges)] = padding;
      padding *= among(0.5, 1);
    }
  }

  void add_loader(RunSummary& summary) {
    PipelineStats stats;
    const double age = 1 + among(0, 20);
    stats.age = Seconds(age);
    stats.batches = static_cast<std::int64_t>(summary.steps.size());
    stats.rows = 16 * stats.batches;
    stats.active_workers = 1 + static_cast<int>(among(0, 6));
    stats.window.limit = static_cast<int>(among(0, 16));
    stats.ring = RingUse{.slots = 2 + static_cast<int>(among(0, 3))};
    stats.from_audio = maybe(0.8) ? stats.rows : 0;
    stats.from_cache = stats.rows - stats.from_audio;
    stats.decode.busy = Seconds(among(0, age));
    stats.mel.busy = Seconds(among(0, age));
    stats.bad = maybe(0.1) ? 3 : 0;
    for (int i = 0; i < stats.active_workers; ++i) {
      const double busy = among(0.3, 1) * age;
      stats.workers.push_back({.rows = stats.rows / stats.active_workers,
                               .busy = Seconds(busy),
                               .blocked = Seconds(age - busy),
                               .cpu = Seconds(among(0, busy)),
                               .run_delay = Seconds(among(0, 0.5) * busy),
                               .lock_wait = Seconds(maybe(0.2) ? among(0, busy) : 0)});
    }
    for (int i = 0; i < stats.rows; ++i) {
      stats.row_times.add(Seconds(maybe(0.05) ? among(0, 0.3) : 0.002));
    }
    stats.process = ProcessUsage{.cpu = Seconds(among(0, 4) * age)};
    summary.pipeline = stats;
  }

  void add_host(RunSummary& summary) {
    const double seconds = 1 + among(0, 20);
    HostSummary host{.first_at = 0, .last_at = seconds, .samples = 5};
    host.setup.online_cores = 4.0;
    host.setup.affinity_cores = 4.0;
    host.setup.cpu_quota =
        maybe(0.2) ? Reading<double>(among(0.5, 4)) : Reading<double>::none(std::string(kNoLimit));
    host.setup.governor = std::string(maybe(0.2) ? "powersave" : "performance");
    host.setup.data_file_system = std::string(maybe(0.2) ? "nfs" : "ext4");
    visit_counters(host.first, [](const char*, Reading<double>& reading) { reading = 0.0; });
    visit_counters(host.last, [&](const char*, Reading<double>& reading) {
      reading = maybe(0.3) ? among(0, seconds) : 0.0;
    });
    host.last.machine_busy = among(0, 4) * seconds;
    host.last.read_bytes = among(0, 1e9);
    host.last.storage_bytes = among(0, 1e9);
    host.first.threads = std::vector<ThreadClock>{};
    const auto clock = [&](const char* name, int threads) {
      const double running = among(0, 1) * seconds * threads;
      return ThreadClock{.name = name,
                         .threads = threads,
                         .running = running,
                         .waiting = among(0, 1) * (seconds * threads - running)};
    };
    host.last.threads = std::vector<ThreadClock>{clock("load", 1 + static_cast<int>(among(0, 8))),
                                                 clock("train", 1 + static_cast<int>(among(0, 3)))};
    summary.host = host;
  }

  std::mt19937_64 random_;
};

void expect_possible(const Finding& finding) {
  const Gain& gain = finding.gain;
  EXPECT_GE(gain.speedup, gain.ci95.low) << finding.id;
  EXPECT_LE(gain.speedup, gain.ci95.high) << finding.id;
  EXPECT_GE(gain.ci95.low, 1) << finding.id;
  EXPECT_GT(gain.step_if_fixed, 0) << finding.id;
  EXPECT_LE(gain.step_if_fixed, gain.step_now) << finding.id;
  EXPECT_NEAR(gain.speedup, gain.step_now / gain.step_if_fixed, 1e-6 * gain.speedup) << finding.id;
  EXPECT_GE(finding.marginal_speedup.value_or(1), 1) << finding.id;
  for (const Evidence& evidence : finding.evidence) {
    EXPECT_TRUE(std::isfinite(evidence.value)) << finding.id << evidence.metric.name;
    if (evidence.metric.unit == Unit::share) {
      EXPECT_GE(evidence.value, 0) << finding.id << ' ' << evidence.metric.name;
      EXPECT_LE(evidence.value, 1 + 1e-9) << finding.id << ' ' << evidence.metric.name;
    }
  }
  for (const Fix& fix : finding.fixes) {
    if (fix.predicted_step) {
      EXPECT_GT(*fix.predicted_step, 0) << finding.id << ' ' << fix.key;
      EXPECT_LE(*fix.predicted_step, gain.step_now * (1 + 1e-9)) << finding.id << ' ' << fix.key;
    }
  }
}

// Time that waiting does not take is no shorter than the device needs, and so on.
void expect_bounded(const Finding& finding, const RunMeasures& m) {
  if (finding.part != BreakdownPart::unknown && finding.gain.step_now == m.mean_step &&
      !finding.change) {
    const double part = seconds_by_part(m.breakdown)[static_cast<std::size_t>(finding.part)];
    const bool is_symptom = find_rule(finding.id)->role != RuleRole::cause;
    EXPECT_LE(finding.gain.seconds_saved(), (is_symptom ? m.mean_step : part) + 1e-9) << finding.id;
  }
}

int place_in_report(const Finding& finding) {
  if (!finding.explained_by.empty()) {
    return 2;
  }
  return finding.severity == FindingSeverity::info ? 1 : 0;
}

void expect_ordered(const Diagnosis& diagnosis) {
  const std::vector<Finding>& findings = diagnosis.findings;
  for (std::size_t i = 1; i < findings.size(); ++i) {
    const Finding& before = findings[i - 1];
    const Finding& after = findings[i];
    EXPECT_LE(place_in_report(before), place_in_report(after)) << before.id << ' ' << after.id;
    if (place_in_report(before) == place_in_report(after)) {
      EXPECT_GE(seconds_that_count(before.gain), seconds_that_count(after.gain))
          << before.id << ' ' << after.id;
    }
  }
}

// With every finding fixed, what none of them claims is still there: the gains of all, one behind
// the other, leave that much of a step.
void expect_together_possible(const Diagnosis& diagnosis) {
  // A share of a step: a faster loader saves more of the waiting once the device is faster, too.
  constexpr double kBehindOthers = 0.1;
  if (diagnosis.findings.empty()) {
    return;
  }
  double left = diagnosis.measures.mean_step;
  double step = diagnosis.findings.front().gain.step_if_fixed;
  for (const Finding& finding : diagnosis.findings) {
    left -= std::max(finding.claim, finding.gain.seconds_saved());
    step /= finding.marginal_speedup.value_or(1);
  }
  EXPECT_GE(step, left - kBehindOthers * diagnosis.measures.mean_step)
      << diagnosis.findings.size() << " findings, " << diagnosis.measures.mean_step << " s";
}

void expect_sound(const RunSummary& summary) {
  const Diagnosis diagnosis = diagnose_run(summary);
  const RunMeasures& m = diagnosis.measures;
  double parts = 0;
  for (const double seconds : seconds_by_part(m.breakdown)) {
    parts += seconds;
  }
  EXPECT_NEAR(parts, m.mean_step, 1e-9 + 1e-6 * m.mean_step);
  EXPECT_GE(diagnosis.recoverable_share, 0);
  EXPECT_LT(diagnosis.recoverable_share, 1);
  for (const Finding& finding : diagnosis.findings) {
    expect_possible(finding);
    expect_bounded(finding, m);
    EXPECT_FALSE(finding.fixes.empty() && finding.verify.id == msg::verify_rerun::id)
        << finding.id << ": no change to check";
  }
  if (diagnosis.recoverable_share > 0) {
    EXPECT_TRUE(std::ranges::any_of(diagnosis.findings, [&](const Finding& finding) {
      return is_sharp(finding.gain) && finding.gain.share_saved() == diagnosis.recoverable_share;
    }));
  }
  expect_together_possible(diagnosis);
  expect_ordered(diagnosis);
}

// The same run with every setting that its findings propose.
RunSummary with_fixes(RunSummary summary, const Diagnosis& diagnosis) {
  for (const Finding& finding : diagnosis.findings) {
    for (const Fix& fix : finding.fixes) {
      const std::size_t dot = fix.key.find('.');
      if (fix.trained_by == TrainedBy::qanat && dot != std::string::npos) {
        const nlohmann::json value = nlohmann::json::parse(fix.value, nullptr, false);
        summary.config[fix.key.substr(0, dot)][fix.key.substr(dot + 1)] =
            value.is_discarded() ? nlohmann::json(fix.value) : value;
      }
    }
  }
  return summary;
}

class InvariantsTest : public testing::TestWithParam<int> {};

TEST_P(InvariantsTest, GainsArePossibleSharpWhereTheyAreAHeadlineAndInOrder) {
  RandomRuns runs(static_cast<std::uint64_t>(GetParam()));
  for (int i = 0; i < 25; ++i) {
    SCOPED_TRACE(i);
    expect_sound(runs.make());
  }
}

TEST_P(InvariantsTest, WhatIsSetIsNotProposed) {
  RandomRuns runs(static_cast<std::uint64_t>(1000 + GetParam()));
  for (int i = 0; i < 10; ++i) {
    SCOPED_TRACE(i);
    const RunSummary summary = runs.make();
    const RunSummary fixed = with_fixes(summary, diagnose_run(summary));
    for (const Finding& finding : diagnose_run(fixed).findings) {
      for (const Fix& fix : finding.fixes) {
        EXPECT_FALSE(fix.is_setting() && is_set(fixed, fix.key, fix.value))
            << finding.id << ' ' << fix.key << '=' << fix.value;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, InvariantsTest, testing::Range(1, 11));

TEST(InvariantsOfGoldenTest, TheFirstJournalIsSound) {
  RunSummary summary;
  const Result<int> damaged =
      visit_journal(QANAT_GOLDEN "/first_version.jsonl",
                    [&summary](const JournalEntry& entry) { summary.add(entry); });

  ASSERT_TRUE(damaged);
  expect_sound(summary);
}

}  // namespace
}  // namespace qanat
