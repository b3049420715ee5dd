// The tables and bundles of one revision as files: of a family, of each architecture in it, and of
// each target.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/base/pin.h"
#include "server/ops/static_export.h"

namespace tunehub::server {

struct TableTarget {
  std::string gfx;
  int cu_num = 0;  // 0: any; of rows: they say none

  auto operator<=>(const TableTarget&) const = default;
};

struct FamilyRows {
  nlohmann::ordered_json rows;    // as /tuned gives them, an array of objects
  std::set<TableTarget> targets;  // that they are of
};

// What one revision has, in the order of the registry's families; none without a row.
struct RevisionRows {
  core::Pin revision;
  bool newest = false;  // its rows are in memory: the others are asked for by their pin
  std::string folder;   // below the export's own: "", or "revisions/7/"
  std::vector<std::pair<std::string, FamilyRows>> families;
};

TableTarget TargetOf(const nlohmann::ordered_json& row);
std::string NameOf(const TableTarget& target);    // "gfx942_304", "gfx942"
http::Fields QueryOf(const TableTarget& target);  // what asks for its rows

// What follows throws ExportFailed.

// The newest goes to the top of the export, any other to a folder of its own. Errors: no_rows where
// no family has any, unknown_revision.
RevisionRows ReadRevision(const HubReader& reader, const core::Pin& revision, bool newest);

// Adds to `index` what it wrote: a member per file in "tables" and "bundles".
void WriteTables(const HubReader& reader, const RevisionRows& of, core::FolderDraft& folder,
                 nlohmann::ordered_json& index);

// What the dashboard of an export asks for, asked beforehand: a file per answer, and which address
// it is the answer to, in data/answers.json: {"answers": {address: file}, "rows": {family:
// [file]}}. `of`: the newest revision.
void WriteAnswers(const HubReader& reader, const RevisionRows& of, core::FolderDraft& folder);

}  // namespace tunehub::server
