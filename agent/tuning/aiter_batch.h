// Between the tuner's words and AITER's: shapes in, candidates out.
#pragma once

#include <string>
#include <vector>

#include "agent/aiter/tuners/aiter_tuner.h"
#include "agent/hub/batch_file.h"
#include "agent/hub/outbox.h"
#include "agent/tuning/device/this_device.h"

namespace tunehub::agent::tuning {

// In the order of the family's untuned columns; those that say where are AITER's to fill.
std::vector<std::vector<std::string>> UntunedRows(const core::Family& family,
                                                  const std::vector<Columns>& shapes);

// A new run of `plan` on `device`, which may be one that the driver does not list. `arguments` and
// `campaign` may be empty. Errors: bad_provenance.
core::Result<NewRun> AiterRunOf(const tuners::AiterTuner& tuner, const tuners::AiterPlan& plan,
                                const DeviceInfo& device, const core::Devices& devices,
                                const std::string& arguments, const std::string& campaign);

// Every candidate of `csv`, a table with the family's header, as batches of `run`. Errors:
// spool_full, file_unwritable.
core::Status SpoolCandidates(const core::Family& family, const std::string& csv, const NewRun& run,
                             Outbox& outbox);

}  // namespace tunehub::agent::tuning
