// A lookup's answer with its reasons, as JSON, for the server and for the offline agent.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "core/builds/manifest.h"
#include "core/lookup/table.h"

namespace tunehub::analysis {

struct Question {
  const core::FamilyShape& shape;
  std::string_view gfx;
  int cu_num = 0;  // 0: the family has no CU counts
  // If given, the answer's member "build" contains the row's state in this build (core::RowState).
  const core::Manifest* build = nullptr;
};

nlohmann::ordered_json LookupJson(const lookup::Table& table, const Question& question);

}  // namespace tunehub::analysis
