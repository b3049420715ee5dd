// What the server was started with: the families, the targets, and the database's number of each
// family.
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
  std::map<std::string, std::int16_t, std::less<>> ids;  // of the families, in the database
  std::filesystem::path models = {};                     // the folder of model files
  std::filesystem::path heuristics = {};                 // the folder of written heuristics
  core::Readers readers = {};
  std::vector<core::EngineReads> engine_reads = {};  // which tables engines read

  // Null: no engine is known, and every table counts that a model could ask.
  const core::EngineReads* UsualEngine() const {
    return engine_reads.empty() ? nullptr : &engine_reads.front();
  }
  std::int16_t Id(const core::Family& family) const { return ids.find(family.name)->second; }
  // By its number in the database; "": there is none.
  std::string NameOf(std::int16_t id) const {
    const auto found = std::ranges::find(ids, id, [](const auto& it) { return it.second; });
    return found == ids.end() ? "" : found->first;
  }
};

// The family files that the database has seen, parsed once.
class FamilyVersions {
 public:
  explicit FamilyVersions(ConnectionPool& pool) : pool_(pool) {}

  // Throws std::runtime_error where the database lacks the version or holds no valid file.
  std::shared_ptr<const core::Family> Get(std::int16_t family, int version);
  // All of a family: before its rows are streamed, since Get needs a connection beside the
  // stream's.
  void Learn(std::int16_t family);
  // Puts a line that was stored under a version of the family `id` into the columns of `to`, its
  // version in force. False: it does not fit. Throws as Get.
  bool Renew(const core::Family& to, std::int16_t id, int version, const core::Targets& targets,
             std::string& line);
  // A database that was restored may have others under the same numbers.
  void Forget();

 private:
  ConnectionPool& pool_;
  std::mutex mutex_;  // never held while the database is asked
  int era_ = 0;       // how often everything was forgotten
  std::map<std::pair<std::int16_t, int>, std::shared_ptr<const core::Family>> known_;
};

// The rows that `lines`, in the columns of `from`, are in `to`, in their order; nothing where one
// does not fit.
std::optional<std::vector<core::Row>> Reread(const core::Family& from, const core::Family& to,
                                             const core::Targets& targets,
                                             std::span<const std::string_view> lines,
                                             std::optional<double> error_limit = {});

// The row that `line`, in the columns of `from`, is in `to`; nothing where it does not fit.
std::optional<core::Row> Reread(const core::Family& from, const core::Family& to,
                                const core::Targets& targets, std::string_view line,
                                std::optional<double> error_limit = {});

}  // namespace tunehub::server
