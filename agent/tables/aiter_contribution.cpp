#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "agent/aiter/build_scan.h"
#include "agent/base/terminal.h"
#include "agent/tables/contribution.h"
#include "core/builds/manifest.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {
namespace {

// AITER's test of its tables fails on rows with a larger share of wrong elements.
constexpr double kTableTestError = 0.2;
// Codes of CheckReach for rows that no lookup finds.
constexpr std::array<std::string_view, 3> kNeverFound = {"unknown_gfx", "fp8_of_other_arch",
                                                         "token_no_tier"};

// The factor by which a row must beat the tree's row, as AITER's --update_improved requires.
constexpr double kLeastSpeedup = 1.03;

std::string Microseconds(double us) {
  return std::isfinite(us) ? fmt::format("{:g} us", us) : "no time";
}

// The work on one family of the tree: its rows, and the offered rows that may enter it.
struct FamilyWork {
  struct Holder {
    std::string file;
    std::size_t line = 0;
    double us = 0;  // NaN: no time
    core::Standing standing = core::Standing::kMeasured;
    bool is_own = true;  // false: from a table of --against
    bool twice = false;  // true: other rows have the same shape key
  };

  const Configuration& configuration;
  const AiterSite& site;
  const core::Manifest* build;  // the tree's kernels; null: unknown
  const core::Family& family;
  Contribution& contribution;
  FamilyTexts texts = {};                        // the tree's files
  std::map<core::Hash128, Holder> holders = {};  // the first file with a shape key

  core::Status Hold(const std::string& name, std::string_view csv, bool is_own) {
    const auto table = core::ReadTunedTable(family, configuration.targets, csv);
    if (!table.ok()) return table.error().In(name);
    for (const core::RowIssue& issue : table->rejected) {
      contribution.warnings.push_back(fmt::format("{}:{}: {}: {}; its shape key is unknown", name,
                                                  issue.line, issue.column, issue.detail));
    }
    for (const core::Row& row : table->rows) {
      const Holder holder{name, row.source_line, row.us, row.standing, is_own};
      const auto [place, first] = holders.emplace(row.key, holder);
      if (!first) place->second.twice = true;
    }
    return core::Ok();
  }

  core::Status Read(const AiterTree& tree, const std::vector<FamilyFiles>& against) {
    const auto own = std::ranges::find(tree.families, &family, &FamilyFiles::family);
    for (std::size_t i = 0; own != tree.families.end() && i < own->files.size(); ++i) {
      const auto bytes = core::FileBytes::Read(own->files[i].path);
      if (!bytes.ok()) return bytes.error();
      texts[own->files[i].name] = bytes->view();
      if (auto held = Hold(own->files[i].name, bytes->view(), true); !held.ok()) return held;
    }
    for (const FamilyFiles& group : against) {
      if (group.family != &family) continue;
      for (const TreeFile& file : group.files) {
        if (auto held = Hold(file.name, file.bytes->view(), false); !held.ok()) return held;
      }
    }
    return core::Ok();
  }

  // Returns an error with the reason if the row may not replace the row with its shape key.
  static core::Status MayReplace(const core::Row& row, const Holder& holder) {
    const auto& [file, line, us, standing, is_own, twice] = holder;
    const bool measured = standing == core::Standing::kMeasured;
    const char* why = measured && us < row.us * kLeastSpeedup ? "" : nullptr;
    if (standing == core::Standing::kDeclared) why = ", and someone declared that row";
    if (twice) why = ", and further rows have the same shape";
    if (!is_own) why = "";
    if (why == nullptr) return core::Ok();
    return core::Error{"key_held",
                       fmt::format("{}:{} already has this shape, with {}{}; this row has {}", file,
                                   line, Microseconds(us), why, Microseconds(row.us))};
  }

  // Returns an error with the reason if the row may not enter the tree.
  core::Status MayGo(const core::Row& row, const core::Cells& cells) const {
    if (row.standing != core::Standing::kMeasured) {
      return core::Error{"not_measured", row.reason.empty() ? "nobody timed it" : row.reason};
    }
    if (row.own_kernel)
      return core::Error{"not_aiters", "the kernel is tunehub's, and AITER does not have it"};
    if (row.error > kTableTestError) {
      return core::Error{
          "error_above_limit",
          fmt::format("the share of wrong elements is {:g}; AITER's test of its tables allows {:g}",
                      row.error, kTableTestError)};
    }
    if (const auto it = holders.find(row.key); it != holders.end()) {
      if (const core::Status may = MayReplace(row, it->second); !may.ok()) return may;
    }
    for (const core::RowIssue& it : core::CheckReach(family, configuration.targets, cells)) {
      if (std::ranges::count(kNeverFound, it.code) > 0) return core::Error{it.code, it.detail};
    }
    const std::string why = build == nullptr ? "" : core::BuildFit(family, *build).WhyNot(cells);
    return why.empty() ? core::Ok() : core::Error{"no_kernel", why};
  }

  // Rows that may enter the tree, by file.
  using Places = std::map<std::string, std::vector<ContributedRow>>;

  core::Result<Places> PlacesOf(const std::vector<core::Row>& rows) {
    Places places;
    for (const core::Row& row : rows) {
      std::string scratch;
      const core::Cells cells = core::SplitLine(row.line, scratch);
      if (const core::Status may = MayGo(row, cells); !may.ok()) {
        contribution.left_out.push_back(
            {family.name, KeyOfLine(family, row.line), may.error().code, may.error().detail});
        continue;
      }
      if (const auto it = holders.find(row.key); it != holders.end()) {
        const Holder& held = it->second;
        const bool measured = held.standing == core::Standing::kMeasured;
        places[held.file].push_back(
            {row, held.line, measured ? std::optional(held.us) : std::nullopt});
        continue;
      }
      const auto name = site.file.empty() ? FileForModel(family, site.model, cells, texts)
                                          : core::Result<std::string>(site.file);
      if (!name.ok()) return name.error();
      places[*name].push_back({row});
    }
    return places;
  }

  core::Status Put(const Places& places) {
    std::vector<ContributedFile> files;
    for (const auto& [name, of_file] : places) {
      const bool fresh = !texts.contains(name);
      ContributedFile file{&family, name, fresh, fresh ? "" : texts.at(name)};
      auto put = PutRows(configuration.targets, of_file, file, contribution.left_out);
      if (!put.ok()) return put.error().In(name);
      if (!file.rows.empty()) files.push_back(std::move(file));
    }
    for (const ContributedFile& file : files) texts[file.path] = file.bytes;
    for (ContributedFile& file : files) {
      auto held = HoldAgainstGuards(configuration, file, texts);
      if (!held.ok()) return held;
      contribution.files.push_back(std::move(file));
    }
    return core::Ok();
  }
};

}  // namespace

core::Result<Contribution> ContributeToAiter(const Configuration& configuration,
                                             const OfferedRows& offer, const AiterSite& site) {
  const auto tree = ReadAiterTree(configuration.families, site.tree);
  if (!tree.ok()) return tree.error();
  const auto against = ReadTables(configuration.families, "", site.against);
  if (!against.ok()) return against.error();
  // A tree that has only tables lists no kernels.
  const auto scan = ScanBuild(configuration, {site.tree, {}, {}});
  const core::Manifest* const build = scan.ok() ? &scan->manifest : nullptr;
  Contribution contribution{{}, offer.left_out, {}, build != nullptr};
  for (const auto& [family, rows] : offer.rows) {
    if (rows.empty()) continue;
    if (family->env.empty()) {
      return core::Error{"no_table", "AITER reads no tuned table of " + family->name};
    }
    const auto named = site.file.empty()
                           ? CheckModelName(configuration.families, *family, site.model)
                           : CheckFileName(configuration.families, *family, site.file);
    if (!named.ok()) return named.error();
    FamilyWork work{configuration, site, build, *family, contribution};
    if (auto read = work.Read(*tree, *against); !read.ok()) return read.error();
    const auto places = work.PlacesOf(rows);
    if (!places.ok()) return places.error();
    if (auto put = work.Put(*places); !put.ok()) return put.error();
  }
  const std::filesystem::path below = tree->configs.lexically_relative(site.tree);
  for (ContributedFile& file : contribution.files) {
    file.path = (below / file.path).lexically_normal().string();
  }
  return contribution;
}

}  // namespace tunehub::agent
