// Rules about two devices that share a run: balance, overlap, and whether the pair pays at all.
// They need runs of both modes, so `qanat profile dual` asks them and no journal alone does.
#include <array>
#include <vector>

#include "diagnose/dual_profile.h"
#include "diagnose/gain.h"
#include "diagnose/rule_parts.h"
#include "locale/messages/findings_two_devices.h"
#include "locale/messages/units.h"

namespace qanat {
namespace {

constexpr double kOverloaded = 1.05;  // data side over model side: the model device waits for it
constexpr double kIdleDataDevice = 0.10;
constexpr int kDeeperRing = 6;  // slots

// Batch time now and then, as a gain without an interval of its own: the sides are means.
Gain gain_to(const DualProfile& profile, double after, GainMethod method) {
  const double now = profile.dual.stages.train + profile.dual.stages.gap;
  return make_gain(now, saving_within(now - after, 1, 1), method);
}

RuleOutcome balance(const RuleInput& input) {
  const DualProfile& profile = *input.dual;
  const Quantity data = in_seconds(profile.data_per_batch);
  const Quantity model = in_seconds(profile.train_per_batch);
  const double busy = profile.dual.data_busy.value_or(0);
  if (data.value <= kOverloaded * model.value) {
    return busy < kIdleDataDevice
               ? passed(msg::mg004_ok_idle{.data = data, .model = model, .busy = in_percent(busy)})
               : passed(msg::mg004_ok{.data = data, .model = model, .busy = in_percent(busy)});
  }
  const Gain gain = gain_to(profile, model.value, GainMethod::sides);
  return Finding{.title = msg::mg004_title{},
                 .severity = severity_of(gain),
                 .evidence = {{metric::data_s_per_batch, data.value},
                              {metric::train_s_per_batch, model.value},
                              {metric::data_device_busy_share, busy}},
                 .gain = gain,
                 .fixes = {precompute_features()},
                 .verify = msg::verify_profile_dual{},
                 .may_be_wrong = msg::mg004_wrong_if{}};
}

// Where it is not as deep already.
std::vector<Fix> deeper_ring(const DualProfile& profile) {
  const std::optional<LoaderUse>& loader = profile.dual.measures.loader;
  if (loader && loader->slots >= kDeeperRing) {
    return {};
  }
  return {set_key("data.prefetch_buffer_size", kDeeperRing)};
}

RuleOutcome serialised(const RuleInput& input) {
  const DualProfile& profile = *input.dual;
  if (profile.efficiency >= kWantedEfficiency) {
    return passed(msg::mg005_ok{.share = in_percent(profile.efficiency, 1)});
  }
  const Gain gain = gain_to(profile, profile.ideal, GainMethod::ideal);
  return Finding{.title = msg::mg005_title{.share = in_percent(profile.efficiency)},
                 .severity = severity_of(gain),
                 .evidence = {{metric::overlap, profile.overlap},
                              {metric::ideal_s_per_batch, profile.ideal},
                              {metric::gap_s_per_batch, profile.dual.stages.gap}},
                 .gain = gain,
                 .fixes = deeper_ring(profile),
                 .verify = msg::verify_profile_dual{},
                 .may_be_wrong = msg::mg005_wrong_if{}};
}

RuleOutcome slower_than_single(const RuleInput& input) {
  const DualProfile& profile = *input.dual;
  const RunComparison& seen = profile.comparison;
  if (seen.change != Change::slower) {
    return passed(msg::mg006_ok{.ratio = msg::unit_range{.value = times(seen.ratio, 3),
                                                         .low = plain(seen.ci95.low, 3),
                                                         .high = plain(seen.ci95.high, 3)}});
  }
  const double now = profile.dual.measures.mean_step;
  const Gain gain =
      make_gain(now,
                {.seconds = now * (1 - seen.ratio),
                 .range = {.low = now * (1 - seen.ci95.high), .high = now * (1 - seen.ci95.low)}},
                GainMethod::measured);
  Fix one_device = set_key("data.data_gpu", "none");
  one_device.precondition = msg::mg006_no_model_gpu{};
  return Finding{.title = msg::mg006_title{},
                 .severity = severity_of(gain),
                 .evidence = {{metric::dual_over_single, seen.ratio}},
                 .gain = gain,
                 .fixes = {std::move(one_device)},
                 .verify = by_command("qanat profile dual"),
                 .may_be_wrong = msg::mg006_wrong_if{}};
}

constexpr Rule dual_rule(std::string_view id,
                         RuleText text,
                         RuleOutcome (*judge)(const RuleInput&)) {
  return {
      .id = id, .category = RuleCategory::dual, .text = text, .judge = judge, .needs = Need::dual};
}

}  // namespace

std::span<const Rule> dual_rules() {
  static constexpr std::array kRules = {
      dual_rule(
          "MG004", text_of<msg::mg004_looks_for, msg::mg004_means, msg::mg004_remedy>(), balance),
      dual_rule("MG005",
                text_of<msg::mg005_looks_for, msg::mg005_means, msg::mg005_remedy>(),
                serialised),
      dual_rule("MG006",
                text_of<msg::mg006_looks_for, msg::mg006_means, msg::mg006_remedy>(),
                slower_than_single),
  };
  return kRules;
}

}  // namespace qanat
