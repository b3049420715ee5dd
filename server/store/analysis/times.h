// Times as analysis needs them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/hash128.h"
#include "core/row/standing.h"
#include "server/registry/provider.h"

namespace tunehub::store {

// A candidate that competes for a key, with a time that can be believed.
struct TimeRecord {
  core::Hash128 key;
  std::string gfx;
  int cu_num = 0;
  double us = 0;
  std::string line;
  int family_version = 0;
  bool won = false;  // it holds the key
};

// Which of these are asked for.
struct TimesWanted {
  bool engine_says = false;  // the family's keys name the engine: rows of every one are served
  std::optional<std::string> gfx;  // of one target alone
  int cu_num = 0;
  std::optional<core::Hash128> up_to;  // of keys up to this hash: a sample of them
};

// The time of a candidate that somebody chooses: the winner, a default, what a heuristic says.
struct ChoiceTime {
  core::Hash128 key;
  registry::Provider provider = registry::Provider::kAiter;
  core::Hash128 candidate;
  double us = 0;
  bool won = false;
  bool is_default = false;
  bool compared = false;  // of the whole operator: Standing::kCompared
  std::string campaign;   // of the winner's run; "": none
};

// A measurement of a run, whatever became of it. Views: until the visit ends.
struct RunTimeRecord {
  std::int16_t family = 0;
  std::string_view gfx;
  int cu_num = 0;
  double us = 0;  // NaN: none
  core::Standing standing = core::Standing::kMeasured;
  std::string_view line;
  int family_version = 0;
};

// One row after the other. False: enough.
using VisitChoice = std::function<void(ChoiceTime&)>;
using VisitTime = std::function<void(TimeRecord&)>;
using VisitRunTime = std::function<bool(const RunTimeRecord&)>;

}  // namespace tunehub::store
