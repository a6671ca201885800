#include "monitor/gpu_sample.h"

#include <fmt/format.h>

#include "monitor/reading_json.h"

namespace qanat {
namespace {

constexpr std::size_t kMaxGpus = 1024;

nlohmann::json to_json(const GpuFacts& facts) {
  nlohmann::json object = nlohmann::json::object();
  visit_facts(facts,
              [&](const char* name, const auto& value) { write_reading(object, name, value); });
  return object;
}

Result<GpuPair> to_pair(const nlohmann::json& object, std::size_t gpus) {
  GpuPair pair;
  const auto place = [&](const char* name) {
    const auto value = object.find(name);
    const bool fine = value != object.end() && value->is_number_integer() &&
                      value->get<std::int64_t>() >= 0 &&
                      value->get<std::int64_t>() < static_cast<std::int64_t>(gpus);
    return fine ? value->get<int>() : -1;
  };
  if (!object.is_object() || (pair.first = place("first")) < 0 ||
      (pair.second = place("second")) < 0) {
    return Failure{"a pair of GPUs: expected `first` and `second` to name listed ones"};
  }
  read_reading(object, "peer_copies", pair.peer_copies);
  read_reading(object, "distance", pair.distance);
  return pair;
}

// The elements of a list that is not too long; null when it is none.
const nlohmann::json* list_in(const nlohmann::json& object, const char* name) {
  const auto list = object.find(name);
  const bool fine = list != object.end() && list->is_array() && list->size() <= kMaxGpus;
  return fine ? &*list : nullptr;
}

}  // namespace

std::string_view to_string(ClockLimit limit) {
  switch (limit) {
    case ClockLimit::idle:
      return "idle";
    case ClockLimit::application:
      return "application clocks";
    case ClockLimit::power_cap:
      return "power limit";
    case ClockLimit::hardware:
      return "hardware slowdown";
    case ClockLimit::sync_boost:
      return "sync boost";
    case ClockLimit::thermal:
      return "temperature";
    case ClockLimit::hardware_thermal:
      return "temperature (hardware)";
    case ClockLimit::power_brake:
      return "power brake";
    case ClockLimit::display:
      return "display clocks";
  }
  return "unknown";
}

const std::vector<ClockLimit>& all_clock_limits() {
  static const std::vector<ClockLimit> all = {ClockLimit::idle,
                                              ClockLimit::application,
                                              ClockLimit::power_cap,
                                              ClockLimit::hardware,
                                              ClockLimit::sync_boost,
                                              ClockLimit::thermal,
                                              ClockLimit::hardware_thermal,
                                              ClockLimit::power_brake,
                                              ClockLimit::display};
  return all;
}

nlohmann::json to_json(const GpuSetup& setup) {
  nlohmann::json object{{"driver", setup.driver},
                        {"gpus", nlohmann::json::array()},
                        {"pairs", nlohmann::json::array()}};
  write_reading(object, "cuda_version", setup.cuda_version);
  write_reading(object, "visible", setup.visible);
  write_reading(object, "order", setup.order);
  for (const GpuFacts& facts : setup.gpus) {
    object["gpus"].push_back(to_json(facts));
  }
  for (const GpuPair& pair : setup.pairs) {
    nlohmann::json item{{"first", pair.first}, {"second", pair.second}};
    write_reading(item, "peer_copies", pair.peer_copies);
    write_reading(item, "distance", pair.distance);
    object["pairs"].push_back(std::move(item));
  }
  return object;
}

Result<GpuSetup> to_gpu_setup(const nlohmann::json& object) {
  if (!object.is_object()) {
    return Failure{"the setup of GPUs: expected an object"};
  }
  const nlohmann::json* const gpus = list_in(object, "gpus");
  const nlohmann::json* const pairs = list_in(object, "pairs");
  const auto driver = object.find("driver");
  if (gpus == nullptr || pairs == nullptr || driver == object.end() || !driver->is_string()) {
    return Failure{"the setup of GPUs: expected `driver`, `gpus` and `pairs`"};
  }
  GpuSetup setup{.driver = driver->get<std::string>()};
  read_reading(object, "cuda_version", setup.cuda_version);
  read_reading(object, "visible", setup.visible);
  read_reading(object, "order", setup.order);
  for (const nlohmann::json& item : *gpus) {
    if (!item.is_object()) {
      return Failure{"the setup of GPUs: expected objects"};
    }
    visit_facts(setup.gpus.emplace_back(),
                [&](const char* name, auto& value) { read_reading(item, name, value); });
  }
  for (const nlohmann::json& item : *pairs) {
    const Result<GpuPair> pair = to_pair(item, setup.gpus.size());
    if (!pair) {
      return pair.failure();
    }
    setup.pairs.push_back(pair.value());
  }
  return setup;
}

nlohmann::json to_json(const std::vector<GpuSample>& samples) {
  nlohmann::json array = nlohmann::json::array();
  for (const GpuSample& sample : samples) {
    nlohmann::json& object = array.emplace_back(nlohmann::json::object());
    visit_sample(sample, [&object](const char* name, const Reading<double>& value) {
      if (value) {
        write_reading(object, name, value);
      }
    });
  }
  return array;
}

Result<std::vector<GpuSample>> to_gpu_samples(const nlohmann::json& array) {
  if (!array.is_array() || array.size() > kMaxGpus) {
    return Failure{"samples of GPUs: expected a list"};
  }
  std::vector<GpuSample> samples;
  for (const nlohmann::json& object : array) {
    if (!object.is_object()) {
      return Failure{"samples of GPUs: expected objects"};
    }
    visit_sample(samples.emplace_back(),
                 [&](const char* name, auto& value) { read_reading(object, name, value); });
  }
  return samples;
}

}  // namespace qanat
