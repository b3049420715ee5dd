// Rows out of folders of a reader's files on this host.
#pragma once

#include "agent/base/configuration.h"
#include "agent/commands/contribute/contribution.h"
#include "agent/commands/contribute/local_offer.h"
#include "core/base/result.h"

namespace tunehub::agent {

// `results.files` are folders of the reader's files, or tables. One row a key: the fastest, a
// measured before a declared one, the first of equals. Errors: those of OfferOfFiles, and of
// reading the folders.
core::Result<Offer> OfferOfReader(const Configuration& configuration, const core::Reader& reader,
                                  const LocalResults& results);

}  // namespace tunehub::agent
