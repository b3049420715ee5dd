// Rows of a run by vLLM's or SGLang's scripts: what their files hold, with the times that the same
// scripts printed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/engines/engine_run.h"

namespace tunehub::agent {

// What the MoE scripts of vLLM and SGLang print: the config that runs at a number of tokens and its
// time, where it comes from, and how far a tuning is. Pure; every unknown line is passed over.

// A Python dict of plain values as compact JSON; nothing where it is none.
std::optional<std::string> JsonOfPython(std::string_view text);

struct TimedConfig {
  std::string config;  // compact JSON, members as printed
  std::string us;      // as printed
};

class ScriptOutput {
 public:
  // "Batch size: 16, config: {'BLOCK_SIZE_M': 16, ...}" and "Kernel time: 12.34 us" behind it.
  void Add(std::string_view line);

  const std::map<int, TimedConfig>& timed() const { return timed_; }  // by number of tokens
  // Whether what was timed is the engine's default: it said so, and named no file.
  bool is_default() const { return said_default_ && !said_file_; }
  int tuned() const { return tuned_; }  // numbers of tokens that are done

 private:
  std::map<int, TimedConfig> timed_;
  std::optional<int> open_;  // its time has not come yet
  std::string config_;
  bool said_default_ = false, said_file_ = false;
  int tuned_ = 0;
};

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

}  // namespace tunehub::agent
