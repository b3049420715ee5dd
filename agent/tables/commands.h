// The commands about tables, and the report of `heuristic`.
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

// tunehub-agent check DIR|FILE...: checks that AITER would start with these tables and find their
// rows.
struct CheckOptions {
  std::vector<std::string> paths;  // AITER trees or single tables
  // the family of single tables; "": the family that each table's name or header gives
  std::string family;
  bool all = false;  // list every row
  bool json = false;
  std::string build = {};  // also report rows that the build of this manifest cannot run
  bool upstream = false;   // list what this version does not know, instead of a check
  bool strict = false;     // also fail on findings of AITER's own table test
};

int Check(const Configuration& configuration, const CheckOptions& options, Console& console);
int RunCheck(int argc, char** argv, Console& console);

// tunehub-agent merge A.csv:B.csv... -o FILE: merges tables as AITER does, or says why AITER would
// not start.
struct MergeArguments {
  std::vector<std::string> inputs;  // files, or lists of files joined by ':' as in AITER_CONFIG_*
  std::string output;
  std::string family;  // "": found from the files
  bool json = false;
};

int Merge(const Configuration& configuration, const MergeArguments& options, Console& console);
int RunMerge(int argc, char** argv, Console& console);

// tunehub-agent lookup --table FILE M=100 N=1280 K=5120: prints the row that AITER would find, and
// the steps of its lookup.
struct LookupOptions {
  std::vector<std::string> tables;
  std::string family;  // "": found from the tables
  std::string gfx;
  int cu_num = 0;                  // 0: the target's usual count
  std::vector<std::string> shape;  // "M=100"
  bool json = false;
};

// Returns kFinding if no measured row is found.
int LookUp(const Configuration& configuration, const LookupOptions& options, Console& console);
int RunLookup(int argc, char** argv, Console& console);

// tunehub-agent coverage --table FILE --model M --tp N: prints the share of an engine's lookups
// that find a tuned row.
struct CoverageOptions {
  std::vector<std::string> tables;
  std::string family;  // cover only this family's table; "": every table that the engine reads
  std::string gfx;
  int cu_num = 0;  // 0: the target's usual count
  std::string model;
  std::int64_t tp = 1;
  std::string grid = "gl0";
  std::int64_t max_m = analysis::kDefaultMaxM;
  // core::ShapeOptions::dtype: the scheme; "": the config's scheme
  std::string dtype;
  std::string engine;               // "": the default engine
  std::string rocm;                 // "": the newest version
  std::string untuned;              // an untuned table instead of a model
  std::vector<std::string> states;  // print only lines of these states; empty: all lines
  bool strict = false;              // an unknown member of the model's config is an error
  bool json = false;
  bool csv = false;
};

// Returns kFinding if a shape has no measured row.
int Coverage(const Configuration& configuration, const CoverageOptions& options, Console& console);
int RunCoverage(int argc, char** argv, Console& console);

// tunehub-agent shapes --model M --tp N: prints the matrix products of a model, or with --family F
// their untuned table.
struct ShapesOptions {
  std::string model;  // a name in configs/models, a config.json, or its folder
  std::int64_t tp = 1, ep = 1, dp_attention = 1;
  std::string engine;  // see core::Parallelism
  std::string aiter;   // see core::ShapeOptions
  std::string family;  // "": list the matrix products instead of an untuned table
  std::string grid = "gl0";
  std::string dtype;                 // see core::ShapeOptions
  std::string gfx;                   // the target's architecture; it decides the kind of fp8
  std::string device;                // for families with a device column
  bool fuse_shared_experts = false;  // see core::ShapeOptions
  bool strict = false;               // an unknown member of the config is an error
  std::vector<std::string> columns;  // "bias=True"
  std::string output;                // "": the standard output
};

// Prints "note: ... (unknown_member)" for each unknown member. With `strict`, returns the first
// note as an error.
core::Status SayNotes(const core::Model& model, bool strict, std::ostream& out);

// Returns kFinding if an engine would refuse the split.
int Shapes(const Configuration& configuration, const ShapesOptions& options, Console& console);
int RunShapes(int argc, char** argv, Console& console);

// tunehub-agent heuristic has three commands. score --table T: prints how often a heuristic chooses
// the tuned candidate. learn --table T -o TREE: learns a heuristic from tuned rows. export -o
// FOLDER: writes a heuristic as source code.
struct HeuristicOptions {
  std::vector<std::string> tables;
  std::string family;   // "": found from the tables; export needs a family
  std::string gfx;      // "": the heuristic's gfx, else the only gfx in the tables
  int cu_num = 0;       // 0: the count that belongs to gfx
  std::string tree;     // the heuristic's file; "": the one in configs/heuristics
  std::string untuned;  // the kernel that runs untuned; "": the heuristic's default
  std::string output;   // learn: the tree's file; export: a folder
  bool json = false;
};

int ScoreHeuristic(const Configuration& configuration, const HeuristicOptions& options,
                   Console& console);
int LearnHeuristic(const Configuration& configuration, const HeuristicOptions& options,
                   Console& console);
// Writes the instances to compile, a C++ header and a Python module.
int ExportHeuristic(const Configuration& configuration, const HeuristicOptions& options,
                    Console& console);
int RunHeuristic(int argc, char** argv, Console& console);

// tunehub-agent triton merge OLD NEW --measured RUN... -o FILE: merges two versions of one of
// AITER's Triton config files, so that no measured shape becomes slower. triton template: prints an
// empty RUN file to fill in.
struct TritonMergeArguments {
  std::string old_file, new_file;
  std::vector<std::string> runs;
  std::string output;               // the merged file, or a folder
  std::string kernel;               // selects rows of the RUNs; "": the kernel of the config's name
  std::string config;               // the config's name, if OLD is a DEFAULT.json
  std::vector<std::string> bounds;  // empty: the bounds in configs/readers
  analysis::CompareLimits limits;
  bool json = false;
};

int MergeTriton(const Configuration& configuration, const TritonMergeArguments& arguments,
                Console& console);
int RunTriton(int argc, char** argv, Console& console);

// tunehub-agent contribute --model M TREE: writes measured rows that AITER's tree lacks into the
// tree, for a pull request.
int RunContribute(int argc, char** argv, Console& console);

// tunehub-agent family draft FILE: prints a family file for a table.
int RunFamily(int argc, char** argv, Console& console);

// Rows of tuned tables, to score or to learn a heuristic.
struct HeuristicInput {
  const core::Family* family = nullptr;
  std::string gfx;
  int cu_num = 0;                 // 0: several counts
  std::size_t other_targets = 0;  // number of rows of other targets, left out
  std::unique_ptr<analysis::Samples> samples;
};

// Returns the heuristic of --tree, or else the family's heuristic in configs/heuristics. Errors:
// those of core::FileBytes and analysis::ParseHeuristic; no_heuristic.
core::Result<analysis::Heuristic> FindHeuristic(const Configuration& configuration,
                                                const HeuristicOptions& options,
                                                const core::Family& family);

// Sets samples.fallback to the candidate with the kernel of --default, or without --default to
// `known`. Errors: no_candidate (no candidate of the rows has that kernel, or several have it).
core::Status FindUntuned(const HeuristicOptions& options,
                         const std::optional<analysis::Choice>& known, analysis::Samples& samples);

// Selects the rows of one target. It is the first that exists: the target in the options, the
// target of `wanted`, the only target in the tables. Errors: those of core::FileBytes, CommonFamily
// and core::ReadTunedTable, each with the file; several_targets, which lists them; no_rows.
class HeuristicTables {
 public:
  static core::Result<HeuristicTables> Read(const Configuration& configuration,
                                            const HeuristicOptions& options);

  const core::Family& family() const { return *family_; }
  // `wanted`: the heuristic to score; may be null.
  core::Result<HeuristicInput> Of(const HeuristicOptions& options,
                                  const analysis::Heuristic* wanted) const;

 private:
  const core::Family* family_ = nullptr;
  std::vector<core::TunedTable> tables_;
};

// The score of a heuristic, or of a single candidate for all shapes.
struct Rated {
  std::string name;
  analysis::Score score;
};

// {"family", "target", "rows", ...}: the members with which both reports begin.
nlohmann::ordered_json InputJson(const HeuristicInput& input);
// Prints a table with a column per rated choice and a line per bucket of M.
void PrintRated(std::ostream& out, const HeuristicInput& input, const std::vector<Rated>& rated);
// Returns the sum over all configurations. A size counts once for each configuration that contains
// it.
analysis::Tally TotalOf(const std::vector<analysis::ModelTally>& models);
// Prints a table with a line per configuration, and the total.
void PrintModels(std::ostream& out, const std::vector<analysis::ModelTally>& models);
nlohmann::ordered_json ModelsJson(const std::vector<analysis::ModelTally>& models);
void PrintThreeWay(std::ostream& out, const analysis::Samples& samples,
                   const analysis::ThreeWay& compared);

}  // namespace tunehub::agent
