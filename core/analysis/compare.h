// What became slower between two sides: two tables, two runs, two environments. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/analysis/change.h"
#include "core/analysis/compared_side.h"
#include "core/base/result.h"
#include "core/base/texts.h"

namespace tunehub::analysis {

struct Timed {
  double us = 0;
  std::string_view kernel;
};

// What it views is the comparison's.
struct Compared {
  KeyLines key;
  Change change = Change::kSame;
  bool in_base = false, in_head = false;  // with a time or without
  bool is_stable = true;                  // the runs of each side agree
  bool same_kernel = false;               // the sides' fastest candidate is the same one
  std::optional<Timed> base, head;        // the fastest candidate of each side

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
  Environments environments;
  std::shared_ptr<const core::Texts> texts;  // what the keys view

  std::size_t Count(Change change) const { return counts[static_cast<std::size_t>(change)]; }
  std::size_t lost() const;  // keys
};
// In bytes. Texts that comparisons share count for each: they live as long as any of them.
std::size_t SizeOf(const Comparison& comparison);

// Keys are joined by target and shape, or by shape where a side says no target. Error
// no_common_key.
core::Result<Comparison> Compare(const Side& base, const Side& head,
                                 const CompareLimits& limits = {});

// What a target is called among the keys that are wanted; nothing: its keys are not.
using WantedTarget = std::function<std::optional<std::string_view>(std::string_view target)>;
// The keys of `whole` that are wanted, judged by `limits`: the answer of Compare for these keys
// alone. Both sides of `whole` said their targets, and its spread was that of `limits`. What
// `wanted` answers views what it was asked. Error no_common_key.
core::Result<Comparison> Narrowed(const Comparison& whole, const WantedTarget& wanted,
                                  const CompareLimits& limits);

}  // namespace tunehub::analysis
