// Which of the devices that jobs name is this one: by the host's driver, and by what an engine has
// called it.
#pragma once

#include <string>

#include "agent/tuning/device/this_device.h"

namespace tunehub::agent::daemon {

class OwnDevice {
 public:
  // `devices` must outlive it.
  OwnDevice(tuning::DeviceInfo device, const core::Devices& devices)
      : device_(std::move(device)), devices_(devices) {}

  // Why a job's device is not this one; "": it is, or nobody can tell before an engine has run.
  std::string WhyOther(const std::string& asked) const;
  // Whether it is another name of the device that an engine has told of.
  bool IsOtherName(const std::string& asked) const;
  // As an engine calls it; "": it did not say.
  void Learn(const std::string& name);

 private:
  bool IsTold(const std::string& asked) const;

  tuning::DeviceInfo device_;
  const core::Devices& devices_;
  std::string told_;
};

}  // namespace tunehub::agent::daemon
