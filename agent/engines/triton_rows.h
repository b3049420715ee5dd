// Rows of a run by vLLM's or SGLang's scripts: what their files hold, with the times that the same
// scripts printed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/engines/engine_run.h"
#include "agent/engines/script_output.h"

namespace tunehub::agent::engines {

// A row of a found file, by column; without a time.
using FoundRow = std::map<std::string, std::string>;

// What one start of a script found, and what it timed before and after.
struct TritonStart {
  std::vector<FoundRow> rows;
  ScriptOutput before, after;
};

// The body of POST /results, "" without a row; counts what is in it. A row has the time that was
// printed for the same number of tokens and the same config; without one it is declared. What ran
// before is a row of its own, marked as the default where the engine said that it is.
std::string TritonRowsBody(const std::vector<TritonStart>& starts, EngineRun& run);

}  // namespace tunehub::agent::engines
