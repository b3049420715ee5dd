// What became slower between two sides: two tables, two runs, two environments. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/analysis/compared_side.h"
#include "core/analysis/settle.h"
#include "core/base/result.h"
#include "core/base/texts.h"

namespace tunehub::analysis {

// The members of an environment that decide what a kernel of a name is. Where both sides give the
// same ones, and at least one, the same kernel is the same code.
inline constexpr std::array<std::string_view, 4> kVersions = {"rocm", "aiter", "driver",
                                                              "compiler"};

struct CompareLimits {
  double ignore_below_us = 4;  // a shorter golden time says more about the clock than the kernel
  double ratio = 1.005;        // slower: above ratio * golden + slack
  double slack_us = 0.5;
  double spread = kAgreeingSpread;
};

enum class Change : std::uint8_t {
  kSlower,      // a regression
  kUnstable,    // the runs of a side do not agree: to be measured again
  kSameKernel,  // slower by the rule, but the same kernel of the same versions: noise
  kRemoved,     // only in the base
  kNew,         // only in the head
  kSkipped,     // a side has the key, but no time
  kIgnored,     // the base's time is below ignore_below_us
  kFaster,
  kSame,
};
inline constexpr std::size_t kChanges = 9;
std::string_view Name(Change change);

// Of two settled times of a key, by the limits alone: kSlower, kFaster, kSame or kIgnored.
Change ChangeOfTimes(double base_us, double head_us, const CompareLimits& limits);
// Whether both give the same versions, and at least one: then a kernel of a name is the same code.
bool SameVersions(const Environment& base, const Environment& head);

struct Timed {
  double us = 0;
  std::string_view kernel;
};

// What it views is the comparison's.
struct Compared {
  KeyLines key;
  Change change = Change::kSame;
  std::optional<Timed> base, head;  // the fastest candidate of each side

  // The base has the key, the head does not or has no time of it: a kernel that crashes, say.
  bool lost() const { return change == Change::kRemoved || (base && !head); }
  // How many times faster the head is. Precondition: both are there.
  double speedup() const { return base->us / head->us; }
};

// It may be kept without its sides.
struct Comparison {
  Environment base_environment, head_environment;
  std::vector<Compared> keys;  // in the order of the base; what only the head has, last
  std::array<std::size_t, kChanges> counts{};
  std::size_t base_keys = 0, head_keys = 0;
  std::vector<double> speedups;  // of the keys that both have a time of
  bool same_versions = false;
  core::Texts texts;  // what the keys view

  std::size_t Count(Change change) const { return counts[static_cast<std::size_t>(change)]; }
  std::size_t lost() const;  // keys
};
std::size_t SizeOf(const Comparison& comparison);  // bytes

// Keys are joined by target and shape, or by shape where a side says no target. Error
// no_common_key.
core::Result<Comparison> Compare(const Side& base, const Side& head,
                                 const CompareLimits& limits = {});

}  // namespace tunehub::analysis
