// Runs the engines' own tune scripts. The result of a run is rows for the hub and files in the
// engine's format.
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

// "vllm 0.11.0", "triton 3.4.0", "torch 2.8.0": the packages that `python` has.
std::vector<std::string> VersionsOf(const std::string& python);

// SGLang's folder of configs for this Triton: "triton_3_4_0". Errors: no_triton.
core::Result<std::string> TritonFolderOf(const std::string& python);

// Returns the value of the script's --model. A folder or a name stays the same. A config.json is
// copied into a folder below `home`, since the scripts need a folder. Errors: bad_model,
// file_unreadable, file_unwritable.
core::Result<std::string> ModelOf(const std::string& model, const std::filesystem::path& home);

struct EngineSettings : ScriptSettings {
  std::map<std::string, std::string> environment;  // variables that select the script's GPUs
};

struct EngineRun {
  std::string family;
  std::string tuner;  // "vllm benchmark_moe.py", for the run's provenance
  std::string rows;   // the body of POST /results, as JSON; "": no row
  std::size_t measured = 0, declared = 0, defaults = 0;  // numbers of rows
  std::map<std::string, std::string> files;              // path below the reader's folder -> bytes
  std::string device;                 // the device's name in the engine's file names; "": unknown
  std::vector<std::string> versions;  // "torch 2.11.0", from the script's output
  ScriptReport report;
};

// Makes an empty folder `work`/NAME_STAMP. Errors: file_unwritable.
core::Result<std::filesystem::path> FreshFolder(const std::filesystem::path& work,
                                                const std::string& name);

// Sets the outcome from the number of shapes with a row. The exit code is not enough, since Python
// also exits with 1 if a package is missing.
void SettleOutcome(ScriptReport& report);

// "NVIDIA H200" -> "NVIDIA_H200"
std::string DeviceFileName(std::string_view name);

// A tune script of vLLM or SGLang: its path in a checkout and its options, from the engine's
// source. ScriptText says which options the script in a checkout still has.
struct EngineScript {
  std::string_view tuner;   // "vllm"; also the name of the reader of its files
  std::string_view family;  // the family of its files
  std::string_view path;    // below the checkout
  // true: it tunes the shapes of --model in --dtype; false: its own list of shapes
  bool model = false;
  std::string_view ep;      // its option for expert parallelism; "": none
  bool ep_is_flag = false;  // true: the option takes no number and means all GPUs of --tp
  // its option for the output folder; "": it writes into its working folder
  std::string_view save;
  bool benches = false;       // true: without --tune it times the current configs
  std::string_view variable;  // the engine's environment variable for a folder with tuned files
};

// Null: the engine has no script for the family.
const EngineScript* FindEngineScript(std::string_view tuner, std::string_view family);

struct EngineWork {
  std::string model = {};      // a name at Hugging Face, a folder, or a config.json
  std::string dtype = {};      // "": the script's default
  int tp = 0, ep = 0;          // 0: the script's default
  std::vector<int> grid = {};  // numbers of tokens; empty: the script's own numbers
};

// Errors: bad_arguments (the script lacks an option that was given, or needs an option that was not
// given).
core::Status CheckEngineWork(const EngineScript& script, const EngineWork& work);

// A script's source, which shows the script's options.
class ScriptText {
 public:
  explicit ScriptText(std::string text) : text_(std::move(text)) {}
  // True if the script has the option, such as "--batch-sizes".
  bool Has(std::string_view option) const { return Find(option) != std::string::npos; }
  // True if the option takes several values.
  bool TakesSeveral(std::string_view option) const;

 private:
  std::size_t Find(std::string_view option) const;
  std::string text_;
};

// Returns the numbers of tokens for each start of the script. If the script takes a list, one start
// gets all numbers of `grid`. Otherwise each start gets one number. If `grid` is empty, there is
// one start with an empty list.
std::vector<std::vector<int>> StartsOf(const ScriptText& text, const std::vector<int>& grid);

// Returns the script's arguments, without program and script. `model`: the value of --model.
// `save`: the folder for the script's files. Errors: bad_arguments (this script lacks an option).
core::Result<std::vector<std::string>> ArgumentsOf(const EngineScript& script,
                                                   const ScriptText& text, const EngineWork& work,
                                                   const std::string& model,
                                                   const std::vector<int>& tokens, AiterStep step,
                                                   const std::filesystem::path& save);

// Reads the output of the MoE scripts of vLLM and SGLang: configs with their numbers of tokens,
// times and origins, and the progress of the tuning. Ignores unknown lines.

// Converts a Python dict of plain values to compact JSON. Returns nothing for any other text.
std::optional<std::string> JsonOfPython(std::string_view text);

struct TimedConfig {
  std::string config;  // compact JSON, members as printed
  std::string us;      // the time as printed
};

class ScriptOutput {
 public:
  // Reads "Batch size: 16, config: {'BLOCK_SIZE_M': 16, ...}", then "Kernel time: 12.34 us".
  void Add(std::string_view line);

  const std::map<int, TimedConfig>& timed() const { return timed_; }  // by number of tokens
  // True if the script timed the engine's default. The script then printed that it uses the
  // default, and named no file.
  bool is_default() const { return said_default_ && !said_file_; }
  int tuned() const { return tuned_; }  // finished numbers of tokens

 private:
  std::map<int, TimedConfig> timed_;
  std::optional<int> open_;  // the number of tokens whose time the next line contains
  std::string config_;
  bool said_default_ = false, said_file_ = false;
  int tuned_ = 0;
};

// A row of a file that the engine found, by column. It has no time.
using FileRow = std::map<std::string, std::string>;

// Runs tune scripts of vLLM and SGLang in a new folder, without changes to the checkout. The steps
// are: time the current configs, tune, time the tuned configs as the engine's lookup finds them.

// The results of one start of a script, and the times before and after.
struct TritonStart {
  std::vector<FileRow> rows;
  ScriptOutput before, after;
};

// Returns the body of POST /results; "" if there is no row. Counts the rows in `run`. A row gets
// the time that the script printed for the row's number of tokens and config. Without a printed
// time the row is declared. A config that was timed before tuning has its own row. This row is
// marked as the default if the script printed that it used the default.
std::string TritonRowsBody(const std::vector<TritonStart>& starts, EngineRun& run);

struct TritonSettings : EngineSettings {
  std::filesystem::path root;  // the checkout that has the script
};

// Reads the rows of a script's file. `path`: the path at which the engine searches for the file.
// Adds a remark to `remarks` for each part that cannot be read.
using FileRows = std::function<std::vector<FileRow>(
    const std::string& path, const std::string& bytes, std::vector<std::string>& remarks)>;

// The result contains all rows, even after a failure. Errors: no_script, bad_model, no_triton
// (SGLang's folder names contain Triton's version), bad_arguments, tuner_unstartable,
// file_unwritable.
core::Result<EngineRun> TuneTriton(const TritonSettings& settings, const EngineScript& script,
                                   const EngineWork& work, const FileRows& read,
                                   const EngineObserver& observer);

// Returns a function that uses the reader of the script's engine. `configuration` must outlive this
// function. Errors: unknown_reader, unknown_family.
core::Result<FileRows> FileRowsOf(const Configuration& configuration, const EngineScript& script);

// Reads the candidates that PyTorch's TunableOp prints at verbosity 3. (TunableOp's results file
// contains only the fastest candidate.) Ignores unknown lines.
struct TunableCandidates {
  std::map<std::string, std::string> ms;  // by solution: the lowest time, as printed
  std::set<std::string> tried;            // all solutions, with or without a time
};

class TunableLog {
 public:
  // Also reads the driver's lines ("tunehub: device NVIDIA H200").
  void Add(std::string_view line);

  const std::map<core::TunableShape, TunableCandidates>& candidates() const { return candidates_; }
  const std::string& device() const { return device_; }    // "NVIDIA H200"
  const std::string& version() const { return version_; }  // PyTorch's version
  // Shapes that could not be tuned, with the reason.
  const std::vector<std::string>& failures() const { return failures_; }
  std::size_t begun() const { return begun_; }  // shapes

 private:
  void AddDriver(std::string_view text);

  std::map<core::TunableShape, TunableCandidates> candidates_;
  TunableCandidates* open_ = nullptr;  // the shape whose times follow
  std::string device_, version_;
  std::vector<std::string> failures_;
  std::size_t begun_ = 0;
};

// Runs PyTorch's TunableOp offline: torch.cuda.tunable tunes a list of GEMMs in a separate folder.
struct TunableSettings : EngineSettings {
  std::optional<int> iters, warmup;  // for each candidate; absent: TunableOp's default
};

// Tunes `shapes`. Precondition: no shape is a pattern (core::IsPattern). The result contains all
// rows, even after a failure: report.outcome says how the run ended. Errors: tuner_unstartable,
// file_unwritable, no_shapes, not_asked (PyTorch never looks up one of the shapes).
core::Result<EngineRun> TuneTunable(const TunableSettings& settings,
                                    const std::vector<core::TunableShape>& shapes,
                                    const EngineObserver& observer);

}  // namespace tunehub::agent
