// Which candidates of a shape are screened, and in which order. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "agent/tuning/device/device.h"
#include "agent/tuning/device/measurement.h"

namespace tunehub::agent::tuning {

// What is known before a shape is tuned.
struct Hints {
  // What was fast on neighbours, the likeliest first.
  std::vector<Columns> likely;
  // What the registry serves for this very shape.
  std::optional<Columns> incumbent;
};

// Without hints a plan is every candidate. With them it is the likely ones, then whatever differs
// least from the best so far, until the budget is spent.
class Plan {
 public:
  // `cut` false: every candidate, the likely ones first.
  Plan(const Offer& offer, const Hints& hints, bool cut);

  // The next to screen; nothing where the plan is done. `measured` holds, by candidate, what was
  // screened so far.
  std::optional<std::size_t> Next(const std::vector<std::optional<Measurement>>& measured);

 private:
  void Queue(std::size_t candidate);
  // The one that differs least from the best of `measured`; nothing where all are queued.
  std::optional<std::size_t> Nearest(const std::vector<std::optional<Measurement>>& measured) const;

  const Offer& offer_;
  std::vector<std::size_t> queue_;
  std::vector<bool> queued_;
  std::size_t next_ = 0;
  std::size_t budget_;
};

}  // namespace tunehub::agent::tuning
