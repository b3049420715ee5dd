#include "agent/commands/contribute/aiter_contribution.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "agent/aiter/aiter_tree.h"
#include "agent/commands/contribute/aiter_file_name.h"
#include "agent/commands/contribute/aiter_guards.h"
#include "agent/commands/contribute/appended_table.h"
#include "agent/commands/contribute/held_keys.h"
#include "agent/commands/tables/input_family.h"
#include "core/builds/build_fit.h"
#include "core/system/file_bytes.h"
#include "core/table/reach.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {
namespace {

// Of CheckReach: rows that no lookup ever asks for.
constexpr std::array<std::string_view, 3> kNeverFound = {"unknown_gfx", "fp8_of_other_arch",
                                                         "token_no_tier"};

std::string Microseconds(double us) {
  return std::isfinite(us) ? fmt::format("{:g} us", us) : "no time";
}

// One family of the tree while rows are put into it.
class FamilyWork {
 public:
  FamilyWork(const Configuration& configuration, const AiterSite& site, const core::Family& family)
      : configuration_(configuration), site_(site), family_(family) {}

  core::Status ReadTree(const AiterTree& tree);
  core::Status ReadAgainst(const std::string& path);
  core::Status Put(const OfferedRow& row, Contribution& contribution);
  core::Status Finish(Contribution& contribution);

 private:
  struct Open {
    ContributedFile file;
    AppendedTable table;
  };
  core::Result<std::string> FileOf(const core::Cells& cells) const;
  core::Result<Open*> OpenFile(const std::string& name);
  // Empty: the row may go to the tree.
  LeftOut WhyNot(const core::Row& row) const;

  const Configuration& configuration_;
  const AiterSite& site_;
  const core::Family& family_;
  FamilyTexts texts_;
  HeldKeys held_;
  std::map<std::string, std::unique_ptr<Open>> open_;
};

core::Status FamilyWork::ReadTree(const AiterTree& tree) {
  for (const FamilyFiles& group : tree.families) {
    if (group.family != &family_) continue;
    for (const TreeFile& file : group.files) {
      const auto bytes = core::FileBytes::Read(file.path);
      if (!bytes.ok()) return bytes.error();
      texts_[file.name] = bytes->view();
      auto added = held_.Add(family_, configuration_.targets, file.name, bytes->view());
      if (!added.ok()) return added;
    }
  }
  return core::Ok();
}

// A tree, or a single table of this family.
core::Status FamilyWork::ReadAgainst(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    const auto bytes = core::FileBytes::Read(path);
    if (!bytes.ok()) return bytes.error();
    const auto family = FamilyOf(configuration_.families, "", {path, bytes->view()});
    if (!family.ok()) return family.error();
    if (*family != &family_) return core::Ok();
    return held_.Add(family_, configuration_.targets, path, bytes->view());
  }
  const auto tree = ReadTableFolder(configuration_.families, path);
  if (!tree.ok()) return tree.error();
  for (const FamilyFiles& group : tree->families) {
    if (group.family != &family_) continue;
    for (const TreeFile& file : group.files) {
      const auto bytes = core::FileBytes::Read(file.path);
      if (!bytes.ok()) return bytes.error();
      auto added = held_.Add(family_, configuration_.targets, file.path.string(), bytes->view());
      if (!added.ok()) return added;
    }
  }
  return core::Ok();
}

LeftOut FamilyWork::WhyNot(const core::Row& row) const {
  LeftOut out{family_.name, KeyOfLine(family_, row.line), "", ""};
  const auto say = [&](std::string code, std::string detail) {
    out.code = std::move(code);
    out.detail = std::move(detail);
    return out;
  };
  if (row.standing != core::Standing::kMeasured) {
    return say("not_measured", row.reason.empty() ? "nobody timed it" : row.reason);
  }
  if (row.own_kernel) return say("not_aiters", "its kernel is tunehub's own, not AITER's");
  if (row.error > kTableTestError) {
    return say("error_above_limit", fmt::format("{:g} of its elements are wrong; AITER's test of "
                                                "its tables allows {:g}",
                                                row.error, kTableTestError));
  }
  if (const KeyHolder* const holder = held_.Find(row.key)) {
    return say("key_held",
               fmt::format("{}:{} has it with {}, this is {}", holder->file, holder->line,
                           Microseconds(holder->us), Microseconds(row.us)));
  }
  std::string scratch;
  const core::Cells cells = core::SplitLine(row.line, scratch);
  for (const core::ReachWarning& it : core::CheckReach(family_, configuration_.targets, cells)) {
    if (std::ranges::count(kNeverFound, it.code) > 0) return say(it.code, it.detail);
  }
  if (site_.build == nullptr) return out;
  const std::string why = core::BuildFit(family_, *site_.build).WhyNot(cells);
  return why.empty() ? out : say("no_kernel", why);
}

core::Result<std::string> FamilyWork::FileOf(const core::Cells& cells) const {
  if (!site_.file.empty()) {
    auto named = CheckFileName(configuration_.families, family_, site_.file);
    if (!named.ok()) return named.error();
    return site_.file;
  }
  std::vector<std::string> names;
  for (const auto& [name, text] : texts_) names.push_back(name);
  return FileForModel(family_, site_.model, QuantNames(family_, cells), names);
}

core::Result<FamilyWork::Open*> FamilyWork::OpenFile(const std::string& name) {
  if (const auto found = open_.find(name); found != open_.end()) return found->second.get();
  const auto text = texts_.find(name);
  ContributedFile file{&family_, name, text == texts_.end(), "", "", {}};
  if (!file.fresh) file.before = text->second;
  auto table = AppendedTable::Begin(family_, file.before);
  if (!table.ok()) return core::Error{table.error().code, name + ": " + table.error().detail};
  auto open = std::make_unique<Open>(Open{std::move(file), *std::move(table)});
  return open_.emplace(name, std::move(open)).first->second.get();
}

core::Status FamilyWork::Put(const OfferedRow& offered, Contribution& contribution) {
  const std::string text = core::WriteTable(family_, std::vector<std::string_view>{offered.line});
  const auto table = ReadRows(family_, configuration_.targets, text);
  if (!table.ok()) return table.error();
  if (table->rows.empty()) {
    return core::Error{"bad_row",
                       fmt::format("{}: '{}' is no row of it", family_.name, offered.line)};
  }
  const core::Row& row = table->rows.front();
  LeftOut left = WhyNot(row);
  std::string scratch;
  const core::Cells cells = core::SplitLine(row.line, scratch);
  if (left.code.empty()) {
    const auto name = FileOf(cells);
    if (!name.ok()) return name.error();
    auto open = OpenFile(*name);
    if (!open.ok()) return open.error();
    const std::string lacks = (*open)->table.Lacks(configuration_.targets, row.line);
    if (lacks.empty()) {
      (*open)->table.Append(row.line);
      (*open)->file.rows.push_back(offered);
      return core::Ok();
    }
    left.code = "column_absent";
    left.detail =
        fmt::format("{} has no column {}, which the row needs: --file names another", *name, lacks);
  }
  contribution.left_out.push_back(std::move(left));
  return core::Ok();
}

core::Status FamilyWork::Finish(Contribution& contribution) {
  for (auto& [name, open] : open_) {
    if (open->file.rows.empty()) continue;
    open->file.bytes = open->table.bytes();
    texts_[name] = open->file.bytes;
  }
  for (auto& [name, open] : open_) {
    if (open->file.rows.empty()) continue;
    auto held =
        HoldAgainstGuards(configuration_.families, configuration_.targets, open->file, texts_);
    if (!held.ok()) return held;
    contribution.files.push_back(std::move(open->file));
  }
  contribution.warnings.insert(contribution.warnings.end(), held_.unreadable().begin(),
                               held_.unreadable().end());
  return core::Ok();
}

// What is offered of one family, held against the tree and against `site.against`.
core::Status ContributeFamily(const Configuration& configuration, const AiterSite& site,
                              const AiterTree& tree, const FamilyOffer& offer,
                              Contribution& contribution) {
  const core::Family& family = *offer.family;
  if (site.file.empty()) {
    auto model = CheckModelName(configuration.families, family, site.model);
    if (!model.ok()) return model.error();
  }
  FamilyWork work(configuration, site, family);
  if (auto read = work.ReadTree(tree); !read.ok()) return read;
  for (const std::string& path : site.against) {
    if (auto read = work.ReadAgainst(path); !read.ok()) return read;
  }
  for (const OfferedRow& row : offer.rows) {
    if (auto put = work.Put(row, contribution); !put.ok()) return put;
  }
  return work.Finish(contribution);
}

}  // namespace

core::Result<Contribution> ContributeToAiter(const Configuration& configuration, Offer offer,
                                             const AiterSite& site) {
  const auto tree = ReadAiterTree(configuration.families, site.tree);
  if (!tree.ok()) return tree.error();
  const std::string below = tree->configs.lexically_relative(site.tree).string();
  Contribution contribution;
  contribution.left_out = std::move(offer.left_out);
  for (const FamilyOffer& of_family : offer.families) {
    auto done = ContributeFamily(configuration, site, *tree, of_family, contribution);
    if (!done.ok()) return done.error();
  }
  for (ContributedFile& file : contribution.files) {
    file.path = (std::filesystem::path(below) / file.path).lexically_normal().string();
  }
  contribution.checked = GuardNames();
  contribution.checked.push_back(site.build != nullptr
                                     ? "the tree has, or can build, the kernel of every row"
                                     : "not checked: whether the tree has every row's kernel");
  return contribution;
}

}  // namespace tunehub::agent
