#include "session/device_list.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "locale/translator.h"

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::Not;

RunConfig with_virtual_gpus(int count) {
  RunConfig config;
  config.pipeline.virtual_gpus = count;
  config.pipeline.virtual_gpu_memory = Megabytes{512};
  return config;
}

TEST(DeviceListTest, SaysPolitelyThatThereIsNoGpuAndWhatToDo) {
  const DeviceList list = list_devices({}, {.online_cores = 4}, testing::TempDir());

  EXPECT_THAT(render_text(list, Translator()), HasSubstr("No GPU was found"));
  EXPECT_THAT(render_text(list, Translator()), HasSubstr("--virtual-gpus 2"));
  EXPECT_EQ(list.devices.front().id, DeviceId{});
}

TEST(DeviceListTest, TellsGpusThatThisBuildCannotUseFromNone) {
  const std::filesystem::path root = std::filesystem::path(testing::TempDir()) / "driver_gpus";
  std::filesystem::create_directories(root / "proc/driver/nvidia/gpus/0000:01:00.0");

  const DeviceList list = list_devices({}, {}, root);
  std::filesystem::remove_all(root);

  EXPECT_EQ(list.driver_gpus, 1);
  EXPECT_THAT(render_text(list, Translator()), HasSubstr("knows 1 NVIDIA GPU, but this build"));
}

TEST(DeviceListTest, ListsVirtualGpusAsSuch) {
  const DeviceList list = list_devices(with_virtual_gpus(3), {.online_cores = 4}, "/");

  ASSERT_EQ(list.devices.size(), 3U);
  EXPECT_EQ(list.devices[2].id, (DeviceId{.kind = DeviceKind::virtual_gpu, .index = 2}));
  EXPECT_EQ(list.devices[0].memory, mebibytes(512));
  EXPECT_THAT(render_text(list, Translator()), HasSubstr("virtual:2"));
  EXPECT_THAT(render_text(list, Translator()), HasSubstr("emulated"));
  EXPECT_THAT(render_text(list, Translator()), Not(HasSubstr("No GPU was found")));
}

TEST(DeviceListTest, WhatIsUnknownIsNullInJson) {
  const nlohmann::json json = to_json(list_devices({}, {}, testing::TempDir()));

  EXPECT_TRUE(json.at("host").at("memory_mb").is_null());
  EXPECT_TRUE(json.at("devices").at(0).at("memory_mb").is_null());
  EXPECT_FALSE(json.at("libtorch").get<std::string>().empty());
}

}  // namespace
}  // namespace qanat
