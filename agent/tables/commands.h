// The commands about tables: what each is told on its command line, and what `heuristic` says.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "core/analysis/compare.h"
#include "core/analysis/heuristic.h"
#include "core/analysis/model_coverage.h"
#include "core/analysis/score.h"
#include "core/base/result.h"
#include "core/shapes/model.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {

// tunehub-agent check DIR|FILE...: would AITER start with these tables, and find their rows?
struct CheckOptions {
  std::vector<std::string> paths;  // AITER trees or single tables
  std::string family;              // of the single tables; "": what each says
  bool all = false;                // list every row
  bool json = false;
  std::string build = {};  // the manifest of what shall run them; "": not asked
  bool upstream = false;   // in place of a check: what of the trees this version does not know
  bool strict = false;     // fail on what AITER's own table test fails on, too
};

int Check(const Configuration& configuration, const CheckOptions& options, Console& console);
int RunCheck(int argc, char** argv, Console& console);

// tunehub-agent merge A.csv:B.csv... -o FILE: what AITER's merge of these files would give, or why
// it would not start.
struct MergeArguments {
  std::vector<std::string> inputs;  // each a file, or several joined by ':' as in AITER_CONFIG_*
  std::string output;
  std::string family;  // "": what the files say
  bool json = false;
};

int Merge(const Configuration& configuration, const MergeArguments& options, Console& console);
int RunMerge(int argc, char** argv, Console& console);

// tunehub-agent lookup --table FILE M=100 N=1280 K=5120: what AITER would run, and why.
struct LookupOptions {
  std::vector<std::string> tables;
  std::string family;  // "": what the tables tell
  std::string gfx;
  int cu_num = 0;                  // 0: the usual one
  std::vector<std::string> shape;  // "M=100"
  bool json = false;
};

// kFinding where no measured row is found.
int LookUp(const Configuration& configuration, const LookupOptions& options, Console& console);
int RunLookup(int argc, char** argv, Console& console);

// tunehub-agent coverage --table FILE --model M --tp N: how much of what an engine reads is tuned.
struct CoverageOptions {
  std::vector<std::string> tables;
  std::string family;  // its table alone, as if the model asked it; "": all that the engine reads
  std::string gfx;
  int cu_num = 0;  // 0: the usual one
  std::string model;
  std::int64_t tp = 1;
  std::string grid = "gl0";
  std::int64_t max_m = analysis::kDefaultMaxM;
  std::string dtype;                // how it is stored; "": as its config says
  std::string engine;               // "": the usual one
  std::string rocm;                 // "": the newest
  std::string untuned;              // an untuned table in place of a model
  std::vector<std::string> states;  // of the CSV's lines; empty: all
  bool strict = false;              // what is not known of the model's config is an error
  bool json = false;
  bool csv = false;
};

// kFinding where a shape has no measured row.
int Coverage(const Configuration& configuration, const CoverageOptions& options, Console& console);
int RunCoverage(int argc, char** argv, Console& console);

// tunehub-agent shapes --model M --tp N: the products of a model; with --family F the untuned table
// of what serving it asks for.
struct ShapesOptions {
  std::string model;  // a name in configs/models, a config.json, or its folder
  std::int64_t tp = 1, ep = 1, dp_attention = 1;
  std::string engine;  // core::Parallelism
  std::string aiter;   // core::ShapeOptions
  std::string family;  // "": the products themselves
  std::string grid = "gl0";
  std::string dtype;                 // core::ShapeOptions
  std::string gfx;                   // tells which fp8
  std::string device;                // where a family asks for its name
  bool fuse_shared_experts = false;  // core::ShapeOptions
  bool strict = false;               // what is not known of the config is an error
  std::vector<std::string> columns;  // "bias=True"
  std::string output;                // "": the standard output
};

// "note: ... (unknown_member)" of what is not known of the model. `strict`: the first is the error.
core::Status SayNotes(const core::Model& model, bool strict, std::ostream& out);

// kFinding where an engine would refuse the split.
int Shapes(const Configuration& configuration, const ShapesOptions& options, Console& console);
int RunShapes(int argc, char** argv, Console& console);

// tunehub-agent heuristic score --table T: how often a heuristic chooses what tuning found, and
// heuristic learn --table T -o TREE: a better one from the same rows; heuristic export -o FOLDER:
// one as source code.
struct HeuristicOptions {
  std::vector<std::string> tables;
  std::string family;   // "": what the tables say; export has none
  std::string gfx;      // "": the heuristic's, or the tables' only one
  int cu_num = 0;       // 0: likewise
  std::string tree;     // the heuristic's file; "": the one of configs/heuristics
  std::string untuned;  // the kernel that runs untuned; "": the heuristic's default
  std::string output;   // learn: where the tree goes; export: a folder
  bool json = false;
};

int ScoreHeuristic(const Configuration& configuration, const HeuristicOptions& options,
                   Console& console);
int LearnHeuristic(const Configuration& configuration, const HeuristicOptions& options,
                   Console& console);
// The instances to compile, a C++ header and a Python module.
int ExportHeuristic(const Configuration& configuration, const HeuristicOptions& options,
                    Console& console);
int RunHeuristic(int argc, char** argv, Console& console);

// tunehub-agent triton merge OLD NEW --measured RUN... -o FILE: of two states of one of AITER's
// Triton configs, one that harms nobody who was measured. triton template: a RUN to begin with.
struct TritonMergeArguments {
  std::string old_file, new_file;
  std::vector<std::string> runs;
  std::string output;               // the merged file, or a folder
  std::string kernel;               // whose rows are meant; "": what the name says
  std::string config;               // of a DEFAULT.json, whose name does not say it
  std::vector<std::string> bounds;  // none: what configs/readers knows of the config's kernel
  analysis::CompareLimits limits;
  bool json = false;
};

int MergeTriton(const Configuration& configuration, const TritonMergeArguments& arguments,
                Console& console);
int RunTriton(int argc, char** argv, Console& console);

// tunehub-agent contribute --model M TREE: rows that were measured and AITER's tree does not have,
// as files for a pull request.
int RunContribute(int argc, char** argv, Console& console);

// tunehub-agent family draft FILE: the family file that would describe a table.
int RunFamily(int argc, char** argv, Console& console);

// What a heuristic is read from, and the tuned tables that it is scored on or learned from.
struct HeuristicInput {
  const core::Family* family = nullptr;
  std::string gfx;
  int cu_num = 0;                 // 0: several
  std::size_t other_targets = 0;  // rows left out
  std::unique_ptr<analysis::Samples> samples;
};

// The file that --tree names, else what people wrote down for the family. Errors: those of
// core::FileBytes and analysis::ParseHeuristic; no_heuristic.
core::Result<analysis::Heuristic> FindHeuristic(const Configuration& configuration,
                                                const HeuristicOptions& options,
                                                const core::Family& family);

// Fills samples.fallback: the candidate whose kernel --default names, else `known`. Error
// no_candidate: not one candidate of the rows runs that kernel.
core::Status FindUntuned(const HeuristicOptions& options,
                         const std::optional<analysis::Choice>& known, analysis::Samples& samples);

// The rows of one target: that of the options, else the one that `wanted` is for, else the only one
// there is. Errors: those of core::FileBytes, CommonFamily and core::ReadTunedTable, each with the
// file; several_targets (names them), no_rows.
class HeuristicTables {
 public:
  static core::Result<HeuristicTables> Read(const Configuration& configuration,
                                            const HeuristicOptions& options);

  const core::Family& family() const { return *family_; }
  // Rows of one target; `wanted`: what the heuristic to be scored is for, may be null.
  core::Result<HeuristicInput> Of(const HeuristicOptions& options,
                                  const analysis::Heuristic* wanted) const;

 private:
  const core::Family* family_ = nullptr;
  std::vector<core::TunedTable> tables_;
};

// A heuristic's score, and beside it what always giving one answer scores.
struct Rated {
  std::string name;
  analysis::Score score;
};

// {"family", "target", "rows", ...}: what both reports begin with.
nlohmann::ordered_json InputJson(const HeuristicInput& input);
// As a table: a column per rated one, a line per bucket of M.
void PrintRated(std::ostream& out, const HeuristicInput& input, const std::vector<Rated>& rated);
// A size that several configurations have counts in each of them.
analysis::Tally TotalOf(const std::vector<analysis::ModelTally>& models);
// As a table: a line per configuration, and their total.
void PrintModels(std::ostream& out, const std::vector<analysis::ModelTally>& models);
nlohmann::ordered_json ModelsJson(const std::vector<analysis::ModelTally>& models);
void PrintThreeWay(std::ostream& out, const analysis::Samples& samples,
                   const analysis::ThreeWay& compared);

}  // namespace tunehub::agent
