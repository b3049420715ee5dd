// Writes to the registry: results of one family, and imports of many files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/system/tar.h"
#include "server/service/ingest/ingest_figures.h"
#include "server/service/ingest/receipt.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/snapshots.h"
#include "server/service/registry/write.h"
#include "server/store/store.h"

namespace tunehub::service {

class Ingest {
 public:
  Ingest(const Definitions& definitions, store::Store& store, Snapshots& snapshots)
      : definitions_(definitions), store_(store), snapshots_(snapshots) {}

  // Refusals: those of the readers, unknown_run, not_owner, key_limited, idempotency_key_reused,
  // rejected_rows (atomic), imports_only (of the family whose rows are lines of other tables).
  WriteAnswer Results(const core::Family& family, std::string_view body, BodyFormat format,
                      std::optional<std::int64_t> run, const WriteRequest& write);

  // Refusals: nothing_to_import, too_many_rows, too_many_tables, refused_files (atomic, or where an
  // earlier import of the source would lose the rows of a file that cannot be read), rejected_rows
  // (atomic), not_owner, key_limited, would_shrink. `source` "": none, nothing is superseded.
  // `about`: what is known of the run of these rows; each import is a run of its own, also where
  // another says the same of itself.
  WriteAnswer Import(const std::string& source, const std::vector<core::TarFile>& files,
                     const WriteRequest& write,
                     const std::optional<store::RunContent>& about = std::nullopt);

  const IngestFigures& figures() const { return figures_; }

 private:
  // Absent where the import is not known to be the one in force again.
  std::optional<WriteAnswer> Repeat(store::RunContent run, const std::string& content,
                                    const WriteRequest& write);
  WriteAnswer Commit(store::BatchRequest request, std::vector<registry::StagedRow> rows,
                     std::vector<FileReport>& reports, const WriteRequest& write);
  FileReport ReadFile(const std::vector<core::TarFile>& files, std::size_t index,
                      const store::RunContent& run, const WriteRequest& write,
                      std::vector<registry::StagedRow>& rows);
  std::vector<registry::StagedRow> ToStaged(const core::Family& family, core::TunedTable& table,
                                            std::optional<registry::Provider> provider,
                                            std::size_t file) const;

  const Definitions& definitions_;
  store::Store& store_;
  Snapshots& snapshots_;
  IngestFigures figures_;
};

}  // namespace tunehub::service
