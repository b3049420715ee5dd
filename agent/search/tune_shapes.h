// One list of shapes from what the hub knows to what it gets: what `tune`, `bench`, `pretune` and
// the daemon have in common.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/base/configuration.h"
#include "agent/device/this_device.h"
#include "agent/hub/hub_client.h"
#include "agent/search/session.h"

namespace tunehub::agent {

struct TuneTask : SessionOptions {
  DeviceInfo device;
  std::vector<Columns> shapes;
  // Beside what the hub knows; kAfter and kKnown: what is measured (kKnown, none: what was fastest
  // by the hub).
  std::vector<TunedRow> tuned;
  std::string arguments, campaign;  // of the run
};

// `hub` may be null. A hub that does not answer is noted; then nothing is known of neighbours.
// Errors: those of Session::Run.
core::Result<Summary> TuneShapes(const Configuration& configuration, const TuneTask& task,
                                 TuningDevice& device, const Spool& spool, Outbox& outbox,
                                 HubClient* hub, Observer& observer);

// Where the journal of this list of shapes is: the same list, family, target and purpose find it
// again. `arguments`: what else makes the measurements others.
std::filesystem::path JournalPath(const std::filesystem::path& state, const TuneTask& task,
                                  const std::string& arguments);

// One of several devices of one target that tune at a time: each takes its share of the shapes, in
// a thread and a session of its own, with a journal and a run of its own.
struct DeviceSide {
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
                                     const std::vector<DeviceSide>& sides, const Spool& spool,
                                     Observer& observer);

}  // namespace tunehub::agent
