// Several batches of one family in one transaction. Each keeps what it would have alone: its row,
// its revision, its receipt, its line in the audit.
#pragma once

#include <pqxx/pqxx>
#include <vector>

#include "server/db/transaction.h"
#include "server/ingest/batch_records.h"
#include "server/ingest/stage_store.h"

namespace tunehub::server {

// Batches that MayGoTogether and have no key of a row in common, nor an idempotency key. As many
// statements as one batch has. No answer, and nothing done, for a batch that must go alone: its
// idempotency key is known, its run is not there, is another's, was reverted or has the rows
// already; and for all of them where the transaction finds that one of them fails. Those locks are
// held that a batch takes.
Ending<std::vector<GroupAnswer>> WriteTogether(pqxx::work& transaction,
                                               const std::vector<const BatchRequest*>& requests);

}  // namespace tunehub::server
