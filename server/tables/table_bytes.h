// Renders tuned tables from rows.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/signature.h"
#include "core/family/family.h"
#include "server/answers/encoding.h"
#include "server/snapshots/snapshot.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

// The number of hexadecimal digits of the digest in an ETag.
inline constexpr std::size_t kEtagHex = 32;

// The refusal of a table whose rows do not cover all shapes that the request requires.
struct Uncovered {
  std::string detail;
  std::size_t count = 0;  // uncovered shapes
  std::string shapes;     // at most kMaxListed of them, as a JSON array
};

struct TableBytes {
  std::shared_ptr<const std::string> body;
  std::string sha256;  // the body's SHA-256
  // A strong ETag, in quotes: the start of sha256. It does not contain the revision's token, so
  // equal bytes keep their ETag after a restore.
  std::string etag;
  std::string content_type;
  std::size_t rows = 0;
  std::string missing_targets;  // requested targets without a row: "gfx950:128, gfx942:304"
  // number of rows left out because the padded lookup does not need them
  std::size_t pruned = 0;
  // Number of rows that a heuristic chose, without a time; absent: not requested.
  std::optional<std::size_t> filled;
  std::size_t unfilled = 0;  // shapes for which the heuristic chose a kernel that the build lacks
  std::shared_ptr<const Uncovered> uncovered;                // not null: the answer is this refusal
  std::vector<std::pair<std::string, std::string>> headers;  // Notes::headers
  std::optional<core::Pin> past;                             // the old revision of the table
};

// Notes to the client, in headers and JSON, about changes to an answer's rows.
struct Notes {
  std::vector<std::pair<std::string, std::string>> headers;
  // Members of the JSON answer besides family and rows. Null: none. The pointer is shared, because
  // notes are copied with every set of rows.
  std::shared_ptr<const nlohmann::ordered_json> members;

  void AddMember(const std::string& name, nlohmann::ordered_json value);
};

// The rows for a query. An old revision's `family` has that revision's columns.
struct RowSet {
  const core::Family* family = nullptr;
  std::vector<std::shared_ptr<const TunedRow>> rows;  // in order
  Notes notes = {};
  // True if the set contains only those rows of an old revision that the query may select.
  bool part = false;
};

// Returns the rows that pass the query's filters.
RowSet Select(const RowSet& set, const TunedQuery& query);

// Returns the number of rows that measured=only leaves out.
std::size_t CountUnmeasured(const RowSet& set, const TunedQuery& query);

// Errors: no_rows, which lists the existing targets if the set has all rows; legacy_ambiguous;
// legacy_unsupported.
core::Result<TableBytes> MakeTable(const RowSet& set, const TunedQuery& query);

// Renders the rows as a reader's file or tree. Precondition: query.form. Headers: Tunehub-Files
// (tree); Tunehub-Borrowed-Rows and Tunehub-Not-Borrowed-Rows unless 0. Errors: no_rows;
// bad_validators; not_borrowed (all rows are of another engine, which counts N in another way);
// other_columns (the revision is older than the family's columns); bad_parameter (several files
// would have one name). `key`: signs a tree's SHA256SUMS.
core::Result<TableBytes> MakeFiles(const RowSet& set, const TunedQuery& query,
                                   const core::SecretKey& key);

// A script for a shell to source from an unpacked archive. First it puts the archive's absolute
// path into `variable`, for `exports`. `beside`: a file of the archive.
std::string SourcedEnv(std::string_view variable, std::string_view beside,
                       std::string_view exports);

std::size_t SizeOf(const TableBytes& table);

// Stores the body with its digest and ETag.
void SetBody(std::string body, TableBytes& table);

// Returns the same table in another encoding. Precondition: `encoding` is not Encoding::kIdentity.
TableBytes Encode(const TableBytes& identity, Encoding encoding);

}  // namespace tunehub::server
