#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/analysis/bucket_merge.h"
#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/table/csv.h"

namespace tunehub::buckets {
namespace {

using core::Error;

constexpr std::string_view kTemplate =
    "# config: old\n"
    "# gfx: gfx950\n"
    "# rocm: 7.2.0\n"
    "# triton: 3.7.0\n"
    "# Use one file for each config, or one file with a column `config` (old, new). Several rows\n"
    "# of one shape are repeated runs; three runs that agree within 5 % are enough.\n"
    "# Write the config's name in lower case as kernel. N, K (and B, N8, ...) are as in the "
    "file's\n"
    "# name, so K is the logical K. The bucket is the one that has the config. Leave the column\n"
    "# `us` empty if the kernel did not run.\n"
    "kernel,B,M,N,K,bucket,us\n";

// The columns other than sizes.
constexpr std::string_view kColumns[] = {"kernel", "M", "bucket", "us", "config", "gfx"};

bool IsSizeName(std::string_view name) {
  return !name.empty() && name.front() >= 'A' && name.front() <= 'Z' && name != "M" &&
         core::HoldsOnly(name, "");
}

// Removes a driver's suffix: "gfx950:sramecc+:xnack-" -> "gfx950".
std::string ArchOf(std::string_view gfx) {
  return std::string(core::Trim(gfx.substr(0, gfx.find(':'))));
}

class RunsReader {
 public:
  // `config` and `arch` apply to every row if the file has no column for them.
  RunsReader(const std::string& file, std::string config, std::string arch)
      : file_(file), config_(std::move(config)), arch_(std::move(arch)) {}

  core::Status ReadHeader(const core::CsvRecord& header) {
    if (const auto added = AddColumns(header); !added.ok()) return added.error();
    if (const auto whole = CheckColumns(header); !whole.ok()) return whole.error();
    // The order of files' names: B first, K and CU last.
    const auto rank = [](const std::string& name) {
      return name == "B" ? 0 : name == "CU" ? 3 : name == "K" ? 2 : 1;
    };
    std::ranges::stable_sort(sizes_, {}, rank);
    return core::Ok();
  }

  core::Result<BucketTime> Read(const core::CsvRecord& record) const {
    if (record.fields.size() != fields_.size()) {
      return Error{"bad_cell", fmt::format("{}:{}: has {} fields, but the header has {}", file_,
                                           record.line, record.fields.size(), fields_.size())};
    }
    BucketTime time;
    time.place = fmt::format("{}:{}", file_, record.line);
    time.kernel = KernelOf(Cell(record, "kernel"));
    if (time.kernel.empty()) return Wrong(record, "kernel", ", but a kernel is needed");
    time.arch = fields_.contains("gfx") ? ArchOf(Cell(record, "gfx")) : arch_;
    for (const std::string& name : sizes_) {
      if (!NumberOf(Cell(record, name)))
        return Wrong(record, name, ": expected a whole number above 0");
      time.sizes.emplace_back(name, Cell(record, name));
    }
    const auto m = NumberOf(Cell(record, "M"));
    if (!m) return Wrong(record, "M", ": expected a whole number above 0");
    time.m = *m;
    time.bucket = Cell(record, "bucket");
    if (KeyOf(time.bucket).kind == BucketKind::kOther) {
      return Wrong(record, "bucket", ": expected a bucket, M_LEQ_<number>, M_GEQ_<number> or any");
    }
    const std::string config = fields_.contains("config") ? Cell(record, "config") : config_;
    if (config != "old" && config != "new") return Wrong(record, "config", ": expected old or new");
    time.with_new = config == "new";
    const std::string text = Cell(record, "us");
    const auto us = core::ParseNumber(text);
    if (us ? std::isnan(*us) || *us < 0 : !core::IsMissing(text)) {
      return Wrong(record, "us", ": expected a time in microseconds");
    }
    if (us && *us > 0 && std::isfinite(*us)) time.us = us;
    return time;
  }

 private:
  core::Status AddColumns(const core::CsvRecord& header) {
    for (std::size_t i = 0; i < header.fields.size(); ++i) {
      const std::string name(header.fields[i]);
      const bool is_size = IsSizeName(name);
      const bool known = is_size || std::ranges::find(kColumns, name) != std::end(kColumns);
      if (!known || !fields_.emplace(name, i).second) {
        return Error{
            "bad_header",
            fmt::format(
                "{}:{}: column {} is '{}', {}", file_, header.line, i + 1, core::Excerpt(name),
                known ? "which occurs twice"
                      : "expected kernel, M, bucket, us, config, gfx and sizes (B, N, K, ...)")};
      }
      if (is_size) sizes_.push_back(name);
    }
    return core::Ok();
  }

  core::Status CheckColumns(const core::CsvRecord& header) const {
    for (const char* needed : {"kernel", "M", "K", "bucket", "us"}) {
      if (!fields_.contains(needed)) {
        return Error{"bad_header",
                     fmt::format("{}:{}: column '{}' is missing", file_, header.line, needed)};
      }
    }
    if (!fields_.contains("config") && config_ != "old" && config_ != "new") {
      return Error{
          "no_config",
          fmt::format("{}:{}: the config is missing; add a column 'config', or a line '# config: "
                      "old' or '# config: new' before the header{}",
                      file_, header.line, config_.empty() ? "" : ", but '" + config_ + "'")};
    }
    return core::Ok();
  }

  std::string Cell(const core::CsvRecord& record, const std::string& column) const {
    return std::string(record.fields[fields_.at(column)]);
  }

  static std::optional<std::int64_t> NumberOf(std::string_view text) {
    const auto number = core::NumberFrom<std::int64_t>(text);
    return number && *number >= 1 && text.front() != '0' ? number : std::nullopt;
  }

  Error Wrong(const core::CsvRecord& record, const std::string& column, const char* why) const {
    return {"bad_cell", fmt::format("{}:{}: column {}: '{}'{}", file_, record.line, column,
                                    core::Excerpt(Cell(record, column)), why)};
  }

  const std::string& file_;
  const std::string config_, arch_;
  std::map<std::string, std::size_t> fields_;
  std::vector<std::string> sizes_;
};

}  // namespace

core::Status AddRuns(const std::string& file, std::string_view csv, BucketRuns& runs) {
  if (const auto sound = core::CheckTableText(csv); !sound.ok()) return sound.error().In(file);
  analysis::Environment environment = analysis::EnvironmentOf(csv);
  const std::string config = environment["config"];
  environment.erase("config");
  const std::string arch = ArchOf(environment["gfx"]);
  if (arch.empty()) environment.erase("gfx");
  core::CsvReader reader(csv);
  core::CsvRecord record;
  if (const auto first = reader.First(record); !first.ok()) return first.error().In(file);
  RunsReader rows(file, config, arch);
  if (const auto header = rows.ReadHeader(record); !header.ok()) return header.error();
  auto more = reader.Next(record);
  for (; more.ok() && *more; more = reader.Next(record)) {
    auto time = rows.Read(record);
    if (!time.ok()) return time.error();
    (time->with_new ? runs.new_environment : runs.old_environment)
        .insert(environment.begin(), environment.end());
    runs.times.push_back(*std::move(time));
  }
  if (!more.ok()) return more.error().In(file);
  return core::Ok();
}

std::string_view RunsTemplate() {
  return kTemplate;
}

}  // namespace tunehub::buckets
