// Stores a batch without the service's checks, so that tests can store rows that no client can
// send.
#pragma once

#include <string>
#include <vector>

#include "server/ingest/batch_records.h"
#include "tests/support/registry.h"

namespace tunehub::test {

struct Batch {
  // Rows of a8w8_blockscale. The receipt is {}.
  Batch(Registry& registry, const std::string& csv, std::int64_t run);
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  std::vector<server::StagedRow> rows;
  server::BatchRequest request;
};

}  // namespace tunehub::test
