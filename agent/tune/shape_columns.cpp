#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "agent/tune/shape_rows.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kTraceName = "Name", kTraceCalls = "Calls", kTraceAverage = "AverageNs";
constexpr double kNanoseconds = 1000;  // nanoseconds in a microsecond

struct TracedSum {
  TracedKernel kernel;
  std::int64_t calls = 0;  // number of calls in the first row
};

// Adds a row to the sum. The caller adds the file's name to an error.
core::Status Add(std::string_view name, std::string_view calls, std::string_view average,
                 TracedSum& sum) {
  const auto count = core::ParseInt64(calls);
  const auto ns = core::ParseNumber(average);
  if (!count || *count < 1 || !ns || !std::isfinite(*ns) || *ns <= 0) {
    return core::Error{
        "bad_trace",
        fmt::format("{} '{}' must be a whole number from 1, and {} '{}' a number above 0",
                    kTraceCalls, core::Excerpt(calls), kTraceAverage, core::Excerpt(average))};
  }
  if (sum.calls != 0 && sum.calls != *count) {
    return core::Error{
        "several_kernels",
        fmt::format("'{}' has {} calls, but '{}' has {}, so these kernels are not parts of one "
                    "operator; name one of them in the column kernel",
                    core::Excerpt(sum.kernel.names), sum.calls, core::Excerpt(name), *count)};
  }
  sum.calls = *count;
  sum.kernel.us += *ns / kNanoseconds;
  sum.kernel.names.append(sum.kernel.names.empty() ? "" : " + ").append(name);
  return core::Ok();
}

bool IsTraceHeader(const core::CsvRecord& header) {
  return std::ranges::all_of(
      std::initializer_list{kTraceName, kTraceCalls, kTraceAverage},
      [&](auto name) { return std::ranges::find(header.fields, name) != header.fields.end(); });
}

constexpr std::pair<std::string_view, double> kUnits[] = {
    {"ns", 1e-3}, {"us", 1}, {"ms", 1e3}, {"s", 1e6}};

constexpr std::string_view kFirst[] = {"kernel", "config", "B", "M", "N", "K"};

// Shape columns of drivers and AITER's Triton benches that no family has; true if it is a size.
constexpr std::pair<std::string_view, bool> kBenchColumns[] = {{"kernel", false},
                                                               {"config", false},
                                                               {"model_name", false},
                                                               {"hidden_dim", true},
                                                               {"intermediate_dim", true}};
// The column with the bucket whose config ran, beside times of two Triton configs. This reader
// ignores it.
constexpr std::string_view kBucket = "bucket";

std::optional<double> MicrosecondsIn(std::string_view unit) {
  const auto found = std::ranges::find(kUnits, unit, [](const auto& it) { return it.first; });
  return found == std::end(kUnits) ? std::nullopt : std::optional<double>(found->second);
}

// True if the shape column is a size; empty if it is not a shape column.
std::optional<bool> IsSize(const core::Families& families, std::string_view name) {
  // The letters B, M, N, K. Fused kernels also have N8 and N16.
  const bool is_letter = !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
  if (is_letter && name.find_first_not_of("0123456789", 1) == name.npos) return true;
  for (const auto& [known, is_size] : kBenchColumns) {
    if (known == name) return is_size;
  }
  std::optional<bool> is_size;
  for (const auto& family : families.all()) {
    for (const core::Column& column : family->columns) {
      if (!column.is_shape() || column.name != name) continue;
      is_size = is_size.value_or(false) || column.type == core::Type::kInteger;
    }
  }
  return is_size;
}

// "Triton" and "ms" of "Triton (Time (ms))"; "Time" and "ms" of "Time_(ms)".
std::pair<std::string, std::string> LineAndUnit(std::string_view column) {
  const std::size_t first = column.find('('), last = column.rfind('(');
  if (first == column.npos) return {std::string(column), ""};
  std::string_view line = core::Trim(column.substr(0, first));
  if (line.ends_with('_')) line.remove_suffix(1);
  const std::string_view unit = column.substr(last + 1);
  return {std::string(line), std::string(unit.substr(0, unit.find(')')))};
}

// Finds the columns with times among the columns outside the shape key.
core::Status ChooseTimes(const core::CsvRecord& header, const std::vector<std::size_t>& others,
                         const std::string& unit, ShapeColumns& columns) {
  if (columns.trace && (columns.us || columns.keys.front().name != "kernel")) {
    return core::Error{
        "bad_header",
        columns.us
            ? "has the columns us and trace; remove one of them"
            : "has a column trace, but no column kernel, which names the kernel in the trace"};
  }
  const bool is_known = columns.us || columns.trace;
  const bool any_unit = std::ranges::any_of(others, [&](std::size_t i) {
    return MicrosecondsIn(LineAndUnit(header.fields[i]).second).has_value();
  });
  if (columns.us) columns.times.push_back({*columns.us, "us", 1});
  for (const std::size_t i : others) {
    const auto [line, said] = LineAndUnit(header.fields[i]);
    const auto us = MicrosecondsIn(said.empty() && !any_unit ? unit : said);
    if (us && !is_known) {
      columns.times.push_back({i, line, *us});
    } else {
      columns.unread.emplace_back(header.fields[i]);
    }
  }
  if (columns.trace || !columns.times.empty()) return core::Ok();
  return core::Error{"no_times",
                     fmt::format("no column is a time (us, 'Triton (Time (ms))' or trace); the "
                                 "columns are {}. If a time's column has no unit, pass --unit",
                                 core::Excerpt(fmt::format("{}", fmt::join(header.fields, ", ")),
                                               core::kMaxFieldBytes))};
}

// Returns the kernel with exactly this name, or else the sum of its parts. `wrong`: an error in the
// parts, which does not matter if the exact kernel exists.
core::Result<TracedKernel> Chosen(const TracedSum& exact, const TracedSum& parts,
                                  const core::Status& wrong, core::Error none) {
  if (exact.calls != 0) return exact.kernel;
  if (!wrong.ok()) return wrong.error();
  if (parts.calls != 0) return parts.kernel;
  return none;
}

}  // namespace

core::Result<TracedKernel> ReadTrace(const std::filesystem::path& path, const std::string& kernel) {
  const auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok()) return bytes.error();
  const std::string file = path.string();
  core::CsvReader reader(bytes->view());
  core::CsvRecord record;
  if (const auto first = reader.First(record); !first.ok()) return first.error().In(file);
  if (!IsTraceHeader(record))
    return core::Error{"bad_trace", "expected the output of rocprofv3 --kernel-trace --stats"}.In(
        file);
  const std::vector<std::string> header(record.fields.begin(), record.fields.end());
  const auto cell = [&](std::string_view name) {
    const auto i = static_cast<std::size_t>(std::ranges::find(header, name) - header.begin());
    return i < record.fields.size() ? record.fields[i] : std::string_view();
  };
  TracedSum exact, parts;
  core::Status wrong = core::Ok();
  auto more = reader.Next(record);
  for (; more.ok() && *more; more = reader.Next(record)) {
    const bool is_it = cell(kTraceName) == kernel;
    if (cell(kTraceName).find(kernel) == std::string_view::npos) continue;
    const auto added =
        Add(cell(kTraceName), cell(kTraceCalls), cell(kTraceAverage), is_it ? exact : parts);
    if (added.ok()) continue;
    core::Error error{added.error().code,
                      fmt::format("{}:{}: {}", file, record.line, added.error().detail)};
    if (is_it) return error;
    if (wrong.ok()) wrong = std::move(error);
  }
  if (!more.ok()) return more.error().In(file);
  return Chosen(
      exact, parts, wrong,
      core::Error{"no_kernel", fmt::format("no row names kernel '{}'", core::Excerpt(kernel))}.In(
          file));
}

core::Result<ShapeColumns> ShapeColumnsOf(const core::Families& families,
                                          const core::CsvRecord& header, const std::string& unit) {
  if (IsTraceHeader(header)) {
    return core::Error{"no_shape",
                       "is an output of rocprofv3 --stats, whose rows name no shape. List one "
                       "trace per shape in a CSV with the columns kernel, the sizes and trace"};
  }
  ShapeColumns columns;
  const std::map<std::string_view, std::optional<std::size_t>*> single = {
      {"gfx", &columns.gfx},
      {"cu_num", &columns.cu_num},
      {"status", &columns.status},
      {"us", &columns.us},
      {"trace", &columns.trace}};
  std::map<std::string, std::size_t> fields;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    const std::string name(header.fields[i] == "batch" ? "B" : header.fields[i]);
    if (!fields.emplace(name, i).second)
      return core::Error{"bad_header",
                         fmt::format("two columns are named '{}'", core::Excerpt(name))};
    if (const auto found = single.find(name); found != single.end()) {
      *found->second = i;
    } else if (const auto is_size = IsSize(families, name)) {
      columns.keys.push_back({i, name, *is_size});
    } else if (name != kBucket) {
      others.push_back(i);
    }
  }
  if (columns.keys.empty())
    return core::Error{"no_shape",
                       "found no column of a shape; expected M, N, K, or a family's columns"};
  std::ranges::sort(columns.keys, {}, [](const ShapeColumns::Key& key) {
    return std::tuple(std::ranges::find(kFirst, key.name) - std::begin(kFirst),
                      std::string_view(key.name));
  });
  const auto chosen = ChooseTimes(header, others, unit, columns);
  if (!chosen.ok()) return chosen.error();
  return columns;
}

}  // namespace tunehub::agent
