// Runs of tuners, and rows that a tune script measured as batches of them for the hub.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/device/this_device.h"
#include "agent/engines/aiter_results.h"
#include "agent/engines/aiter_tuner.h"
#include "agent/engines/engine_run.h"
#include "agent/hub/outbox.h"
#include "agent/hub/spool.h"

namespace tunehub::agent {

// A new run of these NAME=VALUE, and of those of `texts` that say something. Errors:
// bad_provenance.
core::Result<NewRun> NewRunOf(
    std::vector<std::string> members,
    std::initializer_list<std::pair<const char*, const std::string&>> texts);

// In the order of the family's untuned columns; those that say where are AITER's to fill.
std::vector<std::vector<std::string>> UntunedRows(const core::Family& family,
                                                  const std::vector<Columns>& shapes);

// How and where AITER's scripts ran. The device may be one that the driver does not list;
// `arguments` and `campaign` may be empty.
struct AiterContext {
  const AiterTuner& tuner;
  const AiterPlan& plan;
  const DeviceInfo& device;
  const core::Targets& targets;
  std::string arguments, campaign;
};

// A new run of one step. Errors: bad_provenance.
core::Result<NewRun> AiterRunOf(const AiterContext& context, AiterStep step);

// Every candidate of `csv`, a table with the family's header, as batches of `run`. Errors:
// spool_full, file_unwritable.
core::Status SpoolCandidates(const core::Family& family, const std::string& csv, const NewRun& run,
                             Outbox& outbox);

struct SpooledBench {
  std::size_t rows = 0;
  std::string why;  // there are none; "": there are
};
// What a bench timed as a run of its own, `tuned` being the table that one after tuning ran with.
// Errors: bad_provenance, those of reading `tuned`, spool_full, file_unwritable.
core::Result<SpooledBench> SpoolBench(const AiterContext& context,
                                      const std::vector<AiterTiming>& timings, AiterStep step,
                                      std::string_view tuned, Outbox& outbox);

// A new run of `run` on `device`, which may be one that no driver lists. `arguments` and `campaign`
// may be empty. Errors: bad_provenance.
core::Result<NewRun> EngineRunOf(const EngineRun& run, const DeviceInfo& device,
                                 const core::Devices& devices, const std::string& arguments,
                                 const std::string& campaign);

// Its rows as a batch of that run. Errors: spool_full, file_unwritable.
core::Status SpoolRows(const EngineRun& run, const NewRun& new_run, Outbox& outbox);

}  // namespace tunehub::agent
