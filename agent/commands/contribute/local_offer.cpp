#include "agent/commands/contribute/local_offer.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "agent/commands/tables/input_family.h"
#include "core/base/read_json.h"
#include "core/merge/merge.h"
#include "core/shapes/shape.h"
#include "core/system/file_bytes.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"
#include "core/table/untuned_table.h"

namespace tunehub::agent {
namespace {

struct ReadFiles {
  std::vector<core::FileBytes> bytes;
  std::map<const core::Family*, std::vector<core::SourceFile>> families;
};

core::Result<ReadFiles> ReadResults(const Configuration& configuration,
                                    const std::vector<std::string>& names,
                                    const std::string& of_family) {
  ReadFiles read;
  for (const std::string& name : names) {
    auto bytes = core::FileBytes::Read(name);
    if (!bytes.ok()) return bytes.error();
    const auto family = FamilyOf(configuration.families, of_family, {name, bytes->view()});
    if (!family.ok()) return family.error();
    read.families[*family].push_back({name, bytes->view()});
    read.bytes.push_back(*std::move(bytes));
  }
  return read;
}

void AddUnusable(const core::Family& family, const std::vector<core::SourceFile>& sources,
                 const core::Merged& merged, std::vector<LeftOut>& left_out) {
  for (const core::FileIssues& file : merged.issues) {
    for (const auto* issues : {&file.rejected, &file.quarantined}) {
      for (const core::RowIssue& issue : *issues) {
        left_out.push_back({family.name, fmt::format("{}:{}", sources[file.file].name, issue.line),
                            issue.code, issue.detail});
      }
    }
  }
}

// The best time of each key.
core::Result<RowTimes> TimesOf(const Configuration& configuration, const core::Family& family,
                               std::span<const core::SourceFile> sources) {
  RowTimes times;
  const auto merged = core::MergeTables(family, configuration.targets, sources);
  if (!merged.ok()) return merged.error();
  const std::string csv = merged->Csv();
  const auto table = ReadRows(family, configuration.targets, csv);
  if (!table.ok()) return table.error();
  for (const core::Row& row : table->rows) {
    if (row.standing == core::Standing::kMeasured) times.emplace(row.key, row.us);
  }
  return times;
}

// `run`: the one that measured all of them.
std::vector<OfferedRow> OfferedRows(std::span<const core::Row> rows, const RowTimes& untuned,
                                    std::optional<std::size_t> run) {
  std::vector<OfferedRow> offered;
  for (const core::Row& row : rows) {
    OfferedRow& it = offered.emplace_back(OfferedRow{row.line, row.us, {}, run});
    const auto time = untuned.find(row.key);
    if (time != untuned.end()) it.before_us = time->second;
  }
  return offered;
}

core::Result<nlohmann::ordered_json> ReadRun(const std::string& file) {
  const auto bytes = core::FileBytes::Read(file);
  if (!bytes.ok()) return bytes.error();
  auto run = core::ReadJsonAs<nlohmann::ordered_json>(bytes->view());
  if (run.is_object()) return run;
  return core::Error{"bad_run", file + " is no JSON object as POST /runs takes it"};
}

}  // namespace

core::Result<BeforeTimes> ReadBefore(const Configuration& configuration,
                                     const LocalResults& results) {
  const auto read = ReadResults(configuration, results.before, results.family);
  if (!read.ok()) return read.error();
  BeforeTimes before;
  for (const auto& [family, sources] : read->families) {
    auto times = TimesOf(configuration, *family, sources);
    if (!times.ok()) return times.error();
    before[family] = *std::move(times);
  }
  return before;
}

core::Result<Offer> OfferOfFiles(const Configuration& configuration, const LocalResults& results) {
  auto before = ReadBefore(configuration, results);
  if (!before.ok()) return before.error();
  return OfferOfFiles(configuration, results, *before);
}

core::Result<Offer> OfferOfFiles(const Configuration& configuration, const LocalResults& results,
                                 BeforeTimes& before) {
  const auto read = ReadResults(configuration, results.files, results.family);
  if (!read.ok()) return read.error();
  Offer offer;
  offer.from = results.files.size() == 1 ? results.files.front()
                                         : fmt::format("{} files", results.files.size());
  for (const std::string& file : results.runs) {
    auto run = ReadRun(file);
    if (!run.ok()) return run.error();
    offer.runs.push_back(*std::move(run));
  }
  for (const auto& [family, sources] : read->families) {
    const auto merged = core::MergeTables(*family, configuration.targets, sources);
    if (!merged.ok()) return merged.error();
    AddUnusable(*family, sources, *merged, offer.left_out);
    const std::string csv = merged->Csv();
    const auto table = ReadRows(*family, configuration.targets, csv);
    if (!table.ok()) return table.error();
    std::optional<std::size_t> run;
    if (offer.runs.size() == 1) run = 0;
    offer.families.push_back({family, OfferedRows(table->rows, before[family], run)});
  }
  if (results.only.empty()) return offer;
  if (auto kept = KeepListed(results.only, offer); !kept.ok()) return kept.error();
  return offer;
}

core::Status KeepListed(const std::string& untuned, Offer& offer) {
  const auto bytes = core::FileBytes::Read(untuned);
  if (!bytes.ok()) return bytes.error();
  for (FamilyOffer& of_family : offer.families) {
    const core::Family& family = *of_family.family;
    const auto listed = core::ReadUntunedTable(family, bytes->view(), {}, core::kMaxTableRows);
    if (!listed.ok())
      return core::Error{listed.error().code, untuned + ": " + listed.error().detail};
    std::set<std::string> shapes;
    for (const core::UntunedRow& row : listed->rows) {
      shapes.insert(core::OrderKeyOf(family, row.shape, "", 0));
    }
    std::erase_if(of_family.rows, [&](const OfferedRow& row) {
      std::string scratch;
      const core::Cells cells = core::SplitLine(row.line, scratch);
      core::FamilyShape shape;
      shape.cells.resize(family.columns.size());
      for (const std::size_t column : core::ShapeColumns(family)) {
        shape.cells[column] = cells[column];
      }
      return !shapes.contains(core::OrderKeyOf(family, shape, "", 0));
    });
  }
  return core::Ok();
}

}  // namespace tunehub::agent
