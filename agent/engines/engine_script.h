// The tune scripts of vLLM and SGLang: where they lie in a checkout, and what they take. Facts of
// the engines, read from their sources; a script that has lost an option is told by its text.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::agent {

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

enum class EngineStep { kBefore, kTune, kAfter };

// The script's arguments, without the program and the script. `model`: what --model says; `save`:
// the folder for its files. Errors: bad_arguments, an option that this script lacks.
core::Result<std::vector<std::string>> ArgumentsOf(const EngineScript& script,
                                                   const ScriptText& text, const EngineWork& work,
                                                   const std::string& model,
                                                   const std::vector<int>& tokens, EngineStep step,
                                                   const std::filesystem::path& save);

}  // namespace tunehub::agent
