// The way of one batch through the ring, as points in the streams it passes: where each stage
// begins and ends. When those points were passed is asked of the device, not noted by threads that
// it wakes, so nothing is written while another thread reads it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>

#include "base/time.h"
#include "device/device.h"
#include "transfer/device_batch.h"

namespace qanat {

enum class RingStage { stage, prepare, copy, train };

// begin() and end() are for the thread that submits the stage; the others are for any thread that
// the batch was handed to after that. The devices outlive it.
class SlotTimeline {
 public:
  // What the host knows already; the stages are filled in by times().
  explicit SlotTimeline(SlotTimes known) : known_(known) {}
  SlotTimeline(const SlotTimeline&) = delete;
  SlotTimeline& operator=(const SlotTimeline&) = delete;
  ~SlotTimeline() = default;

  // Puts the point at the end of what `stream`, one of `device`, was given so far.
  void begin(RingStage stage, Device& device, DeviceStream& stream) {
    points_of(stage).begin = recorded(device, stream);
  }
  void end(RingStage stage, Device& device, DeviceStream& stream) {
    points_of(stage).end = recorded(device, stream);
  }

  // When the batch was whole on the model device; absent while it is not, and when a device that
  // is lost cannot say.
  std::optional<Clock::time_point> arrived() const {
    return passed_at(points_of(RingStage::copy).end);
  }
  // As far as it has come.
  SlotTimes times() const {
    SlotTimes times = known_;
    times.stage = interval(RingStage::stage);
    times.prepare = interval(RingStage::prepare);
    times.copy = interval(RingStage::copy);
    times.train = interval(RingStage::train);
    return times;
  }

 private:
  static constexpr std::size_t kStages = 4;
  struct Points {
    std::unique_ptr<DeviceEvent> begin;
    std::unique_ptr<DeviceEvent> end;
  };

  static std::unique_ptr<DeviceEvent> recorded(Device& device, DeviceStream& stream) {
    std::unique_ptr<DeviceEvent> event = device.make_event();
    stream.record(*event);
    return event;
  }
  static std::optional<Clock::time_point> passed_at(const std::unique_ptr<DeviceEvent>& event) {
    try {
      return event == nullptr ? std::nullopt : event->passed_at();
    } catch (const std::exception&) {
      return std::nullopt;  // the device is lost; those who wait for its work are told
    }
  }
  Points& points_of(RingStage stage) { return points_[static_cast<std::size_t>(stage)]; }
  const Points& points_of(RingStage stage) const {
    return points_[static_cast<std::size_t>(stage)];
  }
  Interval interval(RingStage stage) const {
    return {.begin = passed_at(points_of(stage).begin), .end = passed_at(points_of(stage).end)};
  }

  const SlotTimes known_;
  std::array<Points, kStages> points_;
};

}  // namespace qanat
