#include "kernels/gpu/pci_address.h"

#include <array>
#include <cstdio>

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
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.0", static_cast<unsigned>(values[0]),
                static_cast<unsigned>(values[1]), static_cast<unsigned>(values[2]));
  return text.data();
}

}  // namespace tunehub::kernels::gpu
