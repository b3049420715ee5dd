// Measured rows out of files of this host.
#pragma once

#include <string>
#include <vector>

#include "agent/base/configuration.h"
#include "agent/commands/contribute/contribution.h"
#include "core/base/result.h"

namespace tunehub::agent {

struct LocalResults {
  std::vector<std::string> files;   // tuned tables, as tuners write them
  std::vector<std::string> before;  // the same shapes as they run untuned
  std::string family;               // theirs; "": what each says
  std::string only;                 // an untuned table; "": every shape
  std::vector<std::string> runs;    // files with the JSON of POST /runs
};

// What the members of a reader's files say: `files` are folders of them, or tables of its families.
// Rows without a time are offered too, as declared. Errors: those of OfferOfFiles, and of reading
// the folders.
core::Result<Offer> OfferOfReader(const Configuration& configuration, const core::Reader& reader,
                                  const LocalResults& results);

// One row a key, the best of several; what nobody may use is left out with its reason. Errors:
// those of reading the files and of telling their families; bad_run.
core::Result<Offer> OfferOfFiles(const Configuration& configuration, const LocalResults& results);

// Keeps of the offer what the untuned table lists. Errors: those of ReadUntunedTable.
core::Status KeepListed(const std::string& untuned, Offer& offer);

}  // namespace tunehub::agent
