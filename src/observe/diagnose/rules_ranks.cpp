// Rules about a run of several ranks: who makes the others wait, and for how long they exchange
// gradients.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "diagnose/intervals.h"
#include "diagnose/rule_parts.h"
#include "locale/messages/findings_hardware.h"
#include "locale/messages/verdicts.h"
#include "metrics/journal.h"

namespace qanat {
namespace {

constexpr double kFairBalance = 0.97;
constexpr double kFairShareOfRankLink = 0.7;  // large exchanges reach more on a healthy link
constexpr double kStallsExplain = 0.3;        // of what the rank is slower, as a share of its time
constexpr double kMinStalls = 0.02;
constexpr double kQueueExplains = 0.5;  // of what the rank is slower
constexpr double kQueueVaries = 0.4;    // of itself, from rank to rank, beside other programs

// What one rank needs longer than those that are not slow, s of a mean step.
struct Straggler {
  std::size_t rank = 0;
  double excess = 0;         // over the slowest of the others
  double data = 0;           // over the median of the others
  double compute = 0;        // likewise, for equal work
  double queued = 0;         // s, of the larger of the two: ready, and no core was free
  double longer_queued = 0;  // over the median of the others
  bool is_machine = false;

  double slower() const { return std::max(data, compute); }
};

// s of a mean step with the work of a mean rank.
double even_compute(const RankComparison& ranks, std::size_t rank) {
  double padded = 0;
  for (const RankMeasures& one : ranks.ranks) {
    padded += one.padded / static_cast<double>(ranks.ranks.size());
  }
  const RankMeasures& m = ranks.ranks[rank];
  return m.padded > 0 ? m.compute() * padded / m.padded : m.compute();
}

double even_own(const RankComparison& ranks, std::size_t rank) {
  return ranks.ranks[rank].data() + even_compute(ranks, rank);
}

using OfRank = std::function<double(std::size_t)>;

// The median over the ranks in `others`; the lower one of two.
double low_median(const std::vector<std::size_t>& others, const OfRank& value) {
  std::vector<double> values(others.size());
  std::ranges::transform(others, values.begin(), value);
  std::ranges::sort(values);
  return values[(values.size() - 1) / 2];
}

std::vector<std::size_t> all_ranks(const RankComparison& ranks) {
  std::vector<std::size_t> all(ranks.ranks.size());
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    all[rank] = rank;
  }
  return all;
}

// Those that are not much slower than the most.
std::vector<std::size_t> usual_ranks(const RankComparison& ranks, double tolerated) {
  std::vector<std::size_t> usual = all_ranks(ranks);
  const double median = low_median(usual, [&](std::size_t rank) { return even_own(ranks, rank); });
  std::erase_if(usual,
                [&](std::size_t rank) { return even_own(ranks, rank) > median + tolerated; });
  return usual;
}

// Whether it is slower step by step, and not by a few steps that were long.
bool is_steadily_slower(const RankComparison& ranks,
                        std::size_t slow,
                        const std::vector<std::size_t>& usual) {
  std::vector<double> differences;
  std::size_t slower = 0;
  for (std::size_t k = 0; k < ranks.steps; ++k) {
    const double other = low_median(usual, [&](std::size_t rank) { return ranks.own[rank][k]; });
    differences.push_back(ranks.own[slow][k] - other);
    slower += differences.back() > 0 ? 1 : 0;
  }
  return mean_interval(differences).low > 0 && 10 * slower > 6 * ranks.steps;
}

// Its machine: all ranks there are slow and others are not, or it stalls where the others do not.
bool is_slow_machine(const RankComparison& ranks,
                     const Straggler& slow,
                     const std::vector<std::size_t>& usual) {
  const RankMeasures& m = ranks.ranks[slow.rank];
  const auto is_on_it = [&](const RankMeasures& one) { return one.host == m.host; };
  const bool usual_there =
      std::ranges::any_of(usual, [&](std::size_t rank) { return is_on_it(ranks.ranks[rank]); });
  if (!m.host.empty() && !usual_there && std::ranges::count_if(ranks.ranks, is_on_it) > 1) {
    return true;
  }
  double stalls = 0;  // each by itself: what the whole machine suffers from hides no quota
  for (std::size_t kind = 0; kind < m.stalls.size(); ++kind) {
    const double others =
        low_median(usual, [&](std::size_t rank) { return ranks.ranks[rank].stalls[kind]; });
    stalls = std::max(stalls, m.stalls[kind] - others);
  }
  const double slower = slow.compute / std::max(m.compute(), 1e-9);
  return stalls > std::max(kMinStalls, kStallsExplain * slower);
}

std::optional<Straggler> find_straggler(const RunMeasures& m) {
  const RankComparison& ranks = *m.ranks;
  const std::vector<std::size_t> usual = usual_ranks(ranks, kMinReportableGain * m.mean_step);
  if (usual.size() == ranks.ranks.size()) {
    return std::nullopt;
  }
  const OfRank own = [&](std::size_t rank) { return even_own(ranks, rank); };
  Straggler slow{.rank = std::ranges::max(all_ranks(ranks), {}, own)};
  double slowest_usual = 0;
  for (const std::size_t rank : usual) {
    slowest_usual = std::max(slowest_usual, own(rank));
  }
  slow.excess = own(slow.rank) - slowest_usual;
  slow.data = ranks.ranks[slow.rank].data() -
              low_median(usual, [&](std::size_t rank) { return ranks.ranks[rank].data(); });
  slow.compute = even_compute(ranks, slow.rank) -
                 low_median(usual, [&](std::size_t rank) { return even_compute(ranks, rank); });
  if (!is_steadily_slower(ranks, slow.rank, usual)) {
    return std::nullopt;
  }
  const auto queued =
      slow.data >= slow.compute ? &RankMeasures::data_queued : &RankMeasures::compute_queued;
  slow.queued = ranks.ranks[slow.rank].*queued;
  slow.longer_queued =
      slow.queued - low_median(usual, [&](std::size_t rank) { return ranks.ranks[rank].*queued; });
  slow.is_machine = slow.compute > slow.data && is_slow_machine(ranks, slow, usual);
  return slow;
}

Message straggler_title(const Straggler& slow, const RankMeasures& m) {
  const Quantity time = in_seconds(slow.slower(), 1);
  const std::string host = m.host.empty() ? "?" : m.host;
  if (slow.data >= slow.compute) {
    return msg::rnk001_title_data{.rank = m.rank, .host = host, .time = time};
  }
  if (slow.is_machine) {
    return msg::rnk001_title_machine{.rank = m.rank, .host = host, .time = time};
  }
  return msg::rnk001_title_compute{.rank = m.rank, .host = host, .time = time};
}

Fix straggler_fix(const Straggler& slow, const RankMeasures& m) {
  const std::string journal = journal_of_rank("journal.jsonl", m.rank).string();
  if (slow.data >= slow.compute) {
    return do_this(msg::rnk001_look_data{.rank = m.rank, .journal = journal});
  }
  return slow.is_machine ? do_this(msg::rnk001_look_machine{.host = m.host})
                         : do_this(msg::rnk001_look_compute{.rank = m.rank, .journal = journal});
}

// What rank 0 spends on it: its own time, or waiting for the gradients of another.
BreakdownPart straggler_part(const Straggler& slow) {
  if (slow.rank != 0) {
    return BreakdownPart::exchange;
  }
  return slow.data >= slow.compute ? BreakdownPart::wait : BreakdownPart::work;
}

// Other programs had the cores that it waited for: that says nothing about the rank.
bool is_disturbed(const Straggler& slow, const RankMeasures& rank) {
  return !slow.is_machine && rank.outside.value_or(0) >= Neighbours::kBusy &&
         (slow.longer_queued >= kQueueExplains * slow.slower() ||
          slow.slower() <= kQueueVaries * slow.queued);
}

RuleOutcome straggler_rank(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const std::optional<Straggler> slow = find_straggler(m);
  if (!slow || slow->excess < kMinReportableGain * m.mean_step) {
    return passed(msg::rnk001_ok{.ranks = m.ranks->ranks.size()});
  }
  const RankMeasures& rank = m.ranks->ranks[slow->rank];
  if (is_disturbed(*slow, rank)) {
    return skipped(msg::rnk001_company{.rank = rank.rank,
                                       .time = in_seconds(slow->slower(), 1),
                                       .others = in_percent(*rank.outside),
                                       .host = rank.host.empty() ? "?" : rank.host});
  }
  const Gain gain = gain_of_share(
      m, {.share = slow->excess / m.mean_step, .low = 0.7, .high = 1.2}, GainMethod::breakdown);
  Finding finding{.title = straggler_title(*slow, rank),
                  .severity = severity_of(gain),
                  .evidence = {{metric::rank, static_cast<double>(rank.rank)},
                               {metric::excess_data, slow->data},
                               {metric::excess_compute, slow->compute}},
                  .gain = gain,
                  .fixes = {straggler_fix(*slow, rank)},
                  .verify = msg::verify_rerun{},
                  .may_be_wrong = msg::rnk001_wrong_if{},
                  .part = straggler_part(*slow)};
  if (rank.stalled) {
    finding.evidence.push_back({metric::stalled_share, *rank.stalled});
  }
  return finding;
}

// How long a device waits for slices of the gradients that become ready evenly during backward,
// and go one after the other.
double exposed_of(double backward, double wire, double slices) {
  return wire < backward ? wire / slices : wire - backward + backward / slices;
}

// Recorded exchanges, run again with other times.
class ExchangeReplay {
 public:
  explicit ExchangeReplay(const RankComparison& ranks) : ranks_(ranks) {
    const ExchangeTimes mean = ranks.mean_exchange();
    const double last_slice =
        mean.wire < mean.backward ? mean.exposed : mean.exposed - mean.wire + mean.backward;
    const double evenly = std::min(mean.wire, mean.backward);
    slices_ = last_slice > 0 ? std::clamp(evenly / last_slice, 1.0, 1e6) : 1e6;
    const double again = replay({});
    unexplained_ = again > 0 ? mean.exposed / again : 1;
  }

  struct Change {
    double backward = 1;  // of the recorded times
    double wire = 1;
  };
  // s of a mean step.
  double exposed(const Change& change) const { return unexplained_ * replay(change); }

 private:
  double replay(const Change& change) const {
    double sum = 0;
    for (const ExchangeTimes& times : ranks_.exchanges) {
      sum += exposed_of(change.backward * times.backward, change.wire * times.wire, slices_);
    }
    return sum / static_cast<double>(std::max<std::size_t>(ranks_.exchanges.size(), 1));
  }

  const RankComparison& ranks_;
  double slices_ = 1;
  double unexplained_ = 1;
};

// By what a step would take then, for as many utterances: the shortest first.
std::vector<Fix> exchange_fixes(const RuleInput& input, double exposed) {
  const RunMeasures& m = input.measures;
  const double rest = m.mean_step - exposed;
  const StepRecord& last = m.steady.back();
  const Fix accumulate = set_key("training.gradient_accumulation_steps",
                                 2 * std::clamp(last.batches, 1, 1024),
                                 rest + exposed / 2);
  if (m.ranks->mean_exchange().wire <= 0) {
    return {
        accumulate};  // how much of the exchange is hidden, and so what else helps, is not known
  }
  const ExchangeReplay replay(*m.ranks);
  const double fixed =
      m.busy_work.r2 >= 0.5 ? std::clamp(m.busy_work.fixed, 0.0, rest) : 0;  // paid once for two
  const double larger = (2 * rest - fixed + replay.exposed({.backward = 2})) / 2;
  std::vector<Fix> fixes{set_key("data.batch_size", 2 * batch_size_of(input), larger), accumulate};
  const std::optional<ExchangeSetup>& setup = input.summary.run.exchange;
  if (!setup || setup->precision.value_or("").find("bf") == std::string::npos) {
    fixes.push_back(
        set_key("training.exchange_format", "bf16", rest + replay.exposed({.wire = 0.5})));
  }
  std::ranges::stable_sort(
      fixes, {}, [](const Fix& fix) { return fix.predicted_step.value_or(0); });
  return fixes;
}

// From rank 0 alone nobody can tell the exchange from waiting for a slower rank.
Finding exchange_or_straggler(const RunMeasures& m, double share) {
  const Gain gain =
      gain_of_share(m, {.share = share, .low = 0.1, .high = 1}, GainMethod::breakdown);
  return {.title = msg::rnk002_title_alone{.share = in_percent(share)},
          .severity = severity_of(gain),
          .evidence = {{metric::exposed_exchange_share, share}},
          .gain = gain,
          .fixes = {do_this(msg::rnk002_look_at_all{})},
          .verify = msg::verify_rerun{},
          .may_be_wrong = msg::rnk002_wrong_if{},
          .part = BreakdownPart::exchange};
}

RuleOutcome exposed_exchange(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const ExchangeTimes mean = m.ranks->mean_exchange();
  if (mean.exposed <= 0 && mean.wire <= 0) {
    return skipped(msg::rnk002_unknown{});
  }
  const double share = mean.exposed / m.mean_step;
  const double hidden = mean.wire > 0 ? std::clamp(1 - mean.exposed / mean.wire, 0.0, 1.0) : 0;
  if (share < kLargeExposedShare) {
    return passed(msg::rnk002_ok{.share = in_percent(share, 1), .hidden = in_percent(hidden)});
  }
  if (!m.ranks->is_complete()) {
    return exchange_or_straggler(m, share);
  }
  if (const std::optional<OutsideLoad>& outside = m.ranks->outside; outside && outside->is_busy()) {
    return skipped(msg::rnk002_company{
        .share = in_percent(share), .others = in_percent(outside->share), .host = outside->host});
  }
  const std::vector<Fix> fixes = exchange_fixes(input, mean.exposed);
  const double saved = 1 - fixes.front().predicted_step.value_or(m.mean_step) / m.mean_step;
  const bool knows_wire = mean.wire > 0;
  const Gain gain = gain_of_share(m,
                                  {.share = saved, .low = knows_wire ? 0.6 : 0.1, .high = 1.2},
                                  knows_wire ? GainMethod::replay : GainMethod::breakdown);
  Finding finding{
      .title = msg::rnk002_title{.share = in_percent(share)},
      .severity = severity_of(gain),
      .evidence = {{metric::exposed_exchange_share, share}, {metric::exchanged, m.ranks->bytes}},
      .gain = gain,
      .fixes = fixes,
      .verify = msg::verify_rerun{},
      .may_be_wrong = msg::rnk002_wrong_if{},
      .part = BreakdownPart::exchange};
  if (knows_wire) {
    finding.evidence.insert(finding.evidence.begin() + 1, {metric::hidden_share, hidden});
  }
  return finding;
}

RuleOutcome unequal_work(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const double balance = m.ranks->balance;
  if (balance >= kFairBalance) {
    return passed(msg::rnk003_ok{.share = in_percent(balance, 1)});
  }
  const Gain gain = gain_of_share(
      m, {.share = (1 - balance) * m.share(m.breakdown.busy())}, GainMethod::work_model);
  return Finding{.title = msg::rnk003_title{.share = in_percent(balance)},
                 .severity = severity_of(gain),
                 .evidence = {{metric::work_balance, balance}},
                 .gain = gain,
                 .fixes = {do_this(msg::rnk003_even_rows{.ranks = m.ranks->world})},
                 .verify = msg::verify_rerun{},
                 .may_be_wrong = msg::rnk003_wrong_if{},
                 .part = BreakdownPart::exchange};
}

// Bytes per second that go out of each rank: in a ring, all that it adds goes round nearly twice.
double exchange_rate(const RankComparison& ranks, double wire) {
  const double world = ranks.world;
  return 2 * (world - 1) / world * ranks.bytes / wire;
}

RuleOutcome slow_exchange(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const double wire = m.ranks->mean_exchange().wire;
  const std::optional<ExchangeSetup>& setup = input.summary.run.exchange;
  if (!setup || !setup->link || !(*setup->link > 0) || wire <= 0 || m.ranks->bytes <= 0) {
    return skipped(msg::rnk004_unknown{});
  }
  const double rate = exchange_rate(*m.ranks, wire);
  const double reached = rate / *setup->link;
  if (reached >= kFairShareOfRankLink) {
    return passed(msg::rnk004_ok{.rate = in_bytes_per_second(rate), .share = in_percent(reached)});
  }
  // What is hidden behind backward costs nothing.
  const double exposed = m.ranks->mean_exchange().exposed / m.mean_step;
  const Gain gain = gain_of_share(
      m,
      {.share = std::min(exposed, (1 - reached) * wire / m.mean_step), .low = 0, .high = 1.2},
      GainMethod::breakdown);
  return Finding{.title = msg::rnk004_title{.rate = in_bytes_per_second(rate),
                                            .link = in_bytes_per_second(*setup->link)},
                 .severity = severity_of(gain),
                 .evidence = {{metric::exchange_rate, rate},
                              {metric::link_rate, *setup->link},
                              {metric::exposed_exchange_share, exposed}},
                 .gain = gain,
                 .fixes = {do_this(msg::rnk004_look{})},
                 .verify = msg::verify_rerun{},
                 .may_be_wrong = msg::rnk004_wrong_if{},
                 .part = BreakdownPart::exchange};
}

constexpr Rule ranks_rule(std::string_view id,
                          RuleText text,
                          RuleOutcome (*judge)(const RuleInput&),
                          Need needs = Need::journals) {
  return {.id = id,
          .category = RuleCategory::ranks,
          .text = text,
          .judge = judge,
          .needs = Need::steps | Need::ranks | needs,
          .verdict = VerdictKind::exchange_bound};
}

}  // namespace

std::span<const Rule> ranks_rules() {
  static constexpr std::array kRules = {
      ranks_rule("RNK001",
                 text_of<msg::rnk001_looks_for, msg::rnk001_means, msg::rnk001_remedy>(),
                 straggler_rank),
      ranks_rule("RNK002",
                 text_of<msg::rnk002_looks_for, msg::rnk002_means, msg::rnk002_remedy>(),
                 exposed_exchange,
                 Need::nothing),
      ranks_rule("RNK003",
                 text_of<msg::rnk003_looks_for, msg::rnk003_means, msg::rnk003_remedy>(),
                 unequal_work),
      ranks_rule("RNK004",
                 text_of<msg::rnk004_looks_for, msg::rnk004_means, msg::rnk004_remedy>(),
                 slow_exchange),
  };
  return kRules;
}

}  // namespace qanat
