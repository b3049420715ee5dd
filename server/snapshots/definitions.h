// The server's definitions from its start: families, targets, and the families' numbers in the
// database.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/family/families.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/readers/reader.h"
#include "core/shapes/engine_reads.h"
#include "core/table/tuned_table.h"
#include "server/db/connection_pool.h"

namespace tunehub::server {

struct Definitions {
  core::Families families;
  core::Targets targets;
  std::map<std::string, std::int16_t, std::less<>> ids;  // the families' numbers in the database
  std::filesystem::path models = {};                     // the folder of model files
  std::filesystem::path heuristics = {};                 // the folder of written heuristics
  core::Readers readers = {};
  std::vector<core::EngineReads> engine_reads = {};  // the tables that each engine reads

  // Returns the first engine. Null: no engine is known, so every table that a model could use
  // counts.
  const core::EngineReads* UsualEngine() const {
    return engine_reads.empty() ? nullptr : &engine_reads.front();
  }
  std::int16_t Id(const core::Family& family) const { return ids.find(family.name)->second; }
  // Returns the family with that number in the database, or null if there is none.
  const core::Family* FamilyOf(std::int16_t id) const { return families.Find(NameOf(id)); }
  // Returns the name of that family, even if this server does not know the family; "": there is
  // none.
  std::string NameOf(std::int16_t id) const {
    const auto found = std::ranges::find(ids, id, [](const auto& it) { return it.second; });
    return found == ids.end() ? "" : found->first;
  }
};

// The database's versions of family files, each parsed once.
class FamilyVersions {
 public:
  explicit FamilyVersions(ConnectionPool& pool) : pool_(pool) {}

  // Throws std::runtime_error if the database lacks the version or its file is invalid.
  std::shared_ptr<const core::Family> Get(std::int16_t family, int version);
  // Reads all versions of a family. Call it before you stream rows of the family. Otherwise Get
  // would need a second connection during the stream.
  void Learn(std::int16_t family);
  // Converts a line from the columns of an older version to the columns of `to`, the current
  // version of the family `id`. Returns false if the line does not fit. Throws the same exceptions
  // as Get.
  bool Renew(const core::Family& to, std::int16_t id, int version, const core::Targets& targets,
             std::string& line);
  // Call it after a restore, because the same numbers may then mean other versions.
  void Forget();

 private:
  ConnectionPool& pool_;
  std::mutex mutex_;  // never held during a query
  int era_ = 0;       // number of calls of Forget
  std::map<std::pair<std::int16_t, int>, std::shared_ptr<const core::Family>> known_;
};

// Reads `lines`, which have the columns of `from`, as rows in the columns of `to`, in the same
// order. Returns nothing if a line does not fit.
std::optional<std::vector<core::Row>> Reread(const core::Family& from, const core::Family& to,
                                             const core::Targets& targets,
                                             std::span<const std::string_view> lines,
                                             std::optional<double> error_limit = {});

// Does the same for one line.
std::optional<core::Row> Reread(const core::Family& from, const core::Family& to,
                                const core::Targets& targets, std::string_view line,
                                std::optional<double> error_limit = {});

}  // namespace tunehub::server
