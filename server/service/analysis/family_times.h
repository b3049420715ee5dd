// The times of a family's competing candidates in memory, read again when something was measured.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/service/registry/definitions.h"
#include "server/service/registry/lines.h"
#include "server/store/store.h"

namespace tunehub::service {

struct CandidateTime {
  std::string line;      // in the columns of the family version in force
  std::string identity;  // core::AppendCandidateText
  double us = 0;
  bool is_default = false;  // the agent that measured it says so
};

struct KeyTimes {
  std::string gfx;
  int cu_num = 0;
  std::string campaign;                   // of the winner's run
  std::vector<CandidateTime> candidates;  // the winner first
};

struct FamilyTimes {
  core::Pin writes;            // store::Heads, when it was read
  std::vector<KeyTimes> keys;  // those with more than one candidate, in the order of the CSV
};

class TimeTables {
 public:
  TimeTables(const Definitions& definitions, store::Store& store, FamilyVersions& versions)
      : definitions_(definitions), store_(store), versions_(versions) {}

  // Candidates come without a new revision, so the database is asked whether there were writes.
  // While it is gone the last ones stand. Throws Unavailable where there are none yet.
  std::shared_ptr<const FamilyTimes> Get(const core::Family& family);

 private:
  std::shared_ptr<const FamilyTimes> Read(const core::Family& family, const core::Pin& writes);

  const Definitions& definitions_;
  store::Store& store_;
  FamilyVersions& versions_;
  std::mutex mutex_;  // one reading at a time
  std::map<std::int16_t, std::shared_ptr<const FamilyTimes>> known_;
};

}  // namespace tunehub::service
