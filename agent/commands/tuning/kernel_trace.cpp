#include "agent/commands/tuning/kernel_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/excerpt.h"
#include "core/row/cell.h"

namespace tunehub::agent::tuning {
namespace {

constexpr std::string_view kTraceName = "Name", kTraceCalls = "Calls", kTraceAverage = "AverageNs";
constexpr double kNanoseconds = 1000;  // in a microsecond

struct TracedSum {
  TracedKernel kernel;
  std::int64_t calls = 0;  // of its first row
};

// Adds a row; the detail of the error is without the file.
core::Status Add(std::string_view name, std::string_view calls, std::string_view average,
                 TracedSum& sum) {
  const auto count = core::ParseInt64(calls);
  const auto ns = core::ParseNumber(average);
  if (!count || *count < 1 || !ns || !std::isfinite(*ns) || *ns <= 0) {
    return core::Error{"bad_trace",
                       fmt::format("{} '{}' and {} '{}' are no time of a call", kTraceCalls,
                                   core::Excerpt(calls), kTraceAverage, core::Excerpt(average))};
  }
  if (sum.calls != 0 && sum.calls != *count) {
    return core::Error{
        "several_kernels",
        fmt::format("'{}' has {} calls and '{}' {}, so they are no parts of one "
                    "operator: name one of them as kernel",
                    core::Excerpt(sum.kernel.names), sum.calls, core::Excerpt(name), *count)};
  }
  sum.calls = *count;
  sum.kernel.us += *ns / kNanoseconds;
  sum.kernel.names.append(sum.kernel.names.empty() ? "" : " + ").append(name);
  return core::Ok();
}

}  // namespace

bool IsTraceHeader(const core::CsvRecord& header) {
  return std::ranges::all_of(
      std::initializer_list{kTraceName, kTraceCalls, kTraceAverage},
      [&](auto name) { return std::ranges::find(header.fields, name) != header.fields.end(); });
}

core::Result<TracedKernel> ReadTrace(const std::string& file, std::string_view csv,
                                     const std::string& kernel) {
  core::CsvReader reader(csv);
  core::CsvRecord record;
  const auto in_file = [&](const core::Error& error) {
    return core::Error{error.code, file + ": " + error.detail};
  };
  if (const auto first = reader.First(record); !first.ok()) return in_file(first.error());
  if (!IsTraceHeader(record))
    return in_file({"bad_trace", "is no output of rocprofv3 --kernel-trace --stats"});
  const std::vector<std::string> header(record.fields.begin(), record.fields.end());
  const auto cell = [&](std::string_view name) {
    const auto i = static_cast<std::size_t>(std::ranges::find(header, name) - header.begin());
    return i < record.fields.size() ? record.fields[i] : std::string_view();
  };
  TracedSum exact, parts;
  core::Status wrong = core::Ok();  // of the parts, which do not count beside the kernel itself
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
  if (!more.ok()) return in_file(more.error());
  if (exact.calls != 0) return exact.kernel;
  if (!wrong.ok()) return wrong.error();
  if (parts.calls != 0) return parts.kernel;
  return in_file({"no_kernel", fmt::format("no row names kernel '{}'", core::Excerpt(kernel))});
}

}  // namespace tunehub::agent::tuning
