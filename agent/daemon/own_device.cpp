#include "agent/daemon/own_device.h"

#include <fmt/core.h>

#include "agent/tuning/device/gpu_facts.h"

namespace tunehub::agent::daemon {

void OwnDevice::Learn(const std::string& name) {
  if (!name.empty()) told_ = name;
}

bool OwnDevice::IsTold(const std::string& asked) const {
  if (asked == told_) return true;
  const core::Device* const theirs = devices_.Find(asked);
  const core::Device* const named = devices_.Find(told_);
  // A name that nobody knows is of what the driver says.
  return theirs != nullptr &&
         theirs == (named != nullptr ? named : tuning::ProductOf(device_, devices_));
}

bool OwnDevice::IsOtherName(const std::string& asked) const {
  return !asked.empty() && !told_.empty() && asked != told_ && IsTold(asked);
}

std::string OwnDevice::WhyOther(const std::string& asked) const {
  if (asked.empty()) return "";
  if (!told_.empty()) {
    return IsTold(asked) ? "" : fmt::format("it is of {}, and this is {}", asked, told_);
  }
  const core::Device* const theirs = devices_.Find(asked);
  const core::Device* const ours = tuning::ProductOf(device_, devices_);
  if (theirs == nullptr || ours == nullptr || theirs == ours) return "";
  return fmt::format("it is of {}, and this is {}", asked, ours->product);
}

}  // namespace tunehub::agent::daemon
