// Writes the tables and bundles of one revision as files. There are files for each family, each
// target, and each architecture with several targets.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/base/pin.h"
#include "server/ops/static_export.h"

namespace tunehub::server {

struct TableTarget {
  std::string gfx;
  int cu_num = 0;  // 0: any; in a row: unknown

  auto operator<=>(const TableTarget&) const = default;
};

struct FamilyRows {
  nlohmann::ordered_json rows;    // an array of objects, as in an answer of GET /tuned
  std::set<TableTarget> targets;  // all targets of these rows
};

// One revision's rows, in the order of the registry's families, without empty families.
struct RevisionRows {
  core::Pin revision;
  bool newest = false;  // false: requests name the revision's pin
  std::string folder;   // relative to the export: "", or "revisions/7/"
  std::vector<std::pair<std::string, FamilyRows>> families;
};

TableTarget TargetOf(const nlohmann::ordered_json& row);
std::string NameOf(const TableTarget& target);    // "gfx942_304", "gfx942"
http::Fields QueryOf(const TableTarget& target);  // the query for its rows

// The functions below throw ExportFailed.

// Reads the rows of `revision`. Files of the newest revision go to the top folder of the export.
// Files of an older revision go to revisions/NUMBER/. Errors: unknown_revision; no_rows if no
// family has rows.
RevisionRows ReadRevision(const HubReader& reader, const core::Pin& revision, bool newest);

// Adds a member to "tables" or "bundles" of `index` for each written file.
void WriteTables(const HubReader& reader, const RevisionRows& of, core::FolderDraft& folder,
                 nlohmann::ordered_json& index);

// Stores the answers for an export's dashboard, compressed, one file per answer.
// data/answers.json.gzip lists the file for each address: {address: file}. `of`: the newest
// revision.
void WriteAnswers(const HubReader& reader, const RevisionRows& of, core::FolderDraft& folder);

}  // namespace tunehub::server
