// Lines that were stored under another version of their family, in the columns of this one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/table/tuned_table.h"
#include "server/store/store.h"

namespace tunehub::service {

// The family files that the database has seen, parsed once.
class FamilyVersions {
 public:
  explicit FamilyVersions(store::Store& store) : store_(store) {}

  // Throws std::runtime_error where the database lacks the version or holds no valid file.
  std::shared_ptr<const core::Family> Get(std::int16_t family, int version);
  // All of a family: before its rows are streamed, since Get needs a connection beside the
  // stream's.
  void Learn(std::int16_t family);
  // A database that was restored may have others under the same numbers.
  void Forget();

 private:
  store::Store& store_;
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

}  // namespace tunehub::service
