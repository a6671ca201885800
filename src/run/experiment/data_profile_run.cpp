#include "experiment/data_profile_run.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "app/loader_options.h"
#include "experiment/experiment.h"
#include "report/profile_report.h"

namespace qanat {
namespace {

constexpr std::size_t kMinVisits = 3;
constexpr std::int64_t kMinBatches = 4;  // of a visit

double seconds_per_frame() {
  return static_cast<double>(kMel.hop) / kMel.sample_rate.value;
}

// However often the set is gone through, every pass is made as the first one is, unless a cache in
// memory was asked for.
RunConfig without_end(RunConfig config) {
  config.training.epochs = std::numeric_limits<int>::max();
  config.pipeline.feature_cache = config.pipeline.feature_cache.value_or(Megabytes{0});
  return config;
}

std::unique_ptr<Loader> start_loader(const RunConfig& config,
                                     const ProfiledSet& data,
                                     const HostFacts& host) {
  constexpr int kConsumerThreads = 0;  // it is away while the loader works
  const bool has_data_gpu = config.data.data_gpu && config.data.model_gpu;
  return make_loader(config,
                     make_loader_options(config, host, kConsumerThreads),
                     {.set = data.set,
                      .text = data.text,
                      .payload = has_data_gpu ? PayloadKind::pcm_s16 : PayloadKind::mel_f32});
}

// The sweep between its first visit and its last.
class Sweep {
 public:
  explicit Sweep(const SweepRequest& request);

  SweepReport run();

 private:
  RunConfig config_of(const SweepCell& cell) const;
  std::vector<std::size_t> next_round();
  void visit(SweepCell& cell);
  bool is_over() const;
  void report_progress() const;

  const SweepRequest& request_;
  const Clock::time_point begin_ = Clock::now();
  std::mt19937_64 random_{1};
  SweepReport report_;
};

Sweep::Sweep(const SweepRequest& request) : request_(request) {
  report_.limits = {.batch = request.config.data.batch_size,
                    .max_workers = allowed_cores(request.host)};
  if (request.step) {
    report_.step = request.step->count();
  }
  for (const int batch : request.batches) {
    for (const int workers : request.workers) {
      report_.cells.push_back({.batch = batch, .workers = workers});
    }
  }
  const auto control = std::ranges::find(report_.cells, report_.limits.batch, &SweepCell::batch);
  report_.control = control == report_.cells.end()
                        ? 0
                        : static_cast<std::size_t>(std::distance(report_.cells.begin(), control));
}

RunConfig Sweep::config_of(const SweepCell& cell) const {
  RunConfig config = without_end(request_.config);
  config.data.batch_size = cell.batch;
  config.data.num_workers = cell.workers;
  config.pipeline.feature_cache = Megabytes{0};  // every visit does the same work
  return config;
}

bool Sweep::is_over() const {
  return request_.stop.stop_requested() || seconds_since(begin_) >= request_.budget;
}

// The cells that are not known well enough, and the control cell, in a new order.
std::vector<std::size_t> Sweep::next_round() {
  std::vector<std::size_t> round;
  bool unknown = false;
  for (std::size_t i = 0; i < report_.cells.size(); ++i) {
    const SweepCell& cell = report_.cells[i];
    const bool enough =
        cell.rates.size() >= kMinVisits && rate_of(cell).half_width < kEnoughHalfWidth;
    unknown = unknown || !enough;
    if (!enough || i == report_.control) {
      round.push_back(i);
    }
  }
  if (!unknown) {
    return {};
  }
  std::ranges::shuffle(round, random_);
  return round;
}

// A loader of its own; its first batches and what it had ready by then do not count.
void Sweep::visit(SweepCell& cell) {
  const std::unique_ptr<Loader> loader =
      start_loader(config_of(cell), request_.data, request_.host);
  LoaderConsumer consumer(*loader, request_.step);
  const ExperimentRecord record =
      run_experiment({.consumer = consumer,
                      .warm_up = 2 + cell.workers,
                      .enough =
                          [this](const ExperimentRecord& so_far) {
                            return std::ssize(so_far.deliveries) >= kMinBatches &&
                                   so_far.seconds() >= request_.visit.count();
                          },
                      .stop = request_.stop});
  if (!record.complete) {
    return;  // stopped: half a visit is none
  }
  const double frames = std::accumulate(record.deliveries.begin(),
                                        record.deliveries.end(),
                                        0.0,
                                        [](double sum, const Delivery& delivery) {
                                          return sum + static_cast<double>(delivery.frames);
                                        });
  cell.rates.push_back(frames * seconds_per_frame() / record.seconds());
  cell.memory = std::max(cell.memory, loader->stats().window.most_bytes.value);
  if (request_.step) {
    const auto visits = static_cast<double>(cell.rates.size());
    cell.wait =
        (cell.wait.value_or(0) * (visits - 1) + record.waited() / record.seconds()) / visits;
  }
}

void Sweep::report_progress() const {
  if (!request_.progress) {
    return;
  }
  std::size_t visits = 0;
  for (const SweepCell& cell : report_.cells) {
    visits += cell.rates.size();
  }
  const std::size_t least = kMinVisits * report_.cells.size();
  request_.progress(static_cast<std::int64_t>(visits),
                    static_cast<std::int64_t>(std::max(least, visits)));
}

SweepReport Sweep::run() {
  if (!report_.cells.empty() && !is_over()) {
    SweepCell warm = report_.cells[report_.control];  // fills the page cache for all alike
    visit(warm);
  }
  std::vector<std::size_t> round = next_round();
  while (!round.empty() && !is_over()) {
    for (const std::size_t index : round) {
      if (is_over()) {
        break;
      }
      visit(report_.cells[index]);
      report_progress();
    }
    round = next_round();
  }
  report_.complete = round.empty();
  report_.seconds = seconds_since(begin_).count();
  report_.choice = choose_cell(report_.cells, report_.limits);
  return std::move(report_);
}

}  // namespace

std::optional<ProfiledSet> load_profiled_set(const RunConfig& config,
                                             const ProgressFn& progress,
                                             const std::stop_token& stop) {
  TrainingSetOptions options = make_training_set_options(config, read_host_facts());
  options.index.progress = progress;
  options.index.stop = stop;
  options.store.stop = stop;
  const auto text = std::make_shared<TextFrontEnd>(make_text_config(config.data));
  ProfiledSet data{.set = nullptr, .text = text};
  std::optional<UtteranceSet> set =
      load_utterance_set(options.train_data, options, make_index_sources(*text, kMel.sample_rate));
  if (!set) {
    return std::nullopt;
  }
  data.set = std::make_shared<const UtteranceSet>(*std::move(set));
  return data;
}

std::optional<DataMeasurement> measure_loader(const DataRunRequest& request) {
  const Clock::time_point begin = Clock::now();
  const std::unique_ptr<Loader> loader =
      start_loader(without_end(request.config), request.data, request.host);
  LoaderConsumer consumer(*loader, request.step);
  const Seconds started = seconds_since(begin);
  ExperimentRecord record = run_experiment({.consumer = consumer,
                                            .warm_up = 1,
                                            .steps = request.batches - 1,
                                            .progress = request.progress,
                                            .stop = request.stop});
  if (record.deliveries.empty()) {
    return std::nullopt;
  }
  DataMeasurement measured{.deliveries = std::move(record.deliveries),
                           .first_batch = (started + *record.first).count(),
                           .pipeline = loader->stats(),
                           .seconds_per_frame = seconds_per_frame(),
                           .batches_per_epoch = loader->batches_per_epoch(),
                           .allowed_cores = allowed_cores(request.host)};
  if (request.step) {
    measured.step = request.step->count();
  }
  return measured;
}

std::vector<int> default_sweep_batches(const RunConfig& config) {
  const int batch = config.data.batch_size;
  std::vector<int> sizes = {std::max(1, batch / 2), batch, 2 * batch};
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::vector<int> default_sweep_workers(const HostFacts& host) {
  const int most = allowed_cores(host);
  std::vector<int> workers;
  for (int count = 1; count < most; count *= 2) {
    workers.push_back(count);
  }
  workers.push_back(most);
  return workers;
}

SweepReport sweep_loader(const SweepRequest& request) {
  SweepReport report = Sweep(request).run();
  if (request.journal != nullptr) {
    request.journal->record(SweepDone{.fields = render_json(to_document(report))});
  }
  return report;
}

}  // namespace qanat
