// What the server was started with: the families, the targets, and the database's number of each
// family.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/family/families.h"
#include "core/family/targets.h"
#include "core/readers/reader.h"
#include "core/shapes/engine_reads.h"

namespace tunehub::service {

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
};

}  // namespace tunehub::service
