#include "kernels/gpu/pci_address.h"

#include <fmt/core.h>

#include <array>

namespace tunehub::kernels::gpu {
namespace {

// The two interfaces number attributes differently.
struct PciAttributes {
  int domain, bus, device;
};
constexpr PciAttributes kCuda = {50, 33, 34};
constexpr PciAttributes kHip = {hipDeviceAttributePciDomainID, hipDeviceAttributePciBusId,
                                hipDeviceAttributePciDeviceId};

}  // namespace

std::string PciAddress(const Driver& driver, int index) {
  hipDevice_t handle = 0;
  if (driver.device(&handle, index) != 0) return "";
  const PciAttributes& attributes = driver.api == Api::kCuda ? kCuda : kHip;
  std::array<int, 3> values{};  // a GPU is its card's function 0
  const std::array<int, 3> wanted = {attributes.domain, attributes.bus, attributes.device};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto attribute = static_cast<hipDeviceAttribute_t>(wanted[i]);
    if (driver.device_attribute(&values[i], attribute, handle) != 0) return "";
  }
  return fmt::format("{:04x}:{:02x}:{:02x}.0", values[0], values[1], values[2]);
}

}  // namespace tunehub::kernels::gpu
