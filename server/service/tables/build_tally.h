// How many rows are what in a build, in headers and JSON.
#pragma once

#include <array>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "core/builds/build_fit.h"
#include "server/service/tables/table_bytes.h"

namespace tunehub::service {

// One header for each state.
inline constexpr std::array<const char*, core::kRowStates> kStateHeaders = {
    "Tunehub-Build-Effective", "Tunehub-Build-After-Rebuild", "Tunehub-Build-Raises-Until-Rebuild",
    "Tunehub-Build-Impossible"};
// "bf16/asm:impossible=12, a8w8/gemm_a8w8:after_rebuild=7": of rows that are not effective. The
// module is "-" where none is known.
inline constexpr const char* kModulesHeader = "Tunehub-Build-Modules";

class BuildTally {
 public:
  explicit BuildTally(const core::Family& family) : family_(family) {}

  void Add(const core::RowVerdict& verdict);
  void AddHeaders(Notes& notes) const;  // kModulesHeader only where it says something
  // {"effective": 5, ..., "modules": [{"module": "asm", "state": "impossible", "rows": 12}]}
  nlohmann::ordered_json ToJson() const;

 private:
  const core::Family& family_;
  std::array<std::size_t, core::kRowStates> counts_{};
  std::map<std::pair<std::string, core::RowState>, std::size_t> modules_;
};

}  // namespace tunehub::service
