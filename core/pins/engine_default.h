// An engine's default for one file's key: which config runs for each M without a row. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/pins/default_rule.h"

namespace tunehub::pins {

// No M of a request comes near it.
inline constexpr std::int64_t kAnyM = std::int64_t{1} << 40;

class EngineDefault {
 public:
  struct Step {
    std::int64_t up_to = kAnyM;  // the last of its M
    std::string config;          // compact JSON, members as the engine has them
  };

  // `steps` ascend, and the last is of every M beyond.
  explicit EngineDefault(std::vector<Step> steps) : steps_(std::move(steps)) {}

  const std::string& Of(std::int64_t m) const;
  // The last M before each change.
  std::vector<std::int64_t> Bounds() const;

 private:
  std::vector<Step> steps_;
};

// Errors, each with the engine's version: default_rule_silent (the file is of a kind that no rule
// is for), default_unknown (a rule says that there is none), default_needs (the fact that a rule
// asks for is neither in the key nor given: names it).
core::Result<EngineDefault> DefaultOf(const EngineRules& rules, std::string_view family,
                                      const Facts& facts);

// "gfx942" -> "rocm", "sm_90" -> "cuda"; "" where nobody knows the device.
std::string_view PlatformOf(std::string_view gfx);

// "marlin:0,group:128" into `facts`. Error bad_parameter: not NAME:NUMBER, or a name that the rules
// do not ask for (says which they do).
core::Status AddGiven(const EngineRules& rules, std::string_view given, Facts& facts);

}  // namespace tunehub::pins
