// Measured rows out of files of this host.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/base/configuration.h"
#include "agent/commands/contribute/contribution.h"
#include "core/base/hash128.h"
#include "core/base/result.h"

namespace tunehub::agent {

struct LocalResults {
  std::vector<std::string> files;   // tuned tables, as tuners write them
  std::vector<std::string> before;  // the same shapes as they run untuned
  std::string family;               // theirs; "": what each says
  std::string only;                 // an untuned table; "": every shape
  std::vector<std::string> runs;    // files with the JSON of POST /runs
};

using RowTimes = std::map<core::Hash128, double>;  // by the row's key
using BeforeTimes = std::map<const core::Family*, RowTimes>;

// What --before says. Errors: those of reading the files and of telling their families.
core::Result<BeforeTimes> ReadBefore(const Configuration& configuration,
                                     const LocalResults& results);

// One row a key, the best of several; what nobody may use is left out with its reason. Errors:
// those of reading the files and of telling their families; bad_run.
core::Result<Offer> OfferOfFiles(const Configuration& configuration, const LocalResults& results);
// With times that were read already.
core::Result<Offer> OfferOfFiles(const Configuration& configuration, const LocalResults& results,
                                 BeforeTimes& before);

// Keeps of the offer what the untuned table lists. Errors: those of ReadUntunedTable.
core::Status KeepListed(const std::string& untuned, Offer& offer);

}  // namespace tunehub::agent
