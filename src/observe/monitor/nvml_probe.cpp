#include "monitor/nvml_probe.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

#include "monitor/kernel_files.h"
#include "monitor/nvml_library.h"

namespace qanat {
namespace {

using Number = Reading<double>;
using Word = Reading<std::string>;
using nvml::Functions;

constexpr double kMega = 1e6;
constexpr double kMilli = 1e-3;
constexpr const char* kNoFunction = "this driver has no function for it";

std::string library_path(const NvmlOptions& options) {
  const char* const given = std::getenv("QANAT_NVML");  // NOLINT(concurrency-mt-unsafe)
  return !options.library.empty() || given == nullptr ? options.library : given;
}

Word variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? Word::none("not set") : Word(value);
}

// "00000000:65:00.0" as the folders below /sys/bus/pci/devices are called: "0000:65:00.0".
std::string to_folder_name(std::string id) {
  std::ranges::transform(
      id, id.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t colon = id.find(':');
  return colon != std::string::npos && colon > 4 ? id.substr(colon - 4) : id;
}

}  // namespace

// The library and what it was asked for; used by one call at a time.
class NvmlProbe::Session {
 public:
  Session(const NvmlOptions& options, std::string path)
      : root_(options.root), path_(std::move(path)) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    if (initialised_ && f().free_event_set != nullptr && events_ != nullptr) {
      f().free_event_set(events_);
    }
    if (initialised_ && f().shutdown != nullptr) {
      f().shutdown();
    }
  }

  Reading<GpuSetup> open();
  std::vector<GpuSample> sample();

 private:
  const Functions& f() const { return library_->functions(); }
  std::string words_for(nvml::Return code) const { return library_->describe(code); }

  // What `function` says, times `unit`.
  template <typename Value, typename Function, typename... Args>
  Number ask(double unit, Function function, Args... args) const {
    if (function == nullptr) {
      return Number::none(kNoFunction);
    }
    Value value{};
    const nvml::Return code = function(args..., &value);
    return code == nvml::kSuccess ? Number(static_cast<double>(value) * unit)
                                  : Number::none(words_for(code));
  }
  Word ask_text(nvml::Text function, nvml::Device device) const;
  std::string find_devices();
  void register_events();
  GpuFacts facts(nvml::Device device) const;
  Word bus_id(nvml::Device device) const;
  Number numa_node(const Word& bus_id) const;
  GpuPair pair(std::size_t first, std::size_t second) const;
  GpuSample sample(nvml::Device device) const;
  Number other_processes(nvml::Device device) const;
  Number is_lost(nvml::Device device) const;
  void remapped_rows(nvml::Device device, GpuSample& sample) const;
  void take_events(std::vector<GpuSample>& samples) const;

  const std::filesystem::path root_;
  const std::string path_;
  std::shared_ptr<const nvml::Library> library_;
  bool initialised_ = false;
  nvml::EventSet events_ = nullptr;
  std::string no_events_ = kNoFunction;
  std::vector<nvml::Device> devices_;
};

Word NvmlProbe::Session::ask_text(nvml::Text function, nvml::Device device) const {
  if (function == nullptr) {
    return Word::none(kNoFunction);
  }
  std::array<char, 96> text{};
  const nvml::Return code = function(device, text.data(), text.size() - 1);
  return code == nvml::kSuccess ? Word(text.data()) : Word::none(words_for(code));
}

// Empty, or why there are none.
std::string NvmlProbe::Session::find_devices() {
  unsigned count = 0;
  if (f().device_count == nullptr || f().device_by_index == nullptr) {
    return "this driver cannot list its GPUs";
  }
  if (const nvml::Return code = f().device_count(&count); code != nvml::kSuccess) {
    return words_for(code);
  }
  for (unsigned index = 0; index < count; ++index) {
    nvml::Device device = nullptr;
    // One that is lost keeps its place.
    (void)f().device_by_index(index, &device);
    devices_.push_back(device);
  }
  return count == 0 ? "the driver knows no GPU" : "";
}

void NvmlProbe::Session::register_events() {
  if (f().make_event_set == nullptr || f().register_events == nullptr ||
      f().wait_for_event == nullptr || f().make_event_set(&events_) != nvml::kSuccess) {
    events_ = nullptr;
    return;
  }
  for (nvml::Device const device : devices_) {
    const nvml::Return code = device == nullptr
                                  ? nvml::kGpuIsLost
                                  : f().register_events(device, nvml::kXidEvent, events_);
    if (code == nvml::kSuccess) {
      no_events_ = "none";
    } else if (no_events_ != "none") {
      no_events_ = words_for(code);
    }
  }
}

Reading<GpuSetup> NvmlProbe::Session::open() {
  Result<std::shared_ptr<const nvml::Library>> opened = nvml::Library::open(path_);
  if (!opened) {
    return Reading<GpuSetup>::none(opened.failure().what);
  }
  library_ = std::move(opened).value();
  if (f().init == nullptr) {
    return Reading<GpuSetup>::none("the library has no nvmlInit: it is not NVML");
  }
  if (const nvml::Return code = f().init(); code != nvml::kSuccess) {
    return Reading<GpuSetup>::none(words_for(code));
  }
  initialised_ = true;
  if (std::string why = find_devices(); !why.empty()) {
    return Reading<GpuSetup>::none(std::move(why));
  }
  register_events();
  GpuSetup setup{.cuda_version = ask<int>(1, f().cuda_version),
                 .visible = variable("CUDA_VISIBLE_DEVICES"),
                 .order = variable("CUDA_DEVICE_ORDER")};
  std::array<char, 96> version{};
  if (f().driver_version != nullptr &&
      f().driver_version(version.data(), version.size() - 1) == nvml::kSuccess) {
    setup.driver = version.data();
  }
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    setup.gpus.push_back(facts(devices_[i]));
    for (std::size_t k = 0; k < i; ++k) {
      setup.pairs.push_back(pair(k, i));
    }
  }
  return setup;
}

Word NvmlProbe::Session::bus_id(nvml::Device device) const {
  if (f().pci_info == nullptr) {
    return Word::none(kNoFunction);
  }
  nvml::PciInfo info;
  const nvml::Return code = f().pci_info(device, &info);
  info.id[sizeof(info.id) - 1] = '\0';
  return code == nvml::kSuccess ? Word(to_folder_name(info.id)) : Word::none(words_for(code));
}

Number NvmlProbe::Session::numa_node(const Word& bus_id) const {
  if (!bus_id) {
    return Number::none(bus_id.why_not());
  }
  const std::filesystem::path path = root_ / "sys/bus/pci/devices" / *bus_id / "numa_node";
  const Result<std::string> text = read_kernel_text(path);
  if (!text) {
    return Number::none(text.failure().what);
  }
  const std::optional<std::int64_t> node = to_integer(text.value());
  return node && *node >= 0 ? Number(static_cast<double>(*node))
                            : Number::none("the firmware does not say");
}

GpuFacts NvmlProbe::Session::facts(nvml::Device device) const {
  if (device == nullptr) {
    GpuFacts none;
    visit_facts(none, [](const char*, auto& reading) {
      reading = std::remove_reference_t<decltype(reading)>::none("the GPU is lost");
    });
    return none;
  }
  GpuFacts facts{.bus_id = bus_id(device),
                 .uuid = ask_text(f().uuid, device),
                 .name = ask_text(f().name, device),
                 .memory = Number::none(kNoFunction),
                 .clock_max = ask<unsigned>(kMega, f().max_clock, device, 1),
                 .link_gen_max = ask<unsigned>(1, f().link_gen_max, device),
                 .link_width_max = ask<unsigned>(1, f().link_width_max, device),
                 .power_limit = ask<unsigned>(kMilli, f().power_limit, device),
                 .persistence = ask<unsigned>(1, f().persistence, device)};
  facts.numa_node = numa_node(facts.bus_id);
  nvml::Memory memory;
  if (f().memory != nullptr) {
    const nvml::Return code = f().memory(device, &memory);
    facts.memory = code == nvml::kSuccess ? Number(static_cast<double>(memory.total))
                                          : Number::none(words_for(code));
  }
  return facts;
}

GpuPair NvmlProbe::Session::pair(std::size_t first, std::size_t second) const {
  GpuPair pair{.first = static_cast<int>(first), .second = static_cast<int>(second)};
  if (devices_[first] == nullptr || devices_[second] == nullptr) {
    pair.peer_copies = pair.distance = Number::none("one of them is lost");
    return pair;
  }
  constexpr int kRead = 0;
  pair.distance = ask<int>(1, f().common_ancestor, devices_[first], devices_[second]);
  const Number status = ask<int>(1, f().peer_status, devices_[first], devices_[second], kRead);
  pair.peer_copies = status ? Number(*status == 0 ? 1.0 : 0.0) : status;
  return pair;
}

Number NvmlProbe::Session::other_processes(nvml::Device device) const {
  unsigned count = 64;
  std::vector<unsigned> ids;
  nvml::Return code = nvml::kNotSupported;
  if (f().processes != nullptr) {
    std::vector<nvml::Process> listed(count);
    code = f().processes(device, &count, listed.data());
    std::ranges::transform(listed, std::back_inserter(ids), &nvml::Process::pid);
  } else if (f().processes_v1 != nullptr) {
    std::vector<nvml::ProcessV1> listed(count);
    code = f().processes_v1(device, &count, listed.data());
    std::ranges::transform(listed, std::back_inserter(ids), &nvml::ProcessV1::pid);
  } else {
    return Number::none(kNoFunction);
  }
  if (code != nvml::kSuccess) {
    return Number::none(words_for(code));
  }
  ids.resize(std::min<std::size_t>(count, ids.size()));
  const auto own = static_cast<unsigned>(::getpid());
  return static_cast<double>(std::ranges::count_if(ids, [own](unsigned id) { return id != own; }));
}

// Any question will do: a lost GPU answers all of them alike.
Number NvmlProbe::Session::is_lost(nvml::Device device) const {
  if (device == nullptr) {
    return 1.0;
  }
  unsigned value = 0;
  const nvml::Return code =
      f().temperature == nullptr ? nvml::kNotSupported : f().temperature(device, 0, &value);
  return code == nvml::kGpuIsLost ? 1.0 : 0.0;
}

void NvmlProbe::Session::remapped_rows(nvml::Device device, GpuSample& sample) const {
  if (f().remapped_rows == nullptr) {
    sample.remap_pending = sample.remap_failed = Number::none(kNoFunction);
    return;
  }
  std::array<unsigned, 4> values{};
  const nvml::Return code =
      f().remapped_rows(device, values.data(), &values[1], &values[2], &values[3]);
  const bool fine = code == nvml::kSuccess;
  sample.remap_pending =
      fine ? Number(static_cast<double>(values[2])) : Number::none(words_for(code));
  sample.remap_failed =
      fine ? Number(static_cast<double>(values[3])) : Number::none(words_for(code));
}

GpuSample NvmlProbe::Session::sample(nvml::Device device) const {
  constexpr int kUncorrected = 1;
  constexpr int kSinceLoaded = 0;
  GpuSample sample{.lost = is_lost(device)};
  if (*sample.lost != 0) {
    return sample;
  }
  sample.clock = ask<unsigned>(kMega, f().clock, device, 1);
  sample.memory_clock = ask<unsigned>(kMega, f().clock, device, 2);
  sample.power = ask<unsigned>(kMilli, f().power, device);
  sample.temperature = ask<unsigned>(1, f().temperature, device, 0);
  sample.limits = ask<unsigned long long>(1, f().clock_limits, device);
  sample.link_gen = ask<unsigned>(1, f().link_gen, device);
  sample.link_width = ask<unsigned>(1, f().link_width, device);
  sample.link_replays = ask<unsigned>(1, f().link_replays, device);
  sample.uncorrected_errors =
      ask<unsigned long long>(1, f().ecc_errors, device, kUncorrected, kSinceLoaded);
  sample.other_processes = other_processes(device);
  remapped_rows(device, sample);
  nvml::Utilisation utilisation;
  sample.kernels_resident = Number::none(kNoFunction);
  if (f().utilisation != nullptr) {
    const nvml::Return code = f().utilisation(device, &utilisation);
    sample.kernels_resident =
        code == nvml::kSuccess ? Number(utilisation.gpu / 100.0) : Number::none(words_for(code));
  }
  nvml::Memory memory;
  sample.memory_used = Number::none(kNoFunction);
  if (f().memory != nullptr) {
    const nvml::Return code = f().memory(device, &memory);
    sample.memory_used = code == nvml::kSuccess ? Number(static_cast<double>(memory.used))
                                                : Number::none(words_for(code));
  }
  return sample;
}

// Errors that happened since the last time; of several on one GPU the last one.
void NvmlProbe::Session::take_events(std::vector<GpuSample>& samples) const {
  for (GpuSample& sample : samples) {
    sample.xid = Number::none(no_events_);
  }
  constexpr int kMax = 64;
  nvml::EventData data;
  for (int i = 0; i < kMax && events_ != nullptr &&
                  f().wait_for_event(events_, &data, /*timeout_ms=*/0) == nvml::kSuccess;
       ++i) {
    const auto device = std::ranges::find(devices_, data.device);
    if (device != devices_.end() && data.type == nvml::kXidEvent) {
      samples[static_cast<std::size_t>(device - devices_.begin())].xid =
          static_cast<double>(data.data);
    }
  }
}

std::vector<GpuSample> NvmlProbe::Session::sample() {
  std::vector<GpuSample> samples;
  for (nvml::Device const device : devices_) {
    samples.push_back(sample(device));
  }
  take_events(samples);
  return samples;
}

NvmlProbe::NvmlProbe(const NvmlOptions& options)
    : timeout_(options.timeout),
      session_(std::make_shared<Session>(options, library_path(options))),
      caller_("nvml") {
  const auto answer = std::make_shared<Reading<GpuSetup>>();
  const bool answered =
      caller_.call([session = session_, answer] { *answer = session->open(); }, timeout_);
  setup_ = answered ? *answer
                    : Reading<GpuSetup>::none(
                          fmt::format("NVML did not answer within {:.0f} s", timeout_.count()));
}

NvmlProbe::~NvmlProbe() {
  // Shutting down may hang as well.
  caller_.call([session = std::move(session_)]() mutable { session.reset(); }, timeout_);
}

Reading<std::vector<GpuSample>> NvmlProbe::sample() {
  using Samples = Reading<std::vector<GpuSample>>;
  if (!setup_) {
    return Samples::none(setup_.why_not());
  }
  const auto answer = std::make_shared<std::vector<GpuSample>>();
  const bool answered =
      caller_.call([session = session_, answer] { *answer = session->sample(); }, timeout_);
  return answered
             ? Samples(*answer)
             : Samples::none(fmt::format("NVML did not answer within {:.1f} s: a GPU may be lost",
                                         timeout_.count()));
}

}  // namespace qanat
