// What a log's misses come to: how often, of what, whether tuned rows are there for them, and what
// these need. Pure.
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

// Where tuned rows are looked for: in files, or at a hub.
struct TargetRows {
  core::Target target;
  std::size_t rows = 0;
};

// What there is of one family.
struct FamilyRows {
  // As AITER's lookup sees it; null: nothing of the family, or of the target.
  std::unique_ptr<lookup::LoadedTable> table;
  std::vector<TargetRows> targets;  // that there are rows for, by name
  bool all_targets = true;          // else those of others are not known
  std::vector<std::string> files;   // that the rows are of
};

class RowSource {
 public:
  virtual ~RowSource() = default;
  // `target`: whose rows are wanted; gfx "": nobody knows, so those of all.
  virtual core::Result<FamilyRows> Read(const core::Family& family, const core::Target& target) = 0;
  // Canonical lines of the rows whose cells are these, whatever the other columns hold; none of a
  // family that the source has nothing of.
  virtual core::Result<std::vector<std::string>> LinesLike(
      const core::Family& family,
      const std::vector<std::pair<std::string, std::string>>& cells) = 0;
  virtual std::string Name() const = 0;  // "http://hub:8080", "3 tables"
  // A hub that may be asked for what is missing.
  virtual bool TakesDemand() const { return false; }
};

// `paths`: tables, configs folders, AITER trees, or a folder of a reader's files ("sglang:DIR"
// where it does not tell whose). `configuration` must outlive it. Errors: those of reading the
// files and of telling their families.
core::Result<std::unique_ptr<RowSource>> RowsOfTables(const Configuration& configuration,
                                                      const std::vector<std::string>& paths);

// Of a table: its rows' canonical lines. Errors: those of ReadTunedTable.
core::Result<std::vector<std::string>> LinesOfTable(const core::Family& family,
                                                    const core::Targets& targets,
                                                    std::string_view csv);

// All must outlive it.
std::unique_ptr<RowSource> RowsOfHub(const Configuration& configuration, const std::string& address,
                                     HubClient& hub, const RetryPolicy& retry,
                                     const Pauses& pauses);

// Whose rows there are for a file that an engine looked for and did not find, its own first.
enum class FileLike { kOwn, kOtherName, kOtherTriton, kSibling, kOtherEngine, kOtherDevice };

// Rows of one file that differs from the missed one in as little as `like` says.
struct FileMatch {
  FileLike like = FileLike::kOwn;
  std::string engine, device, triton;
  std::size_t rows = 0, measured = 0;  // the others are declared
};

struct ExplainedFile {
  core::MissedFile miss;
  std::vector<FileMatch> matches;  // the nearest first

  // A family has such files, and there are no rows for this one.
  bool lacks_rows() const { return !miss.file.family.empty() && !has_rows(); }
  bool has_rows() const { return !matches.empty() && matches.front().like == FileLike::kOwn; }
};

// What the file's name says of a column of the key; "": nothing.
std::string_view CellNamed(const core::NamedFile& file, std::string_view column);

// The columns that a row shares with the file however it differs: all of the key but engine,
// device, Triton version and M. By name, those that say something.
std::vector<std::pair<std::string, std::string>> SharedKey(const core::Family& family,
                                                           const core::NamedFile& file);

// `lines`: rows of the family, canonical, of any key.
std::vector<FileMatch> MatchesOf(const core::Family& family, const core::Targets& targets,
                                 const core::NamedFile& file, std::span<const std::string> lines);

void PrintExplainedFiles(std::ostream& out, std::span<const ExplainedFile> files, bool looked);
// FilesJson with "rows" (own), "measured" and "matches": [{"like": "sibling", "engine", "device",
// "triton", "rows", "measured"}]; null where nothing was looked for.
nlohmann::ordered_json ExplainedFilesJson(std::span<const ExplainedFile> files, bool looked);

// A tuned row that a lookup finds, and what it needs to run.
struct FoundRow {
  std::string line;
  double us = 0;
  core::RowState state = core::RowState::kEffective;  // in the build; without one of no meaning
  const core::Module* module = nullptr;               // that decides; null: none is known
};

struct ExplainedShape {
  core::MissShape miss;
  std::int64_t size = 0;  // its M
  analysis::State state = analysis::State::kMissing;
  std::optional<FoundRow> row;

  bool tuned() const { return analysis::IsCovered(state); }
};

// Shapes that are alike but for M.
struct ShapeGroup {
  std::vector<std::pair<std::string, std::string>> columns;  // that they have in common
  std::int64_t from = 0, to = 0;                             // of M
  std::uint64_t count = 0;
  std::size_t tuned = 0;
  std::vector<std::size_t> shapes;  // of FamilyPart::shapes
};

// What tuned rows of one module need: how many in which state, or, where no build is known, in
// none.
struct ModuleNeed {
  const core::Module* module = nullptr;
  std::optional<core::RowState> state;
  std::size_t rows = 0;
};

// One family on one target.
struct FamilyPart {
  const core::Family* family = nullptr;
  core::Target target;      // gfx "": nobody knows
  std::uint64_t count = 0;  // lines
  std::vector<ExplainedShape> shapes;
  std::vector<ShapeGroup> groups;  // most frequent first
  // Where rows were looked for.
  std::array<std::size_t, analysis::kStates> states{};
  std::vector<ModuleNeed> needs;
  std::vector<TargetRows> targets;  // that there are rows for
  bool all_targets = true;          // else those of others are not known
  // Where nobody knows the target: the shapes that each of `targets` has a tuned row for.
  std::vector<std::size_t> tuned_on;
  std::vector<std::string> files;  // that the rows are of
  std::size_t to_tune = 0;         // rows that would serve all that have none

  // Its rows and shapes name the device: no target is needed to look one up.
  bool names_device() const { return family->gfx == core::kNoColumn; }
  bool LacksGpu() const { return target.gfx.empty() && !names_device(); }
  std::size_t tuned() const;
  std::size_t Of(analysis::State state) const { return states.at(static_cast<std::size_t>(state)); }
};

// The shapes by family and target, the most missed part first; nothing is known of rows yet.
std::vector<FamilyPart> PartsOf(const core::Targets& targets,
                                const std::vector<core::MissShape>& shapes);

// Says of each shape what `rows` have for it. `build`: null where no build is known.
void LookUpRows(FamilyPart& part, const FamilyRows& rows, const core::Manifest* build);

// The shapes that no tuned row is found for, as they were missed.
std::vector<core::MissShape> Untuned(const FamilyPart& part);

// Everything that is said of a log.
struct Explanation {
  core::MissCounts counts;
  LogTarget target;  // of the lines that name none
  std::vector<FamilyPart> parts;
  std::vector<ExplainedFile> files;    // most frequent first
  std::vector<core::MissedFile> used;  // files that were found, most frequent first
  std::vector<core::RemarkedLines> remarks;
  std::string rows_from;             // where rows were looked for; "": nowhere
  std::optional<core::Error> error;  // why no row could be looked for

  // The parts say what rows there are.
  bool looked() const { return !rows_from.empty() && !error; }
  std::size_t shapes() const;
};

// What to type next, complete: a line that is copied does what it says.
struct NextStep {
  std::string why;
  std::vector<std::string> lines;
};

// What of the command line the steps go on with.
struct StepContext {
  std::vector<std::string> logs;
  std::string hub;                       // "": none
  bool takes_demand = false;             // the hub: no files without a server
  std::vector<std::string> tables;       // as they were given
  std::string aiter;                     // the tree; "": none
  std::string output;                    // the folder that untuned tables were written to; "": none
  std::string family = {}, device = {};  // of what names none, as they were given
};

// "LOG --family F --device D", what reads the logs again as they were read.
std::string LogWords(const StepContext& context);

std::vector<NextStep> NextSteps(const Configuration& configuration, const Explanation& explanation,
                                const StepContext& context);

// For files that an engine looked for.
std::vector<NextStep> FileSteps(const Configuration& configuration, const Explanation& explanation,
                                const StepContext& context);

// In lines of about a hundred columns. `all`: every shape in place of the most frequent groups.
void PrintExplanation(std::ostream& out, const Configuration& configuration,
                      const std::vector<std::string>& logs, const Explanation& explanation,
                      std::span<const NextStep> steps, bool all);

// {"lines": 9, "misses": 7, ..., "target": {"gfx": "gfx942", "cu_num": 304, "from": "options"},
//  "rows_from": "http://hub:8080", "families": [{"family": "a8w8", "gfx": ..., "cu_num": ...,
//  "shapes": 6, "count": 7, "tuned": 4, "baseline": 0, "unmeasured": 0, "missing": 2, "to_tune": 1,
//  "targets": [{"gfx", "cu_num", "rows"}], "needs": [{"module", "dispatch", "state", "rows"}],
//  "groups": [{"shape": {"N": "1280"}, "from", "to", "shapes", "count", "tuned"}], "missed":
//  [{"shape": {...}, "count", "state", "row"}]}], "next": [{"why", "commands": [...]}], "error":
//  null or {"code", "detail"}}. What was not looked for is null.
nlohmann::ordered_json ExplanationJson(const Explanation& explanation,
                                       std::span<const NextStep> steps);

// Prose, which ends a line.
void PrintWrapped(std::ostream& out, std::string_view indent, std::string_view text);

// A shell's command, broken where a shell goes on with the next line: an option keeps its value
// beside it, and a command its name.
void PrintCommand(std::ostream& out, std::string_view line);

// "1 shape", "2 shapes"
std::string Counted(std::size_t count, std::string_view one, std::string_view many);

// What they need, where they are although none is found, and what is missing.
void PrintRows(std::ostream& out, const core::Targets& targets, const FamilyPart& part);

}  // namespace tunehub::agent
