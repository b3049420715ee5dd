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

struct TuneTask {
  const core::Family* family = nullptr;
  core::Target target;
  DeviceInfo device;
  std::vector<Columns> shapes;
  // Beside what the hub knows; kAfter and kKnown: what is measured (kKnown, none: what was fastest
  // by the hub).
  std::vector<TunedRow> tuned;
  Purpose purpose = Purpose::kTune;
  bool all = false;
  SearchOptions search;
  std::string label, arguments, campaign;  // of the run
  std::filesystem::path journal;
  bool keep_journal = false;  // also when all is done: the caller removes it
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

// The path beside the spool: ~/.local/state/tunehub/tune.
std::filesystem::path DefaultState();

}  // namespace tunehub::agent
