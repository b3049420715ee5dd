// A tuned table as it goes over the wire, and how it is made from rows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/family.h"
#include "core/result.h"
#include "server/service/snapshot.h"
#include "server/service/tuned_query.h"

namespace tunehub::service {

enum class Encoding { kIdentity, kGzip, kZstd };

struct TableBytes {
  std::shared_ptr<const std::string> body;
  std::string etag;  // strong, quoted, of these very bytes
  std::string content_type;
  std::size_t rows = 0;
  std::string missing_targets;  // asked for, without a row: "gfx950:128, gfx942:304"
};

// The rows that a query asks for. `family` gives the columns: an old revision has its own.
struct RowSet {
  const core::Family* family = nullptr;
  std::vector<std::shared_ptr<const TunedRow>> rows;  // in order
};

// Errors: no_rows (names the targets that exist), legacy_ambiguous, legacy_unsupported.
core::Result<TableBytes> MakeTable(const RowSet& set, const TunedQuery& query);

// The same table in another encoding.
TableBytes Encode(const TableBytes& identity, Encoding encoding);

// The best encoding that an Accept-Encoding header allows (RFC 9110 12.5.3); absent: identity.
Encoding Negotiate(std::string_view accept_encoding);
std::string_view Name(Encoding encoding);  // "gzip"

}  // namespace tunehub::service
