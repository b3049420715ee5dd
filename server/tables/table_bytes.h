// A tuned table as it goes over the wire, and how it is made from rows.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "server/answers/encoding.h"
#include "server/snapshots/snapshot.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

// Of the digest in an ETag.
inline constexpr std::size_t kEtagHex = 32;

// Why no table is served although its rows are there: a build asked for more than they answer.
struct Uncovered {
  std::string detail;
  std::size_t count = 0;  // of shapes
  std::string shapes;     // kMaxListed of them at most, as a JSON array
};

struct TableBytes {
  std::shared_ptr<const std::string> body;
  std::string sha256;  // of the body
  // Strong, quoted, the front of the digest, and no token: equal bytes have one ETag, whatever was
  // restored.
  std::string etag;
  std::string content_type;
  std::size_t rows = 0;
  std::string missing_targets;  // asked for, without a row: "gfx950:128, gfx942:304"
  std::size_t pruned = 0;       // rows left out because the padded lookup does not need them
  // Rows that a heuristic wrote, without a time; nothing where it was not asked.
  std::optional<std::size_t> filled;
  std::size_t unfilled = 0;  // rows that it did not write, since the build lacks their kernels
  std::shared_ptr<const Uncovered> uncovered;  // not null: the answer, in place of the body
  std::vector<std::pair<std::string, std::string>> headers;  // Notes::headers
  std::optional<core::Pin> past;                             // the old revision that it is of
};

// What was done to the rows of an answer, for whoever reads it.
struct Notes {
  std::vector<std::pair<std::string, std::string>> headers;
  // An object: what the JSON answer has beside its family and rows. Null: nothing. Shared, because
  // notes are copied with every set of rows.
  std::shared_ptr<const nlohmann::ordered_json> members;

  void AddMember(const std::string& name, nlohmann::ordered_json value);
};

// The rows that a query asks for. `family` gives the columns: an old revision has its own.
struct RowSet {
  const core::Family* family = nullptr;
  std::vector<std::shared_ptr<const TunedRow>> rows;  // in order
  Notes notes = {};
  // Of an old revision: rows that no query of it selects are missing.
  bool part = false;
};

// The rows of the set that the query's filters let through.
RowSet Select(const RowSet& set, const TunedQuery& query);

// How many rows measured=only leaves out.
std::size_t CountUnmeasured(const RowSet& set, const TunedQuery& query);

// Whether the row passes the query's filters. `scratch` is room to work in, made once for all rows.
bool IsSelected(const TunedRow& row, const TunedQuery& query, std::string& scratch);

// Whether the cells are of one of the libtypes that the query asks for, if it asks for any.
bool IsAskedLibtype(const core::Family& family, const TunedQuery& query, const core::Cells& cells);

// Whether the row's key, whatever its values, passes the query's filters of key columns and
// targets.
bool HasKeyOf(const core::Family& family, const TunedRow& row, const TunedQuery& query,
              std::string& scratch);

// Errors: no_rows (names the targets that exist, where the set has all rows), legacy_ambiguous,
// legacy_unsupported.
core::Result<TableBytes> MakeTable(const RowSet& set, const TunedQuery& query);

// The same rows as a reader's file or tree. Precondition: query.form. Headers: Tunehub-Files (of a
// tree), Tunehub-Borrowed-Rows and Tunehub-Not-Borrowed-Rows, where there are such. Errors:
// no_rows, not_borrowed (all rows are of another engine that counts N in another way),
// other_columns (of a revision from before the family got its columns), bad_validators, and
// bad_parameter (one name would stand for several files).
core::Result<TableBytes> MakeFiles(const RowSet& set, const TunedQuery& query);

std::size_t SizeOf(const TableBytes& table);

// With its digest and ETag.
void SetBody(std::string body, TableBytes& table);

// The same table in another encoding. Precondition: not Encoding::kIdentity.
TableBytes Encode(const TableBytes& identity, Encoding encoding);

}  // namespace tunehub::server
