#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "agent/engines/aiter_results.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kStatuses[] = {"OK", "ERROR", "MISMATCH"};

// Returns the text between `head` and `tail`, and moves `text` after `tail`. Returns nothing if one
// of them is missing.
std::optional<std::string_view> Between(std::string_view& text, std::string_view head,
                                        std::string_view tail) {
  const std::size_t begin = text.find(head);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(begin + head.size());
  const std::size_t end = rest.find(tail);
  if (end == std::string_view::npos) return std::nullopt;
  text = rest.substr(end);
  return core::Trim(rest.substr(0, end));
}

// "shape | us | OK"
std::optional<AiterTiming> TimingOf(std::string_view line) {
  const std::size_t last = line.rfind('|');
  if (last == std::string_view::npos || last == 0) return std::nullopt;
  const std::size_t first = line.rfind('|', last - 1);
  if (first == std::string_view::npos) return std::nullopt;
  const std::string_view status = core::Trim(line.substr(last + 1));
  if (std::ranges::find(kStatuses, status) == std::end(kStatuses)) return std::nullopt;
  AiterTiming timing;
  timing.status = status;
  const auto us = core::ParseNumber(core::Trim(line.substr(first + 1, last - first - 1)));
  if (us && std::isfinite(*us) && *us > 0) timing.us = us;
  return timing;
}

struct Heading {
  std::string_view text;
  AiterReportOf of;
};
constexpr Heading kHeadings[] = {
    {"production operator benchmark (default)", AiterReportOf::kDefault},
    {"production operator benchmark (tuned)", AiterReportOf::kTuned},
    {"Running pre-tune benchmark", AiterReportOf::kDefault},
    {"Running post-tune benchmark", AiterReportOf::kTuned},
    {"Tune Performance Comparison", AiterReportOf::kDefault},
    {"Compare Report", AiterReportOf::kUnsaid},
};

// "shape | before | after | speed-up | OK" of --compare: the time before.
std::optional<AiterTiming> ComparedOf(std::string_view line) {
  std::vector<std::string_view> fields = core::SplitAt(line, "|");
  std::ranges::transform(fields, fields.begin(), core::Trim);
  constexpr std::size_t kFields = 5;
  if (fields.size() != kFields || !fields[3].ends_with('x')) return std::nullopt;
  AiterTiming timing;
  timing.status = kStatuses[0];  // the last field is the status after tuning
  const auto us = core::ParseNumber(fields[1]);
  if (us && std::isfinite(*us) && *us > 0) timing.us = us;
  return timing;
}

// "M=16, N=1280"
void ReadKeys(std::string_view text, std::map<std::string, std::string>& keys) {
  for (std::string_view item : core::SplitAt(text, ",")) {
    item = core::Trim(item);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    keys[std::string(item.substr(0, equals))] = item.substr(equals + 1);
  }
}

// Returns the shape key's columns of a correct run; null if its GPU is unknown.
Json KeyOf(const core::Family& family, const AiterTiming& timing, const core::Target& here) {
  if (!timing.us || timing.status != "OK") return nullptr;
  Json row = Json::object();
  for (const std::size_t column : family.key_columns) {
    const std::string& name = family.columns[column].name;
    const auto said = timing.keys.find(name);
    if (said != timing.keys.end() && !said->second.empty()) {
      row[name] = said->second;
    } else if (column == family.gfx && !here.gfx.empty()) {
      row[name] = here.gfx;
    } else if (column == family.cu_num && here.cu_num > 0) {
      row[name] = std::to_string(here.cu_num);
    } else if (column != family.tag) {
      return nullptr;
    }
  }
  return row;
}

void AddTime(const core::Family& family, double us, Json& row) {
  row[family.columns[family.objective].name] = us;
  row["timing"] = "operator";
  row["status"] = "ok";
}

OperatorRows BodyOf(Json rows) {
  if (rows.empty()) return {};
  const std::size_t count = rows.size();
  return {Json{{"rows", std::move(rows)}}.dump(-1, ' ', false, Json::error_handler_t::replace),
          count};
}

// Returns a shape key in canonical text. (A report may write cells in another form, such as "1" or
// "True".)
std::string KeyText(const core::Family& family, const Json& row) {
  std::string text;
  core::Scratch scratch;
  for (const std::size_t column : family.key_columns) {
    const auto cell = row.find(family.columns[column].name);
    const std::string raw = cell == row.end() ? std::string() : cell->get<std::string>();
    const auto canonical = core::CanonicalCell(family.columns[column], raw, scratch);
    text += (canonical.ok() ? std::string(*canonical) : raw) + ",";
  }
  return text;
}

Json ColumnsOf(const core::Family& family, const std::vector<std::size_t>& columns,
               const core::Cells& cells) {
  Json row = Json::object();
  for (const std::size_t column : columns)
    row[family.columns[column].name] = std::string(cells[column]);
  return row;
}

void AddReference(const DefaultTimes& defaults, const std::string& key, Json& row) {
  const auto found = defaults.find(key);
  if (found != defaults.end()) row["us_reference"] = found->second;
}

}  // namespace

bool ReadProgress(std::string_view line, AiterProgress& progress) {
  constexpr std::string_view kResult = "Tuning result for ";
  if (const std::size_t at = line.find(kResult); at != std::string_view::npos) {
    progress.last = core::Trim(line.substr(at + kResult.size()));
    return true;
  }
  const auto done = Between(line, "processed ", " batches of ");
  const auto batches = Between(line, " batches of ", ",");
  const auto percent = Between(line, "====> ", "%");
  if (!done || !batches || !percent) return false;
  const auto done_count = core::ParseInt(*done), count = core::ParseInt(*batches);
  const auto share = core::ParseNumber(*percent);
  if (!done_count || !count || !share) return false;
  progress.batches_done = *done_count;
  progress.batches = *count;
  progress.percent = *share;
  return true;
}

void AiterReportReader::Add(std::string_view line) {
  constexpr std::string_view kKeys = "keys:", kReason = "reason:";
  const std::string_view text = core::Trim(line);
  for (const Heading& heading : kHeadings) {
    if (text.find(heading.text) != std::string_view::npos) of_ = heading.of;
  }
  auto timing = ComparedOf(text);
  if (!timing) timing = TimingOf(text);
  if (timing) {
    timing->of = of_;
    timings_.push_back(*std::move(timing));
    open_ = true;
  } else if (open_ && text.starts_with(kKeys)) {
    ReadKeys(text.substr(kKeys.size()), timings_.back().keys);
  } else if (open_ && text.starts_with(kReason)) {
    timings_.back().reason = core::Trim(text.substr(kReason.size()));
  } else {
    open_ = false;
  }
}

std::vector<AiterTiming> LoggedDefaults(std::string_view log, bool is_before) {
  AiterReportReader reader;
  for (const std::string_view line : core::SplitAfter(log, "\r\n")) reader.Add(line);
  auto timings = reader.timings();
  std::erase_if(timings, [&](const AiterTiming& timing) {
    return timing.of != AiterReportOf::kDefault &&
           !(is_before && timing.of == AiterReportOf::kUnsaid);
  });
  return timings;
}

DefaultTimes DefaultTimesOf(const core::Family& family, const std::vector<AiterTiming>& timings,
                            const core::Target& here) {
  DefaultTimes times;
  if (!core::Environment(family.env.c_str()).empty()) return times;
  for (const AiterTiming& timing : timings) {
    const Json key = KeyOf(family, timing, here);
    if (!key.is_null()) times[KeyText(family, key)] = *timing.us;
  }
  return times;
}

core::Result<std::string> CandidateRows(const core::Family& family, const core::Targets& targets,
                                        std::string_view csv, const DefaultTimes& defaults) {
  const auto table =
      core::ReadTunedTable(family, targets, csv, {.error_limit = std::nullopt, .warnings = false});
  if (!table.ok()) return table.error();
  std::vector<std::size_t> all(family.columns.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  Json rows = Json::array();
  std::string scratch;
  for (const core::Row& row : table->rows) {
    Json columns = ColumnsOf(family, all, core::SplitLine(row.line, scratch));
    AddReference(defaults, KeyText(family, columns), columns);
    rows.push_back(std::move(columns));
  }
  return BodyOf(std::move(rows)).json;
}

OperatorRows DefaultRows(const core::Family& family, const std::vector<AiterTiming>& timings,
                         const core::Target& here) {
  Json rows = Json::array();
  for (const AiterTiming& timing : timings) {
    Json row = KeyOf(family, timing, here);
    if (row.is_null()) continue;
    for (const std::size_t column : family.config_columns)
      row[family.columns[column].name] = nullptr;
    AddTime(family, *timing.us, row);
    row["is_default"] = true;
    rows.push_back(std::move(row));
  }
  return BodyOf(std::move(rows));
}

core::Result<OperatorRows> TunedOperatorRows(const core::Family& family,
                                             const core::Targets& targets,
                                             const std::vector<AiterTiming>& timings,
                                             std::string_view tuned, const core::Target& here,
                                             const DefaultTimes& defaults) {
  const auto table = core::ReadTunedTable(family, targets, tuned,
                                          {.error_limit = std::nullopt, .warnings = false});
  if (!table.ok()) return table.error();
  std::map<std::string, Json> known;  // by shape key: its columns and the config's
  std::string scratch;
  for (const core::Row& row : table->rows) {
    if (!core::Competes(row.standing)) continue;
    const core::Cells cells = core::SplitLine(row.line, scratch);
    Json columns = ColumnsOf(family, family.key_columns, cells);
    const std::string key = KeyText(family, columns);
    AddReference(defaults, key, columns);
    for (const std::size_t column : family.config_columns) {
      Json& cell = columns[family.columns[column].name];
      if (!cells[column].empty()) cell = std::string(cells[column]);
    }
    known.emplace(key, std::move(columns));
  }
  Json rows = Json::array();
  for (const AiterTiming& timing : timings) {
    const Json key = KeyOf(family, timing, here);
    const auto found = key.is_null() ? known.end() : known.find(KeyText(family, key));
    if (found == known.end()) continue;
    Json row = found->second;
    AddTime(family, *timing.us, row);
    rows.push_back(std::move(row));
  }
  return BodyOf(std::move(rows));
}

}  // namespace tunehub::agent
