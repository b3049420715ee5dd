#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "agent/base/terminal.h"
#include "agent/install/installer.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/builds/manifest.h"
#include "core/row/cell.h"
#include "core/table/detect.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

constexpr core::ReadOptions kKeysOnly{.error_limit = {}, .identify = nullptr, .warnings = false};

// Returns the first issue for which a hub would not serve the table; empty if there is none. The
// reader of a row stops at the first error, but AITER's scripts evaluate the cells after it.
std::optional<core::RowIssue> Unserved(core::TunedTable& table) {
  std::vector<core::RowIssue> issues = std::move(table.rejected);
  std::ranges::copy_if(table.warnings, std::back_inserter(issues), [](const core::RowIssue& it) {
    return it.code == "unknown_column" || it.code == "realigned";
  });
  for (const core::Row& row : table.rows) {
    const bool failed = row.standing == core::Standing::kFailed &&
                        row.line.find(core::kFailedKernel) != std::string::npos;
    if (!failed && row.standing != core::Standing::kGarbled) continue;
    issues.push_back({row.source_line, "", std::string(core::Name(row.standing)), row.reason});
  }
  const auto first = std::ranges::min_element(issues, {}, &core::RowIssue::line);
  return first == issues.end() ? std::nullopt : std::optional(std::move(*first));
}

class Planner {
 public:
  Planner(const core::Targets& targets, const MayGo& may_go, InstallPlan& plan)
      : targets_(targets), may_go_(may_go), plan_(plan) {
    for (const std::string_view gfx : core::SplitAt(may_go.gpu_archs, ";,")) {
      if (!gfx.empty()) wanted_.emplace(core::CanonicalGfx(gfx).value_or(gfx));
    }
  }

  // A table that no family describes.
  core::Status AddUnlisted(const core::Families& families, const std::string& name,
                           const std::string& table, const std::map<std::string, fs::path>& tree) {
    if (core::UnlistedStem(families, "configs/" + name).empty()) {
      return core::Error{"bad_bundle", name + ": a hub does not store this kind of table"};
    }
    const core::Family& family = *families.Unlisted();
    const auto beside = tree.find(core::UntunedName(name)), old = tree.find(name);
    std::optional<core::FileBytes> untuned;
    if (beside != tree.end()) {
      if (auto bytes = core::FileBytes::Read(beside->second); bytes.ok())
        untuned = *std::move(bytes);
    }
    const std::string_view keys_of = untuned ? untuned->view() : std::string_view();
    const auto served = ReadLines(family, {name, table, keys_of});
    if (!served.ok()) return core::Error{"bad_bundle", name + ": " + served.error().detail};
    if (!served->rejected.empty()) {
      return core::Error{"bad_bundle", name + ": " + served->rejected.front().detail};
    }
    InstallAction put{InstallKind::kCreate, name, "", core::Sha256Hex(table)};
    if (old != tree.end()) {
      put.kind = InstallKind::kReplace;
      put.before = FileSha256(old->second);
      CompareLines(family, {name, old->second}, keys_of, *served);
    }
    plan_.actions.push_back(std::move(put));
    plan_.unlisted_tables += 1;
    return core::Ok();
  }

  core::Status Add(const core::Family& family, const std::string& table,
                   const std::vector<TreeFile>& files) {
    auto served =
        core::ReadTunedTable(family, targets_, table, {.error_limit = {}, .identify = nullptr});
    if (!served.ok()) {
      return core::Error{"bad_bundle", family.file + ": " + served.error().detail};
    }
    if (const auto issue = Unserved(*served)) {
      return core::Error{
          "bad_bundle", fmt::format("{}:{}: {}{}{} ({})", family.file, issue->line, issue->column,
                                    issue->column.empty() ? "" : ": ", issue->detail, issue->code)};
    }
    std::unordered_set<std::string_view> keys;
    for (const core::Row& row : served->rows) keys.insert(row.order);
    for (const TreeFile& file : files) Compare(family, file, keys);
    AddActions(family, table, files);
    plan_.families.push_back({&family, served->rows.size(), CountModelFiles(family, files)});
    return core::Ok();
  }

 private:
  static std::size_t CountModelFiles(const core::Family& family,
                                     const std::vector<TreeFile>& files) {
    return static_cast<std::size_t>(std::count_if(
        files.begin(), files.end(), [&](const TreeFile& f) { return f.name != family.file; }));
  }

  // The hub's answer to gpu_archs has the same rows: the rows of each architecture, with AITER's
  // default CU count.
  bool IsWanted(const core::Row& row) const {
    if (may_go_.native) {
      return row.gfx == may_go_.native->gfx &&
             (row.cu_num == 0 || row.cu_num == may_go_.native->cu_num);
    }
    if (wanted_.empty()) return true;
    if (!wanted_.contains(row.gfx)) return false;
    const core::GpuArch* const arch = targets_.Find(row.gfx);
    return arch == nullptr || arch->default_cu_num == 0 || row.cu_num == 0 ||
           row.cu_num == arch->default_cu_num;
  }

  void Compare(const core::Family& family, const TreeFile& file,
               const std::unordered_set<std::string_view>& keys) {
    const auto bytes = core::FileBytes::Read(file.path);
    if (!bytes.ok()) {
      plan_.losses.push_back({family.name, file.name, 0, bytes.error().detail});
      return;
    }
    const auto table = core::ReadTunedTable(family, targets_, bytes->view(), kKeysOnly);
    if (!table.ok()) {
      plan_.losses.push_back({family.name, file.name, 0, table.error().detail});
      return;
    }
    Compare(family, file, *table, keys);
  }

  void Compare(const core::Family& family, const TreeFile& file, const core::TunedTable& table,
               const std::unordered_set<std::string_view>& keys) {
    plan_.malformed_rows += table.rejected.size();
    for (const core::Row& row : table.rows) {
      if (!core::Competes(row.standing)) {
        ++plan_.malformed_rows;
      } else if (!IsWanted(row)) {
        ++plan_.other_target_rows;
      } else if (keys.contains(row.order)) {
        continue;
      } else if (may_go_.unmeasured && row.standing == core::Standing::kUnmeasured) {
        ++plan_.unmeasured_rows;
      } else if (!CanRun(family, row)) {
        ++plan_.unbuilt_rows;
      } else {
        plan_.losses.push_back(
            {family.name, file.name, row.source_line, KeyOfLine(family, row.line)});
      }
    }
  }

  // The rows of an unlisted table, without its comments.
  core::Result<core::TunedTable> ReadLines(const core::Family& family,
                                           const core::UnlistedFile& file) const {
    auto lines = core::ReadUnlisted(family, file);
    if (!lines.ok()) return lines.error();
    auto table = core::ReadTunedTable(family, targets_, lines->csv, kKeysOnly);
    if (!table.ok()) return table;
    std::erase_if(table->rows, [&](const core::Row& row) {
      std::string scratch;
      const std::string_view key = core::CellOf(row.line, family.Find("key"), scratch);
      return core::KindOfLine(key) > core::LineKind::kUnkeyed;
    });
    std::ranges::move(lines->rejected, std::back_inserter(table->rejected));
    return table;
  }

  // Without an untuned table, rows have no shape keys. Then compares only the numbers of rows.
  void CompareLines(const core::Family& family, const TreeFile& file, std::string_view untuned,
                    const core::TunedTable& served) {
    const auto bytes = core::FileBytes::Read(file.path);
    const auto old = bytes.ok() ? ReadLines(family, {file.name, bytes->view(), untuned})
                                : core::Result<core::TunedTable>(bytes.error());
    if (!old.ok()) {
      plan_.losses.push_back({family.name, file.name, 0, old.error().detail});
    } else if (!untuned.empty()) {
      std::unordered_set<std::string_view> keys;
      for (const core::Row& row : served.rows) keys.insert(row.order);
      Compare(family, file, *old, keys);
    } else if (const auto wanted = std::ranges::count_if(
                   old->rows, [&](const core::Row& row) { return IsWanted(row); });
               std::cmp_greater(wanted, served.rows.size())) {
      plan_.losses.push_back(
          {family.name, file.name, 0,
           fmt::format("has {} rows here, but {} in the hub's table", wanted, served.rows.size())});
    }
  }

  bool CanRun(const core::Family& family, const core::Row& row) const {
    if (may_go_.manifest == nullptr) return true;
    std::string scratch;
    return core::BuildFit(family, *may_go_.manifest).Runs(core::SplitLine(row.line, scratch));
  }

  void AddActions(const core::Family& family, const std::string& table,
                  const std::vector<TreeFile>& files) {
    InstallAction put{InstallKind::kCreate, family.file, "", core::Sha256Hex(table)};
    for (const TreeFile& file : files) {
      const std::string sha256 = FileSha256(file.path);
      if (file.name == family.file) {
        put.kind = InstallKind::kReplace;
        put.before = sha256;
      } else {
        plan_.actions.push_back({InstallKind::kMoveAside, file.name, sha256, ""});
      }
    }
    // Writes the default file before it moves model files, so that AITER never misses a row.
    plan_.actions.insert(
        plan_.actions.end() - static_cast<std::ptrdiff_t>(CountModelFiles(family, files)), put);
  }

  const core::Targets& targets_;
  const MayGo& may_go_;
  std::set<std::string, std::less<>> wanted_;
  InstallPlan& plan_;
};

}  // namespace

std::map<std::string, fs::path> OriginalTables(const InstallPaths& paths,
                                               const InstallJournal* installed) {
  std::map<std::string, fs::path> tables = ListTables(paths.configs);
  if (installed == nullptr) return tables;
  for (const InstallAction& action : installed->actions) {
    if (action.kind == InstallKind::kCreate) {
      tables.erase(action.file);
      continue;
    }
    const fs::path original = paths.original / action.file;
    std::error_code error;  // absent if an interrupted undo has restored the file
    if (fs::exists(original, error)) tables[action.file] = original;
  }
  return tables;
}

core::Result<InstallPlan> PlanInstall(const core::Families& families, const core::Targets& targets,
                                      const std::map<std::string, fs::path>& tree,
                                      const std::map<std::string, std::string>& tables,
                                      const MayGo& may_go) {
  InstallPlan plan;
  Planner planner(targets, may_go, plan);
  std::map<std::string, std::vector<TreeFile>> files;
  for (FamilyFiles& group : GroupByFamily(families, tree)) {
    files[group.family->name] = std::move(group.files);
  }
  std::set<std::string_view> described;
  for (const auto& family : families.all()) {
    const auto table = tables.find(family->file);
    if (table == tables.end()) continue;
    described.insert(family->file);
    const core::Status added = planner.Add(*family, table->second, files[family->name]);
    if (!added.ok()) return added.error();
  }
  for (const auto& [name, table] : tables) {
    if (described.contains(name)) continue;
    const core::Status added = planner.AddUnlisted(families, name, table, tree);
    if (!added.ok()) return added.error();
  }
  return plan;
}

}  // namespace tunehub::agent
