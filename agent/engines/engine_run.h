// The engines' own tune scripts, and what a run of one leaves: rows that can be pushed, and files
// as the engine reads them.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/configuration.h"
#include "agent/engines/aiter_results.h"
#include "agent/engines/script_command.h"
#include "core/base/result.h"
#include "core/row/tunable_line.h"

namespace tunehub::agent {

// "vllm 0.11.0", "triton 3.4.0", "torch 2.8.0": those of them that `python` has.
std::vector<std::string> VersionsOf(const std::string& python);

// The folder that SGLang looks into under this Triton: "triton_3_4_0". Errors: no_triton.
core::Result<std::string> TritonFolderOf(const std::string& python);

// What --model says to a script: a folder or a name as it is; a config.json gets a folder of its
// own in `home`, since the scripts want one. Errors: bad_model, file_unreadable, file_unwritable.
core::Result<std::string> ModelOf(const std::string& model, const std::filesystem::path& home);

struct EngineSettings : ScriptSettings {
  std::map<std::string, std::string> environment;  // which GPUs the script sees
};

struct EngineRun {
  std::string family;
  std::string tuner;  // "vllm benchmark_moe.py", of the run's provenance
  std::string rows;   // the body of POST /results, as JSON; "": no row
  std::size_t measured = 0, declared = 0, defaults = 0;  // of these rows
  std::map<std::string, std::string> files;              // path below the reader's folder -> bytes
  std::string device;                 // as the engine's file names have it; "": not said
  std::vector<std::string> versions;  // "torch 2.11.0": what the script said of itself
  AiterReport report;
};

// `work`/NAME_STAMP, empty. Errors: file_unwritable.
core::Result<std::filesystem::path> FreshFolder(const std::filesystem::path& work,
                                                const std::string& name);

// What the run has become, by the number of shapes that have a row: Python ends with 1 also where
// nothing is there.
void SettleOutcome(AiterReport& report);

// "NVIDIA H200" -> "NVIDIA_H200"
std::string DeviceFileName(std::string_view name);

// The tune scripts of vLLM and SGLang: where they lie in a checkout, and what they take. Facts of
// the engines, read from their sources; a script that has lost an option is told by its text.
struct EngineScript {
  std::string_view tuner;     // "vllm"; also the reader of the files that it writes
  std::string_view family;    // what these files hold
  std::string_view path;      // below the checkout
  bool model = false;         // its shapes are those of --model, in --dtype; else a list of its own
  std::string_view ep;        // its option of expert parallelism, "": none
  bool ep_is_flag = false;    // that says no number: over all of --tp
  std::string_view save;      // its option of the folder to write to, "": where it was started
  bool benches = false;       // without --tune it times what runs now
  std::string_view variable;  // of its engine, for a folder of tuned files
};

// Null: that engine has no script for the family.
const EngineScript* FindEngineScript(std::string_view tuner, std::string_view family);

// What is to be tuned.
struct EngineWork {
  std::string model = {};      // a name of Hugging Face's, a folder, or a config.json
  std::string dtype = {};      // "": the script's default
  int tp = 0, ep = 0;          // 0: the script's default
  std::vector<int> grid = {};  // numbers of tokens; empty: the script's own ladder
};

// Errors: bad_arguments, what the script does not take, or needs.
core::Status CheckEngineWork(const EngineScript& script, const EngineWork& work);

// The text of a script: what it has, as far as it says so.
class ScriptText {
 public:
  explicit ScriptText(std::string text) : text_(std::move(text)) {}
  // Such as "--batch-sizes".
  bool Has(std::string_view option) const { return Find(option) != std::string::npos; }
  // Whether the option takes several values.
  bool TakesSeveral(std::string_view option) const;

 private:
  std::size_t Find(std::string_view option) const;
  std::string text_;
};

// Which numbers of tokens one start tunes: all of them where the script takes a list, else each
// alone; one empty list where there is no grid.
std::vector<std::vector<int>> StartsOf(const ScriptText& text, const std::vector<int>& grid);

// The script's arguments, without the program and the script. `model`: what --model says; `save`:
// the folder for its files. Errors: bad_arguments, an option that this script lacks.
core::Result<std::vector<std::string>> ArgumentsOf(const EngineScript& script,
                                                   const ScriptText& text, const EngineWork& work,
                                                   const std::string& model,
                                                   const std::vector<int>& tokens, AiterStep step,
                                                   const std::filesystem::path& save);

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
using FileRow = std::map<std::string, std::string>;

// The tune scripts of vLLM and SGLang, run in a folder of their own: before (what runs now), the
// tuning, after (what was found, by the engine's own lookup). The checkout is not written to.

// What one start of a script found, and what it timed before and after.
struct TritonStart {
  std::vector<FileRow> rows;
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
using FileRows = std::function<std::vector<FileRow>(
    const std::string& path, const std::string& bytes, std::vector<std::string>& remarks)>;

// Whatever was found is in the run, also after a failure. Errors: no_script, bad_model, no_triton
// (SGLang's folders are named by its version), bad_arguments, tuner_unstartable, file_unwritable.
core::Result<EngineRun> TuneTriton(const TritonSettings& settings, const EngineScript& script,
                                   const EngineWork& work, const FileRows& read,
                                   const EngineObserver& observer);

// Of the reader that the script's engine is. `configuration` must outlive it. Errors:
// unknown_reader, unknown_family.
core::Result<FileRows> FileRowsOf(const Configuration& configuration, const EngineScript& script);

// What PyTorch's TunableOp says at verbosity 3 of the candidates that it times; the results file
// has the fastest alone. Pure; every unknown line is passed over.
struct TunableCandidates {
  std::map<std::string, std::string> ms;  // by solution: its least time, as printed
  std::set<std::string> tried;            // solutions, those without a time included
};

class TunableLog {
 public:
  // The lines of the driver ("tunehub: device NVIDIA H200") are read as well.
  void Add(std::string_view line);

  const std::map<core::TunableShape, TunableCandidates>& candidates() const { return candidates_; }
  const std::string& device() const { return device_; }    // "NVIDIA H200"
  const std::string& version() const { return version_; }  // of PyTorch
  // What could not be tuned, and why.
  const std::vector<std::string>& failures() const { return failures_; }
  std::size_t begun() const { return begun_; }  // shapes

 private:
  void AddDriver(std::string_view text);

  std::map<core::TunableShape, TunableCandidates> candidates_;
  TunableCandidates* open_ = nullptr;  // whose candidates are being timed
  std::string device_, version_;
  std::vector<std::string> failures_;
  std::size_t begun_ = 0;
};

// PyTorch's TunableOp, run offline: torch.cuda.tunable tunes a list of GEMMs in a folder of its
// own.
struct TunableSettings : EngineSettings {
  std::optional<int> iters, warmup;  // of each candidate; absent: as TunableOp does it
};

// Tunes `shapes`, which are no patterns. Whatever was found is in the run, also after a failure:
// report.outcome says how it ended. Errors: tuner_unstartable, file_unwritable, no_shapes.
core::Result<EngineRun> TuneTunable(const TunableSettings& settings,
                                    const std::vector<core::TunableShape>& shapes,
                                    const EngineObserver& observer);

}  // namespace tunehub::agent
