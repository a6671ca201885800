#include "capi/loader_session.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "app/loader_options.h"
#include "app/plan_fingerprint.h"
#include "base/thread.h"
#include "locale/message_error.h"
#include "locale/messages/loader_rows.h"
#include "locale/messages/speech_errors.h"
#include "monitor/host_facts.h"

namespace qanat {
namespace {

[[noreturn]] void refuse(Misuse kind, const Message& what) {
  throw MisuseError(kind, what);
}

constexpr std::int64_t kMegabyte = 1'000'000;

// Counts itself while it lives. Another process, after a fork, leaves it alone: a thread that is
// not there may have had the pool's lock.
SharedBatch counted(Batch batch, std::shared_ptr<std::atomic<std::int64_t>> count, pid_t owner) {
  count->fetch_add(1);
  return {new Batch(std::move(batch)), [count = std::move(count), owner](const Batch* kept) {
            if (::getpid() == owner) {
              delete kept;
              count->fetch_sub(1);
            }
          }};
}

}  // namespace

MisuseError::MisuseError(Misuse kind, const Message& what)
    : Error(Translator().tr(what)), kind_(kind) {}

LoaderSession::LoaderSession(LoaderSettings settings,
                             MakeBlocks make_blocks,
                             std::optional<RowTable> rows)
    : settings_(std::move(settings)),
      make_blocks_(std::move(make_blocks)),
      text_(std::make_shared<TextFrontEnd>(make_text_config(settings_.config.data))),
      rows_(std::move(rows)),
      group_(settings_.world),
      opener_(start_thread("open", [this](const std::stop_token& stop) { open(stop); })) {}

LoaderSession::~LoaderSession() {
  close();
}

void LoaderSession::open(const std::stop_token& stop) {
  std::exception_ptr failure;
  std::shared_ptr<Loader> loader;
  try {
    if (read_set(stop)) {
      loader = start_loader({});
    }
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  open_ = true;
  adopt(std::move(loader), failure);
  opened_.notify_all();
}

// With mutex_.
void LoaderSession::adopt(std::shared_ptr<Loader> loader, std::exception_ptr failure) {
  const PayloadFormat format = payload();
  block_bytes_ = 0;
  if (loader) {
    for (const BucketEdge& edge : loader->edges()) {
      block_bytes_ = std::max(block_bytes_,
                              static_cast<std::int64_t>(make_layout(edge.shape(), format).bytes));
    }
  }
  loader_ = std::move(loader);
  failure_ = std::move(failure);
  kept_ = std::make_shared<std::atomic<std::int64_t>>(0);
}

// False when stopped.
bool LoaderSession::read_set(const std::stop_token& stop) {
  options_ = make_loader_options(settings_.config, read_host_facts(), settings_.consumer_threads);
  options_.epochs.reset();  // the caller ends it
  options_.last = settings_.last;
  if (!has_tokens()) {
    options_.batching.max_tokens = 1;
    options_.batching.token_multiple = 1;
  }
  std::optional<LoaderSet> set = open_set(settings_, rows_ ? &*rows_ : nullptr, text_, stop);
  rows_.reset();
  if (!set) {
    return false;
  }
  if (!set->weights.empty() &&
      (options_.batching.frame_budget || options_.batching.order != ItemOrder::shuffled)) {
    throw MessageError(msg::row_weights_refused{});
  }
  set_ = *std::move(set);
  return true;
}

PayloadFormat LoaderSession::payload() const {
  PayloadFormat format = payload_format(settings_.payload(), settings_.mel);
  format.mel_beside_pcm = settings_.sound == BatchSound::both;
  return format;
}

std::shared_ptr<Loader> LoaderSession::start_loader(Position position) const {
  return make_loader(settings_.config,
                     options_,
                     {.set = set_.set,
                      .text = text_,
                      .speakers = set_.speakers,
                      .unknown_speakers = UnknownSpeakers::one_id,
                      .payload = settings_.payload(),
                      .mel_beside_pcm = settings_.sound == BatchSound::both,
                      .mel = settings_.mel,
                      .read_tokens = set_.read_tokens,
                      .clips = set_.clips,
                      .weights = set_.weights,
                      .rank = settings_.rank,
                      .world = settings_.world,
                      .group = shared_options().group,
                      .start = position,
                      .blocks = make_blocks_ ? make_blocks_() : nullptr,
                      .on_bad = [log = damage_](const BadRow& bad) { log->add(bad); }});
}

LoaderOptions LoaderSession::shared_options() const {
  LoaderOptions options = options_;
  options.rank = settings_.rank;
  options.world = settings_.world;
  const std::lock_guard lock(mutex_);
  options.group = group_;
  return options;
}

bool LoaderSession::wait_until_open(Seconds timeout) {
  std::unique_lock lock(mutex_);
  if (!opened_.wait_for(lock, timeout, [this] { return open_; })) {
    return false;
  }
  lock.unlock();
  running();  // throws what is wrong
  return true;
}

std::shared_ptr<Loader> LoaderSession::running() const {
  const std::lock_guard lock(mutex_);
  if (closing_.stop_requested()) {
    refuse(Misuse::closed, msg::capi_closed{});
  }
  if (failure_) {
    std::rethrow_exception(failure_);
  }
  if (!loader_) {
    refuse(Misuse::invalid, msg::capi_not_open{});
  }
  return loader_;
}

std::unique_lock<std::mutex> LoaderSession::take_turn() {
  std::unique_lock turn(turn_, std::try_to_lock);
  if (!turn && closing_.stop_requested()) {
    refuse(Misuse::closed, msg::capi_closed{});  // close() has the turn
  }
  if (!turn) {
    refuse(Misuse::busy, msg::capi_busy{});
  }
  return turn;
}

SharedBatch LoaderSession::take(Seconds timeout) {
  const std::unique_lock turn = take_turn();
  const std::shared_ptr<Loader> loader = running();
  refuse_when_all_is_held();
  std::optional<Batch> batch = loader->next(closing_.get_token(), timeout);
  if (closing_.stop_requested()) {
    refuse(Misuse::closed, msg::capi_closed{});
  }
  if (!batch) {
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  return counted(*std::move(batch), kept_, owner_);
}

std::optional<LeasedBatch> LoaderSession::next(Seconds timeout) {
  SharedBatch batch = take(timeout);
  if (!batch) {
    return std::nullopt;
  }
  const std::lock_guard lock(mutex_);
  LeasedBatch leased{.lease = ++last_lease_, .batch = std::move(batch)};
  leases_.emplace(leased.lease, leased.batch);
  return leased;
}

// A loader that is asked for more than its budget gives one batch at a time; a caller that keeps
// them all would take any memory there is.
void LoaderSession::refuse_when_all_is_held() const {
  const std::lock_guard lock(mutex_);
  // Two: a loop still has one batch when it asks for the next.
  const std::int64_t most = std::max<std::int64_t>(2, options_.budget.value / block_bytes_);
  if (kept_->load() >= most) {
    refuse(Misuse::held,
           msg::capi_held{.held = most * block_bytes_ / kMegabyte,
                          .budget = options_.budget.value / kMegabyte});
  }
}

void LoaderSession::release(std::int64_t lease) noexcept {
  SharedBatch last;  // destroyed without the lock: giving a block back wakes workers
  const std::lock_guard lock(mutex_);
  const auto found = leases_.find(lease);
  if (found != leases_.end()) {
    last = std::move(found->second);
    leases_.erase(found);
  }
}

Position LoaderSession::position() const {
  return running()->position();
}

void LoaderSession::seek(Position position) {
  const std::unique_lock turn = take_turn();
  std::shared_ptr<Loader> loader = running();
  if (loader->position() == position) {
    return;
  }
  const std::int64_t batches = loader->batches_per_epoch();
  if (position.epoch < 0 || position.batch < 0 || position.batch >= batches) {
    refuse(Misuse::invalid,
           msg::capi_bad_position{
               .batch = position.batch, .epoch = position.epoch, .batches = batches});
  }
  restart(std::move(loader), position);
}

void LoaderSession::cut_for(int processes) {
  const std::unique_lock turn = take_turn();
  std::shared_ptr<Loader> loader = running();
  if (processes < 1) {
    refuse(Misuse::invalid, msg::capi_bad_group{.processes = processes});
  }
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(group_, processes) == processes && loader->position() == Position{}) {
      return;
    }
  }
  restart(std::move(loader), {});
}

void LoaderSession::restart(std::shared_ptr<Loader> loader, Position position) {
  {
    const std::lock_guard lock(mutex_);
    loader_.reset();
  }
  loader.reset();  // its memory is free before the next one takes as much
  std::exception_ptr failure;
  try {
    loader = start_loader(position);
  } catch (...) {
    failure = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    adopt(std::move(loader), failure);
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

nlohmann::json LoaderSession::facts() const {
  const std::shared_ptr<Loader> loader = running();
  return {
      {"batches_per_epoch", loader->batches_per_epoch()},
      {"utterances", set_.set->manifest.utterances.size()},
      {"left_out", num_left_out(set_.set->manifest)},
      {"speakers", set_.speakers},
      {"symbols", set_.num_symbols},
      {"plan",
       fmt::format("{:016x}",
                   plan_fingerprint(
                       *set_.set, settings_.mel, shared_options(), std::nullopt, set_.weights))},
      {"mel", to_json(settings_.mel)}};
}

nlohmann::json LoaderSession::utterance(std::int64_t item) const {
  running();
  const Utterance& utterance = known_utterance(item);
  const auto i = static_cast<std::size_t>(item);
  const bool says_language = i < set_.languages.size() && !set_.languages[i].empty();
  nlohmann::json language = to_string(utterance.language);
  if (says_language) {
    language = set_.languages[i];
  } else if (!has_tokens()) {
    language = nullptr;  // nobody looked at the text
  }
  return {{"id", utterance.id},
          {"text", utterance.text},
          {"speaker", utterance.speaker},
          {"language", std::move(language)},
          {"file",
           set_.clips ? set_.clips->describe(utterance)
                      : audio_path(set_.set->manifest, utterance).string()},
          {"samples", set_.set->index.entries[i].samples.value}};
}

// Also of a closed session: what was read of the set stays.
const UtteranceSet& LoaderSession::set_that_was_read() const {
  const std::lock_guard lock(mutex_);
  if (!open_ || !set_.set) {
    refuse(Misuse::invalid, msg::capi_not_open{});
  }
  return *set_.set;
}

const Utterance& LoaderSession::known_utterance(std::int64_t item) const {
  const std::vector<Utterance>& utterances = set_that_was_read().manifest.utterances;
  if (item < 0 || item >= std::ssize(utterances)) {
    refuse(Misuse::invalid, msg::capi_bad_item{.item = item, .count = std::ssize(utterances)});
  }
  return utterances[static_cast<std::size_t>(item)];
}

std::string_view LoaderSession::text_of(std::int64_t item) const {
  return known_utterance(item).text;
}

std::shared_ptr<const TextFrontEnd> LoaderSession::text() const {
  static_cast<void>(set_that_was_read());
  return text_;
}

nlohmann::json LoaderSession::damaged() const {
  const UtteranceSet& set = set_that_was_read();
  return {{"left_out", left_out_rows(set.manifest)}, {"failed", damage_->failed(set)}};
}

PipelineStats LoaderSession::stats() const {
  return running()->stats();
}

void LoaderSession::close() noexcept {
  closing_.request_stop();  // wakes next()
  opener_.request_stop();
  const std::lock_guard turn(turn_);
  if (opener_.joinable()) {
    opener_.join();
  }
  std::shared_ptr<Loader> last;
  const std::lock_guard lock(mutex_);
  last = std::move(loader_);
}

}  // namespace qanat
