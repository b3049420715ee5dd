// Where tuned rows are looked for: in files, or at a hub.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "agent/base/configuration.h"
#include "agent/hub/hub_client.h"
#include "core/base/result.h"
#include "core/lookup/table.h"
#include "core/readers/tree_reader.h"
#include "core/row/target.h"

namespace tunehub::agent {

struct TargetRows {
  core::Target target;
  std::size_t rows = 0;
};

// What there is of one family.
struct FamilyRows {
  // As AITER's lookup sees it; null: nothing of the family, or of the target.
  std::unique_ptr<lookup::LoadedTable> table;
  std::vector<TargetRows> targets;  // that there are rows for, by name
  bool all_targets = true;          // else those of others are not known
  std::vector<std::string> files;   // that the rows are of
};

class RowSource {
 public:
  virtual ~RowSource() = default;
  // `target`: whose rows are wanted; gfx "": nobody knows, so those of all.
  virtual core::Result<FamilyRows> Read(const core::Family& family, const core::Target& target) = 0;
  // Canonical lines of the rows whose cells are these, whatever the other columns hold; none of a
  // family that the source has nothing of.
  virtual core::Result<std::vector<std::string>> LinesLike(
      const core::Family& family,
      const std::vector<std::pair<std::string, std::string>>& cells) = 0;
  virtual std::string Name() const = 0;  // "http://hub:8080", "3 tables"
  // A hub that may be asked for what is missing.
  virtual bool TakesDemand() const { return false; }
};

// `paths`: tables, configs folders, AITER trees, or a folder of a reader's files ("sglang:DIR"
// where it does not tell whose). `configuration` must outlive it. Errors: those of reading the
// files and of telling their families.
core::Result<std::unique_ptr<RowSource>> RowsOfTables(const Configuration& configuration,
                                                      const std::vector<std::string>& paths);

// Of a table: its rows' canonical lines. Errors: those of ReadTunedTable.
core::Result<std::vector<std::string>> LinesOfTable(const core::Family& family,
                                                    const core::Targets& targets,
                                                    std::string_view csv);

// All must outlive it.
std::unique_ptr<RowSource> RowsOfHub(const Configuration& configuration, const std::string& address,
                                     HubClient& hub, const RetryPolicy& retry,
                                     const Pauses& pauses);

}  // namespace tunehub::agent
