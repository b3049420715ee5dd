#include "server/ingest/staged_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "core/row/known_kernel.h"
#include "core/row/winner.h"
#include "core/table/table_writer.h"
#include "server/answers/shapes.h"
#include "server/queue/planner.h"

namespace tunehub::server {
namespace {

// The evidence of a row from a file without gfx. The hub derives gfx from the CU count, as AITER
// does.
constexpr const char* kInferredGfx = R"({"inferred":["gfx"]})";

// True if the row's own columns mark it as the default candidate.
bool SaysDefault(const core::Family& family, const core::Row& row) {
  if (family.default_column == core::kNoColumn) return false;
  std::string scratch;
  const core::Cells cells = core::SplitLine(row.line, scratch);
  return family.default_column < cells.size() &&
         cells[family.default_column] == family.default_value;
}

// Rejects rows with another family's kernel (kernel_of_another_family). Makes rows unmeasured whose
// kernel or libtype is in no list (core/row/known_kernel.h). Skips garbled rows, whose kernel is
// unknown.
void JudgeKernels(const core::Families& families, const core::Family& family,
                  std::vector<StagedRow>& rows, std::vector<core::RowIssue>& rejected) {
  core::KernelJudge judge(families, family);
  std::string scratch;
  auto kept = rows.begin();
  for (StagedRow& staged : rows) {
    core::Row& row = staged.row;
    if (row.standing != core::Standing::kGarbled) {
      const core::KernelVerdict verdict = judge.Of(core::SplitLine(row.line, scratch));
      if (verdict.of == core::KernelOf::kOthers) {
        rejected.push_back({row.source_line, family.columns[verdict.column].name,
                            std::string(verdict.code()), verdict.detail});
        continue;
      }
      core::Demote(verdict, row);
    }
    if (&*kept != &staged) *kept = std::move(staged);
    ++kept;
  }
  rows.erase(kept, rows.end());
  SortByLine(rejected);
}

}  // namespace

std::vector<StagedRow> StageRows(const Definitions& definitions, const core::Family& family,
                                 Submission submission, const RowOrigin& origin,
                                 FileReport& report) {
  std::vector<StagedRow> rows;
  rows.reserve(submission.table.rows.size());
  for (std::size_t i = 0; i < submission.table.rows.size(); ++i) {
    core::Row& row = submission.table.rows[i];
    StagedRow staged;
    staged.provider = RowProvider(origin.provider, row);
    staged.family = definitions.Id(family);
    staged.file = origin.file;
    if (row.inferred_gfx) staged.evidence = kInferredGfx;
    staged.is_default = SaysDefault(family, row);
    if (!submission.evidence.empty()) {
      if (!submission.evidence[i].empty()) staged.evidence = std::move(submission.evidence[i]);
      staged.is_default = staged.is_default || submission.marks[i].is_default;
      staged.searched = submission.marks[i].searched;
    }
    staged.row = std::move(row);
    rows.push_back(std::move(staged));
  }
  core::TunedTable& table = submission.table;
  if (origin.judges_kernels) JudgeKernels(definitions.families, family, rows, table.rejected);
  report.rejected = std::move(table.rejected);
  report.warnings = std::move(table.warnings);
  Describe(rows, report);
  return rows;
}

core::Status CheckRows(const Definitions& definitions, const Writer& writer,
                       const std::vector<StagedRow>& rows) {
  if (!writer.limits) return core::Ok();
  std::set<std::tuple<std::int16_t, std::string, int>> seen;
  for (const StagedRow& staged : rows) {
    if (staged.row.standing == core::Standing::kGarbled) continue;
    seen.emplace(staged.family, staged.row.gfx, staged.row.cu_num);
  }
  for (const auto& family : definitions.families.all()) {
    for (const auto& [id, gfx, cu_num] : seen) {
      if (id != definitions.Id(*family)) continue;
      if (auto within = CheckFamily(writer, family->name); !within.ok()) return within;
      if (auto within = CheckTarget(writer, gfx, cu_num); !within.ok()) return within;
    }
  }
  return core::Ok();
}

namespace {

// The rows of one batch have the same run, so the run does not decide between them.
core::Contender ContenderOf(const StagedRow& staged) {
  const core::Row& row = staged.row;
  core::Contender contender{row.standing, row.us, row.error, row.candidate, 0, {}};
  contender.bounds = row.bounds;
  return contender;
}

bool Competes(const StagedRow& staged) {
  return core::Competes(staged.row.standing);
}

bool SameKey(const StagedRow& a, const StagedRow& b) {
  return a.row.key == b.row.key && a.provider == b.provider;
}

// A row's index with the first bytes of its shape key. These bytes decide nearly every comparison
// of the sort. So the sort need not read the rows, which are far apart in memory. For 100,000 rows
// this saves a sixth of the server's time.
struct Place {
  std::uint64_t key = 0;  // big-endian: integer order is byte order
  std::size_t row = 0;
};

Place PlaceOf(const std::vector<StagedRow>& rows, std::size_t row) {
  Place place{0, row};
  for (std::size_t i = 0; i < sizeof place.key; ++i) {
    place.key = place.key << 8 | rows[row].row.key.bytes[i];
  }
  return place;
}

bool SortsBefore(const StagedRow& a, const StagedRow& b) {
  if (a.row.key != b.row.key) return a.row.key < b.row.key;
  if (a.provider != b.provider) return a.provider < b.provider;
  return core::Beats(ContenderOf(a), ContenderOf(b));
}

// `begin`..`end`: the rows of one shape key and provider. The best row is first. Each candidate
// occurs once.
void Mark(std::vector<StagedRow>::iterator begin, std::vector<StagedRow>::iterator end) {
  begin->best = true;
  begin->alone = std::count_if(begin, end, Competes) == 1;
}

}  // namespace

Folded Fold(std::vector<StagedRow> rows, std::size_t files) {
  Folded folded;
  folded.folded_per_file.resize(files, 0);
  folded.folded_competing_per_file.resize(files, 0);
  folded.rows.reserve(rows.size());
  std::vector<Place> order;  // rows are large, so sort their places instead
  order.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) order.push_back(PlaceOf(rows, i));
  std::stable_sort(order.begin(), order.end(), [&](const Place& a, const Place& b) {
    return a.key != b.key ? a.key < b.key : SortsBefore(rows[a.row], rows[b.row]);
  });
  std::unordered_set<core::Hash128, core::Hash128Hasher> candidates;  // seen for the current key
  auto group = static_cast<std::ptrdiff_t>(0);                        // the start of its rows
  for (const Place& place : order) {
    StagedRow& staged = rows[place.row];
    if (!folded.rows.empty() && !SameKey(folded.rows.back(), staged)) {
      Mark(folded.rows.begin() + group, folded.rows.end());
      group = static_cast<std::ptrdiff_t>(folded.rows.size());
      candidates.clear();
    }
    if (candidates.insert(staged.row.candidate).second) {
      folded.rows.push_back(std::move(staged));
      continue;
    }
    ++folded.folded_per_file[staged.file];
    if (Competes(staged)) ++folded.folded_competing_per_file[staged.file];
  }
  if (!folded.rows.empty()) Mark(folded.rows.begin() + group, folded.rows.end());
  return folded;
}

std::vector<JobContent> JobsToVerifyRows(const Definitions& definitions,
                                         const std::vector<const StagedRow*>& rows,
                                         const std::vector<JobContent>& open) {
  std::vector<JobContent> jobs;
  for (const auto& family : definitions.families.all()) {
    if (family->objective == core::kNoColumn) continue;
    const std::int16_t id = definitions.Id(*family);
    std::vector<core::FamilyShape> shapes;
    for (const StagedRow* staged : rows) {
      if (staged->family == id) shapes.push_back(ShapeOfLine(*family, staged->row.line));
    }
    if (shapes.empty()) continue;
    auto more = JobsToVerify(*family, id, {rows[0]->row.gfx, rows[0]->row.cu_num}, shapes, open,
                             "in_doubt");
    std::move(more.begin(), more.end(), std::back_inserter(jobs));
  }
  return jobs;
}

core::Status CheckOfJob(const Definitions& definitions, const JobContent& job,
                        const std::vector<StagedRow>& rows) {
  const core::Family* const family = definitions.FamilyOf(job.family);
  std::map<std::pair<std::string, int>, std::set<core::Hash128>> keys;  // by target
  for (const StagedRow& staged : rows) {
    const core::Row& row = staged.row;
    const auto [found, is_new] = keys.try_emplace({row.gfx, row.cu_num});
    if (is_new && family != nullptr) {
      for (const core::FamilyShape& shape : ReadStoredShapes(*family, job.shapes))
        found->second.insert(RowKeyOf(*family, shape, {row.gfx, row.cu_num}));
    }
    if (!found->second.contains(row.key)) {
      return core::Error{"not_of_job",
                         fmt::format("line {} is of no shape of job {}, which the run names",
                                     row.source_line, job.id)};
    }
  }
  return core::Ok();
}

namespace {

// The rows of one family, grouped by the columns that a compiled table compares.
class Shapes {
 public:
  explicit Shapes(const core::Family& family) : family_(family) {}

  void Add(const std::string& line) {
    auto [shape, value] = Split(line);
    values_[std::move(shape)].insert(std::move(value));
  }

  // Returns the reason why a compiled table confuses the row with another row; "": it does not.
  std::string Twins(const std::string& line) const {
    const auto found = values_.find(Split(line).first);
    if (found == values_.end() || found->second.size() < 2) return "";
    std::string values, last;
    for (const auto& [order, text] : found->second) {
      values += (values.empty() ? "" : " and ") + text;
      last = text;
    }
    return fmt::format(
        "this shape has rows of {}, which a compiled table cannot distinguish; the table keeps the "
        "last row, of {}",
        values, last);
  }

 private:
  // The row's sort key, and the text of the columns that compiled tables lack.
  using Value = std::pair<std::string, std::string>;

  std::pair<std::string, Value> Split(const std::string& line) const {
    std::string scratch;
    core::Cells cells = core::SplitLine(line, scratch);
    Value value;
    for (const std::size_t column : family_.lookup.compiled_without) {
      value.second += (value.second.empty() ? "" : " ") + std::string(cells[column]);
    }
    core::AppendOrderKey(value.first, family_, cells);
    for (const std::size_t column : family_.lookup.compiled_without) cells[column] = "";
    std::string shape;
    core::AppendOrderKey(shape, family_, cells);
    return {std::move(shape), std::move(value)};
  }

  const core::Family& family_;
  std::map<std::string, std::set<Value>> values_;
};

}  // namespace

void WarnOfTwins(const Definitions& definitions, const Snapshots& served,
                 const std::vector<StagedRow>& rows, std::vector<FileReport>& reports) {
  for (const auto& family : definitions.families.all()) {
    const auto& without = family->lookup.compiled_without;
    const std::int16_t id = definitions.Id(*family);
    const auto counts = [&](const StagedRow& it) {
      return it.family == id && core::Competes(it.row.standing);
    };
    if (without.empty() || std::none_of(rows.begin(), rows.end(), counts)) continue;
    Shapes shapes(*family);
    served.WaitUpToDate();
    const auto snapshot = served.Current(*family);  // keeps its rows alive during the read
    for (const auto& row : snapshot->rows) shapes.Add(row->line);
    for (const StagedRow& it : rows) {
      if (counts(it)) shapes.Add(it.row.line);
    }
    for (const StagedRow& it : rows) {
      if (!counts(it)) continue;
      std::string detail = shapes.Twins(it.row.line);
      if (detail.empty()) continue;
      reports[it.file].warnings.push_back({it.row.source_line,
                                           family->columns[without.front()].name, "compiled_twin",
                                           std::move(detail)});
    }
  }
}

}  // namespace tunehub::server
