// The engines' own tune scripts, and what a run of one leaves: rows that can be pushed, and files
// as the engine reads them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/engines/aiter_results.h"
#include "agent/engines/script_command.h"
#include "core/base/result.h"

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

}  // namespace tunehub::agent
