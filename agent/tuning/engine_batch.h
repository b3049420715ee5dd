// What a run by an engine's own script found, on its way to the hub.
#pragma once

#include <string>

#include "agent/engines/engine_run.h"
#include "agent/hub/batch_file.h"
#include "agent/hub/outbox.h"
#include "agent/tuning/device/this_device.h"

namespace tunehub::agent::tuning {

// A new run of `run` on `device`, which may be one that no driver lists. `arguments` and `campaign`
// may be empty. Errors: bad_provenance.
core::Result<NewRun> EngineRunOf(const engines::EngineRun& run, const DeviceInfo& device,
                                 const core::Devices& devices, const std::string& arguments,
                                 const std::string& campaign);

// Its rows as a batch of that run. Errors: spool_full, file_unwritable.
core::Status SpoolRows(const engines::EngineRun& run, const NewRun& new_run, Outbox& outbox);

}  // namespace tunehub::agent::tuning
