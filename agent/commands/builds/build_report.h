// What the hub's answer says of its rows in a build.
#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "agent/aiter/build_scan.h"
#include "agent/base/command.h"
#include "agent/hub/hub_client.h"
#include "core/builds/build_fit.h"

namespace tunehub::agent {

// Rows of one family that are not effective, by the module that decides ("-": none is known).
struct ModuleRows {
  std::string family, module, state;
  std::size_t rows = 0;
};

struct BuildReport {
  std::string build;                                 // NAME@SHA256; "": the answer is for no build
  std::array<std::size_t, core::kRowStates> rows{};  // by core::RowState
  std::size_t substituted = 0, unfilled = 0;
  std::vector<ModuleRows> modules;

  std::size_t Of(core::RowState state) const { return rows.at(static_cast<std::size_t>(state)); }
  // Rows that are impossible because the module is none that the tree has.
  std::size_t LackedBy(const std::string& module) const;
};

BuildReport ReadBuildReport(const Answer& answer);

// On console.err, after `who`; nothing where the answer is for no build. `absent` names places.
void PrintBuildReport(const BuildReport& report, const std::vector<AbsentModule>& absent,
                      const std::string& who, Console& console);

// Null where the answer is for no build.
nlohmann::ordered_json ToJson(const BuildReport& report);

}  // namespace tunehub::agent
