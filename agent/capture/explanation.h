// Explains a log's misses: counts, shapes, the tuned rows for these shapes, and the modules that
// these rows need.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/configuration.h"
#include "agent/capture/capture.h"
#include "agent/hub/hub_client.h"
#include "core/analysis/coverage.h"
#include "core/base/result.h"
#include "core/builds/manifest.h"
#include "core/family/targets.h"
#include "core/lookup/table.h"
#include "core/misses/engine_lines.h"
#include "core/misses/miss_log.h"
#include "core/readers/tree_reader.h"
#include "core/row/target.h"

namespace tunehub::agent {

// The number of a source's rows for one target.
struct TargetRows {
  core::Target target;
  std::size_t rows = 0;
};

struct FamilyRows {
  // The rows as AITER's lookup finds them. Null: there are no rows of the family or the target.
  std::unique_ptr<lookup::LoadedTable> table;
  std::vector<TargetRows> targets;  // targets with rows, by name
  bool all_targets = true;          // false: other targets' rows are unknown
  std::vector<std::string> files;   // the files of the rows
};

// A source of tuned rows: files or a hub.
class RowSource {
 public:
  virtual ~RowSource() = default;
  // Reads the rows for `target`. If its gfx is "" (unknown), reads the rows for all targets.
  virtual core::Result<FamilyRows> Read(const core::Family& family, const core::Target& target) = 0;
  // Returns the canonical lines of all rows with these cells. Other columns may have any value.
  // Empty if the source lacks the family.
  virtual core::Result<std::vector<std::string>> LinesLike(
      const core::Family& family,
      const std::vector<std::pair<std::string, std::string>>& cells) = 0;
  virtual std::string Name() const = 0;  // "http://hub:8080", "3 tables"
  // True for a hub that takes demand for missing shapes.
  virtual bool TakesDemand() const { return false; }
};

// `paths`: tables, configs folders, AITER trees, or folders of a reader's files ("sglang:DIR" names
// the reader). `configuration` must outlive the result. Errors: those of reading the files and of
// finding their families.
core::Result<std::unique_ptr<RowSource>> RowsOfTables(const Configuration& configuration,
                                                      const std::vector<std::string>& paths);

// Returns the canonical lines of a table. Errors: those of ReadTunedTable.
core::Result<std::vector<std::string>> LinesOfTable(const core::Family& family,
                                                    const core::Targets& targets,
                                                    std::string_view csv);

// All arguments must outlive the result.
std::unique_ptr<RowSource> RowsOfHub(const Configuration& configuration, const std::string& address,
                                     HubClient& hub, const RetryPolicy& retry,
                                     const Pauses& pauses);

// How similar a file with rows is to a file that an engine did not find. The most similar kind
// comes first.
enum class FileLike { kOwn, kOtherName, kOtherTriton, kSibling, kOtherEngine, kOtherDevice };

// A file that differs from the missed file only by `like`, and the number of its rows.
struct FileMatch {
  FileLike like = FileLike::kOwn;
  std::string engine, device, triton;
  // `measured` of `rows` are measured; the other rows are declared
  std::size_t rows = 0, measured = 0;
};

struct ExplainedFile {
  core::MissedFile miss;
  std::vector<FileMatch> matches;  // nearest first

  // True if the hub stores such files, but has no rows for this file.
  bool lacks_rows() const { return !miss.file.family.empty() && !has_rows(); }
  bool has_rows() const { return !matches.empty() && matches.front().like == FileLike::kOwn; }
};

// Returns a column's value in the file's name; "": the name lacks the column.
std::string_view CellNamed(const core::NamedFile& file, std::string_view column);

// Returns the columns of the shape key, by name and value. Leaves out engine, device, Triton
// version, M and empty values.
std::vector<std::pair<std::string, std::string>> SharedKey(const core::Family& family,
                                                           const core::NamedFile& file);

// `lines`: canonical rows of the family, of any shape key.
std::vector<FileMatch> MatchesOf(const core::Family& family, const core::Targets& targets,
                                 const core::NamedFile& file, std::span<const std::string> lines);

void PrintExplainedFiles(std::ostream& out, std::span<const ExplainedFile> files, bool looked);
// FilesJson with three more members: "rows" (of the file itself), "measured" and "matches":
// [{"like": "sibling", "engine", "device", "triton", "rows", "measured"}]. These three are null if
// no rows were looked up.
nlohmann::ordered_json ExplainedFilesJson(std::span<const ExplainedFile> files, bool looked);

// A tuned row that a lookup finds, and the module that the row needs.
struct FoundRow {
  std::string line;
  double us = 0;
  // the row's state in the build; undefined without a build
  core::RowState state = core::RowState::kEffective;
  // the module that decides the state; null: unknown
  const core::Module* module = nullptr;
};

struct ExplainedShape {
  core::MissShape miss;
  std::int64_t size = 0;  // the row's M
  analysis::State state = analysis::State::kMissing;
  std::optional<FoundRow> row;

  bool tuned() const { return analysis::IsCovered(state); }
};

// Shapes that differ only in M.
struct ShapeGroup {
  std::vector<std::pair<std::string, std::string>> columns;  // shared by all shapes
  std::int64_t from = 0, to = 0;                             // the range of M
  std::uint64_t count = 0;
  std::size_t tuned = 0;
  std::vector<std::size_t> shapes;  // indices into FamilyPart::shapes
};

// The number of a module's tuned rows in one state in the build. Without a build, `state` is empty.
struct ModuleNeed {
  const core::Module* module = nullptr;
  std::optional<core::RowState> state;
  std::size_t rows = 0;
};

// One family on one target.
struct FamilyPart {
  const core::Family* family = nullptr;
  core::Target target;      // gfx "": unknown
  std::uint64_t count = 0;  // lines
  std::vector<ExplainedShape> shapes;
  std::vector<ShapeGroup> groups;  // most frequent first
  // LookUpRows sets the members below.
  std::array<std::size_t, analysis::kStates> states{};
  std::vector<ModuleNeed> needs;
  std::vector<TargetRows> targets;  // targets with rows
  bool all_targets = true;          // false: other targets' rows are unknown
  // If the target is unknown: for each target of `targets`, the number of shapes with a tuned row.
  std::vector<std::size_t> tuned_on;
  std::vector<std::string> files;  // the files of the rows
  // the number of rows to tune so that all untuned shapes have a row
  std::size_t to_tune = 0;

  // True if rows and shapes name the device. A lookup then needs no target.
  bool names_device() const { return family->gfx == core::kNoColumn; }
  bool LacksGpu() const { return target.gfx.empty() && !names_device(); }
  std::size_t tuned() const;
  std::size_t Of(analysis::State state) const { return states.at(static_cast<std::size_t>(state)); }
};

// Groups the shapes by family and target, the most missed first. LookUpRows adds the rows.
std::vector<FamilyPart> PartsOf(const core::Targets& targets,
                                const std::vector<core::MissShape>& shapes);

// Finds each shape's row in `rows`. `build` may be null; then the rows' states are unknown.
void LookUpRows(FamilyPart& part, const FamilyRows& rows, const core::Manifest* build);

// Returns the shapes without a tuned row, as they were missed (before padding).
std::vector<core::MissShape> Untuned(const FamilyPart& part);

// All that `explain` reports on a log.
struct Explanation {
  core::MissCounts counts;
  LogTarget target;  // the target of lines that name no GPU
  std::vector<FamilyPart> parts;
  std::vector<ExplainedFile> files;    // most frequent first
  std::vector<core::MissedFile> used;  // files that the engine found, most frequent first
  std::vector<core::RemarkedLines> remarks;
  std::string rows_from;             // the source of rows; "": none
  std::optional<core::Error> error;  // why rows could not be looked up

  // True if LookUpRows has added the rows of all parts.
  bool looked() const { return !rows_from.empty() && !error; }
  std::size_t shapes() const;
};

// A next step for the user: its command lines are complete and can be copied.
struct NextStep {
  std::string why;
  std::vector<std::string> lines;
};

// The parts of the command line that next steps repeat.
struct StepContext {
  std::vector<std::string> logs;
  std::string hub;                  // "": none
  bool takes_demand = false;        // false for a hub of files without a server
  std::vector<std::string> tables;  // the user typed these names
  std::string aiter;                // the tree; "": none
  std::string output;               // the folder of untuned tables; "": none
  // for lines that name no family or no device, as the user typed them
  std::string family = {}, device = {};
};

// Returns the arguments that read the same logs again: "LOG --family F --device D".
std::string LogWords(const StepContext& context);

std::vector<NextStep> NextSteps(const Configuration& configuration, const Explanation& explanation,
                                const StepContext& context);

// The next steps for files that an engine did not find.
std::vector<NextStep> FileSteps(const Configuration& configuration, const Explanation& explanation,
                                const StepContext& context);

// Lines are at most about 100 columns wide. `all`: print every shape, not only the most frequent
// groups.
void PrintExplanation(std::ostream& out, const Configuration& configuration,
                      const std::vector<std::string>& logs, const Explanation& explanation,
                      std::span<const NextStep> steps, bool all);

// {"lines": 9, "misses": 7, ..., "target": {"gfx": "gfx942", "cu_num": 304, "from": "options"},
//  "rows_from": "http://hub:8080", "families": [{"family": "a8w8", "gfx": ..., "cu_num": ...,
//  "shapes": 6, "count": 7, "tuned": 4, "baseline": 0, "unmeasured": 0, "missing": 2, "to_tune": 1,
//  "targets": [{"gfx", "cu_num", "rows"}], "needs": [{"module", "dispatch", "state", "rows"}],
//  "groups": [{"shape": {"N": "1280"}, "from", "to", "shapes", "count", "tuned"}], "missed":
//  [{"shape": {...}, "count", "state", "row"}]}], "next": [{"why", "commands": [...]}], "error":
//  null or {"code", "detail"}}. A value is null if nobody looked it up.
nlohmann::ordered_json ExplanationJson(const Explanation& explanation,
                                       std::span<const NextStep> steps);

// Prints a paragraph, broken into lines.
void PrintWrapped(std::ostream& out, std::string_view indent, std::string_view text);

// Prints a shell command, broken by backslashes. Keeps an option and its value on one line, and
// also the program and its command's name.
void PrintCommand(std::ostream& out, std::string_view line);

// "1 shape", "2 shapes"
std::string Counted(std::size_t count, std::string_view one, std::string_view many);

// Prints which modules the found rows need, and the number of missing rows. If no row is found,
// also prints the number of rows for other GPUs.
void PrintRows(std::ostream& out, const core::Targets& targets, const FamilyPart& part);

}  // namespace tunehub::agent
