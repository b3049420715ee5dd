#include "agent/commands/explain/worth.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/analysis/statistics.h"
#include "core/row/cell.h"
#include "core/row/key.h"
#include "core/row/row_target.h"
#include "core/table/csv.h"
#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

// The value of `name` in "M=16 N=1280 K=5120"; nothing where it is not there.
std::optional<std::string_view> ValueIn(std::string_view shape, std::string_view name) {
  while (!shape.empty()) {
    const std::size_t end = std::min(shape.find(' '), shape.size());
    const std::string_view word = shape.substr(0, end);
    shape.remove_prefix(std::min(end + 1, shape.size()));
    if (word.starts_with(name) && word.substr(name.size()).starts_with('=')) {
      return word.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

// Where the columns that are needed stand in the header of the hub's CSV.
struct SpeedupColumns {
  std::size_t shape = core::kNoColumn, speedup = core::kNoColumn;

  bool ok() const { return shape != core::kNoColumn && speedup != core::kNoColumn; }
};

SpeedupColumns ColumnsOf(const core::CsvRecord& header) {
  SpeedupColumns columns;
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    if (header.fields[i] == "shape") columns.shape = i;
    if (header.fields[i] == "tuned_over_default") columns.speedup = i;
  }
  return columns;
}

bool IsOf(const core::Family& family, const core::Target& target, const core::Cells& cells) {
  return core::GfxOf(family, cells) == target.gfx &&
         (family.cu_num == core::kNoColumn ||
          cells[family.cu_num] == std::to_string(target.cu_num));
}

double TimeOf(const core::Family& family, std::string_view line) {
  std::string scratch;
  const auto us = core::ParseNumber(core::SplitLine(line, scratch)[family.objective]);
  return us.value_or(0);
}

std::string CandidateOf(const core::Family& family, std::string_view line) {
  std::string scratch, text;
  core::AppendCandidateText(text, family, core::SplitLine(line, scratch));
  return text;
}

}  // namespace

std::size_t SizeColumn(const core::Family& family) {
  return family.lookup.m != core::kNoColumn ? family.lookup.m : family.Find(family.heat_map.x);
}

std::vector<std::size_t> PairColumns(const core::Family& family) {
  std::vector<std::size_t> columns;
  for (const std::string& name : family.heat_map.y) {
    const std::size_t column = family.Find(name);
    if (column != SizeColumn(family)) columns.push_back(column);
  }
  return columns;
}

core::Result<std::vector<MeasuredSpeedup>> ReadSpeedups(const core::Family& family,
                                                        std::string_view csv) {
  core::CsvReader reader(csv);
  core::CsvRecord record;
  const core::Status first = reader.First(record);
  if (!first.ok()) return first.error();
  const SpeedupColumns columns = ColumnsOf(record);
  if (!columns.ok()) {
    return core::Error{"bad_answer",
                       "the hub's speed-ups have no column shape or "
                       "tuned_over_default"};
  }
  const std::vector<std::size_t> pair = PairColumns(family);
  std::vector<MeasuredSpeedup> speedups;
  for (;;) {
    const auto more = reader.Next(record);
    if (!more.ok()) return more.error();
    if (!*more) return speedups;
    if (record.fields.size() <= std::max(columns.shape, columns.speedup)) continue;
    const auto speedup = core::ParseNumber(record.fields[columns.speedup]);
    if (!speedup || !(*speedup > 0)) continue;  // of a key whose default nobody measured
    MeasuredSpeedup measured{{}, *speedup};
    for (const std::size_t column : pair) {
      measured.pair.emplace_back(
          ValueIn(record.fields[columns.shape], family.columns[column].name).value_or(""));
    }
    speedups.push_back(std::move(measured));
  }
}

std::vector<MeasuredSpeedup> SpeedupsOf(const core::Family& family, const core::Target& target,
                                        std::span<const core::Duplicate> duplicates,
                                        std::string_view default_candidate) {
  std::vector<MeasuredSpeedup> speedups;
  if (family.objective == core::kNoColumn) return speedups;
  for (const core::Duplicate& duplicate : duplicates) {
    const std::string& winner = duplicate.places.front().text;
    std::string scratch;
    const core::Cells cells = core::SplitLine(winner, scratch);
    if (!IsOf(family, target, cells)) continue;
    const auto runs_untuned = std::ranges::find_if(duplicate.places, [&](const core::Place& place) {
      return CandidateOf(family, place.text) == default_candidate;
    });
    if (runs_untuned == duplicate.places.end()) continue;
    const double tuned_us = TimeOf(family, winner), default_us = TimeOf(family, runs_untuned->text);
    const bool measured = tuned_us > 0 && default_us > 0 && std::isfinite(default_us);
    if (!measured) continue;
    MeasuredSpeedup speedup{{}, default_us / tuned_us};
    for (const std::size_t column : PairColumns(family)) speedup.pair.emplace_back(cells[column]);
    speedups.push_back(std::move(speedup));
  }
  return speedups;
}

Worth WorthOf(std::span<const MeasuredSpeedup> speedups, const std::vector<std::string>& pair) {
  std::vector<double> of_pair, of_family;
  for (const MeasuredSpeedup& it : speedups) {
    of_family.push_back(it.speedup);
    if (it.pair == pair) of_pair.push_back(it.speedup);
  }
  if (of_family.empty()) return {};
  const bool known = !of_pair.empty();
  const std::size_t keys = known ? of_pair.size() : of_family.size();
  return {analysis::Median(std::move(known ? of_pair : of_family)), keys, !known};
}

}  // namespace tunehub::agent
