// Reads a GPU's files of the kernel driver from a tree that the test makes.
#include "agent/device/this_device.h"
#include "tests/support/shipped.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent {
namespace {

using testing::ElementsAre;

constexpr char kPci[] = "sys/bus/pci/devices/0000:c1:00.0/";

// An MI325X in amdgpu's files. The node's name, "ip discovery", does not identify the product.
class GpuFacts : public testing::Test {
 protected:
  GpuFacts() {
    const std::string node = "sys/class/kfd/kfd/topology/nodes/1/";
    host_.Write(node + "properties",
                "simd_count 1216\nsimd_per_cu 4\ngfx_target_version 90402\nlocation_id 49408\n"
                "domain 0\n");
    host_.Write(node + "name", "ip discovery\n");
    host_.Write(kPci + std::string("vendor"), "0x1002\n");
    host_.Write(kPci + std::string("device"), "0x74a5\n");
    host_.Write(kPci + std::string("current_compute_partition"), "SPX\n");
    host_.Write(kPci + std::string("current_memory_partition"), "NPS1\n");
    host_.Write(kPci + std::string("hwmon/hwmon7/power1_cap"), "1000000000\n");
  }
  DeviceInfo Device() const { return *AmdDevice(host_.path()); }
  static const core::Devices& Devices() { return tunehub::test::ShippedTargets().devices(); }

  test::TempFolder host_;
};

TEST_F(GpuFacts, a_run_says_which_product_it_was_and_how_it_ran) {
  const DeviceInfo device = Device();
  EXPECT_EQ(device.address, "0000:c1:00.0");
  EXPECT_THAT(DeviceMembers(device, Devices()),
              ElementsAre("product=MI325X", "gpu=ip discovery", "pci_id=1002:74a5",
                          "address=0000:c1:00.0", "gfx=gfx942", "cu_num=304", "partition=SPX",
                          "memory_partition=NPS1", "power_limit=1000"));
  EXPECT_EQ(NameOf(device, Devices()), "MI325X (gfx942:304)");
}

TEST_F(GpuFacts, a_partition_without_a_folder_has_its_cards_facts) {
  DeviceInfo device;
  device.address = "0000:c1:00.3";
  ReadGpuFacts(host_.path(), device);
  EXPECT_EQ(device.pci_id, "1002:74a5");
  EXPECT_EQ(device.partition, "SPX");
}

TEST_F(GpuFacts, what_the_host_does_not_say_is_left_out) {
  DeviceInfo device;
  device.name = "AMD Radeon Graphics";
  device.target = {"gfx942", 304};
  device.address = "gpu:0";
  ReadGpuFacts(host_.path(), device);
  EXPECT_EQ(ProductOf(device, Devices()), nullptr) << "many products have this name";
  EXPECT_THAT(DeviceMembers(device, Devices()),
              ElementsAre("gpu=AMD Radeon Graphics", "address=gpu:0", "gfx=gfx942", "cu_num=304"));
  EXPECT_EQ(NameOf(device, Devices()), "MI300X / MI325X (gfx942:304)");
  host_.Write(kPci + std::string("hwmon/hwmon7/power1_cap"), "0\n");
  EXPECT_EQ(Device().power_limit, 0);
}

}  // namespace
}  // namespace tunehub::agent
