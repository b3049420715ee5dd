// Between the tuner's words and AITER's: shapes in, candidates out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/aiter/tuners/aiter_tuner.h"
#include "agent/aiter/tuners/operator_rows.h"
#include "agent/hub/batch_file.h"
#include "agent/hub/outbox.h"
#include "agent/tuning/device/this_device.h"

namespace tunehub::agent::tuning {

// In the order of the family's untuned columns; those that say where are AITER's to fill.
std::vector<std::vector<std::string>> UntunedRows(const core::Family& family,
                                                  const std::vector<Columns>& shapes);

// How and where AITER's scripts ran. The device may be one that the driver does not list;
// `arguments` and `campaign` may be empty.
struct AiterContext {
  const tuners::AiterTuner& tuner;
  const tuners::AiterPlan& plan;
  const DeviceInfo& device;
  const core::Targets& targets;
  std::string arguments, campaign;
};

// A new run of one step. Errors: bad_provenance.
core::Result<NewRun> AiterRunOf(const AiterContext& context, tuners::AiterStep step);

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
                                      const std::vector<tuners::AiterTiming>& timings,
                                      tuners::AiterStep step, std::string_view tuned,
                                      Outbox& outbox);

}  // namespace tunehub::agent::tuning
