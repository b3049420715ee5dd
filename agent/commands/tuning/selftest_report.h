// What the self-test found, for people and for programs.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>

#include "agent/tuning/device/this_device.h"
#include "agent/tuning/selftest.h"

namespace tunehub::agent::tuning {

nlohmann::ordered_json ToJson(const FamilyReport& report);

// The line that names what is tested.
void PrintDevice(std::ostream& out, const DeviceInfo& device);
// A line of counts, and one per kernel that went wrong, with the first reason.
void Print(std::ostream& out, const FamilyReport& report);

}  // namespace tunehub::agent::tuning
