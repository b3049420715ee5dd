// The tune scripts of vLLM and SGLang, run in a folder of their own: before (what runs now), the
// tuning, after (what was found, by the engine's own lookup). The checkout is not written to.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/configuration.h"
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

struct TritonSettings : EngineSettings {
  std::filesystem::path root;  // the checkout that has the script
};

// The rows of one file that a script wrote, by the path that its engine's reader finds it by. What
// cannot be read is said in `remarks`.
using FileRows = std::function<std::vector<FoundRow>(
    const std::string& path, const std::string& bytes, std::vector<std::string>& remarks)>;

// Whatever was found is in the run, also after a failure. Errors: no_script, bad_model, no_triton
// (SGLang's folders are named by its version), bad_arguments, tuner_unstartable, file_unwritable.
core::Result<EngineRun> TuneTriton(const TritonSettings& settings, const EngineScript& script,
                                   const EngineWork& work, const FileRows& read,
                                   const EngineObserver& observer);

// Of the reader that the script's engine is. `configuration` must outlive it. Errors:
// unknown_reader, unknown_family.
core::Result<FileRows> FileRowsOf(const Configuration& configuration, const EngineScript& script);

}  // namespace tunehub::agent
