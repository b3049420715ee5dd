// Tuning on several devices of one target at a time: each takes its share of the shapes, in a
// thread and a session of its own, with a journal and a run of its own.
#pragma once

#include <string>
#include <vector>

#include "agent/search/tune_shapes.h"

namespace tunehub::agent {

struct Side {
  std::string name;  // for people: "GPU 1"
  TuningDevice& device;
  Outbox& outbox;
  HubClient* hub;  // may be null
  TuneTask task;   // with its share of the shapes
};

// Share i has shapes i, i + count, ...: the same again after a kill.
std::vector<Columns> ShareOf(const std::vector<Columns>& shapes, std::size_t share,
                             std::size_t count);

// What all of them came to. Where a device is lost the others go on; that is noted, and the shapes
// it leaves count as failed. Errors, where every one of them has one: those of TuneShapes, the
// first side's.
core::Result<Summary> TuneSideBySide(const Configuration& configuration,
                                     const std::vector<Side>& sides, const Spool& spool,
                                     Observer& observer);

}  // namespace tunehub::agent
