#include "agent/commands/contribute/reader_contribution.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "agent/commands/contribute/store_folders.h"
#include "agent/readers/reader_tree.h"
#include "core/readers/file_body.h"
#include "core/readers/file_name.h"
#include "core/system/file_bytes.h"
#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// A file of the tree while members are put into it.
struct OpenBody {
  ContributedFile file;
  std::vector<core::BodyMember> members;  // that are there
  std::vector<core::BodyMember> fresh;
  std::string odd;  // what would be lost if it were written anew; "": nothing
};

bool HasMember(const std::vector<core::BodyMember>& members, const std::string& name) {
  return std::ranges::any_of(members, [&](const auto& it) { return it.name == name; });
}

// One store of the reader's tree.
class StoreWork {
 public:
  StoreWork(const ReaderSite& site, const core::ReaderStore& store) : site_(site), store_(store) {}

  core::Status FindFolder();
  core::Status Put(const OfferedRow& offered, Contribution& contribution);
  core::Status Finish(Contribution& contribution);

 private:
  core::Result<OpenBody*> Open(const std::string& path);
  core::Result<core::FileBody> BodyIn(const fs::path& file) const;
  core::Result<std::string> HeldBy(const std::string& path, const std::string& member) const;
  core::Status HoldAgainstRules(const OpenBody& open) const;

  const ReaderSite& site_;
  const core::ReaderStore& store_;
  fs::path tree_, folder_;        // the config folder that new files go to
  std::vector<fs::path> others_;  // folders whose files hold members too
  std::map<std::string, OpenBody> open_;
};

core::Status StoreWork::FindFolder() {
  auto folders = StoreFolders(*site_.reader, store_, site_.tree);
  if (!folders.ok()) return folders.error();
  std::error_code error;
  tree_ = fs::canonical(site_.tree, error);
  folder_ = folders->front();
  others_.assign(folders->begin() + 1, folders->end());
  for (const std::string& other : site_.against) {
    const fs::path whole = fs::canonical(other, error);
    if (error || !fs::is_directory(whole, error)) {
      return core::Error{"no_folder", other + " is no folder"};
    }
    const auto places = PackageFolders(store_, whole);
    others_.insert(others_.end(), places.begin(), places.end());
    if (places.empty()) others_.push_back(whole);
  }
  return core::Ok();
}

core::Result<core::FileBody> StoreWork::BodyIn(const fs::path& file) const {
  std::error_code error;
  if (!fs::exists(file, error)) return core::FileBody{};
  const auto bytes = core::FileBytes::Read(file);
  if (!bytes.ok()) return bytes.error();
  auto body = core::ReadBody(store_, bytes->view());
  if (!body.ok()) {
    return core::Error{body.error().code, file.string() + ": " + body.error().detail};
  }
  return *std::move(body);
}

core::Result<OpenBody*> StoreWork::Open(const std::string& path) {
  if (const auto found = open_.find(path); found != open_.end()) return &found->second;
  const fs::path file = folder_ / path;
  auto body = BodyIn(file);
  if (!body.ok()) return body.error();
  std::error_code error;
  OpenBody open;
  open.file.family = store_.family;
  open.file.path = file.lexically_relative(tree_).generic_string();
  open.file.fresh = !fs::exists(file, error);
  if (!body->issues.empty()) open.odd = body->issues.front().detail;
  if (!open.file.fresh) {
    const auto bytes = core::FileBytes::Read(file);
    if (!bytes.ok()) return bytes.error();
    open.file.before = bytes->view();
  }
  open.members = std::move(body->members);
  return &open_.emplace(path, std::move(open)).first->second;
}

// The other file that has the member; "": none.
core::Result<std::string> StoreWork::HeldBy(const std::string& path,
                                            const std::string& member) const {
  for (const fs::path& folder : others_) {
    const auto body = BodyIn(folder / path);
    if (!body.ok()) return body.error();
    if (HasMember(body->members, member)) return (folder / path).string();
  }
  return std::string();
}

core::Status StoreWork::Put(const OfferedRow& offered, Contribution& contribution) {
  const core::Family& family = *store_.family;
  const auto leave_out = [&](std::string code, std::string detail) {
    contribution.left_out.push_back(
        {family.name, KeyOfLine(family, offered.line), std::move(code), std::move(detail)});
    return core::Ok();
  };
  std::string scratch;
  const core::Cells cells = core::SplitLine(offered.line, scratch);
  if (cells[family.engine] != site_.reader->engine) {
    return leave_out("other_engine", fmt::format("it is {}'s", cells[family.engine]));
  }
  const core::BodyMember member = core::MemberOf(store_, cells);
  if (member.name.empty()) return leave_out("no_member", "an empty file says nothing new");
  const auto path = core::PathOf(store_, cells);
  if (!path.ok()) return leave_out(path.error().code, path.error().detail);
  auto open = Open(*path);
  if (!open.ok()) return open.error();
  OpenBody& body = **open;
  if (HasMember(body.members, member.name)) {
    return leave_out("key_held", body.file.path + " has it");
  }
  const auto holder = HeldBy(*path, member.name);
  if (!holder.ok()) return holder.error();
  if (!holder->empty()) return leave_out("key_held", *holder + " has it");
  if (!body.odd.empty()) return leave_out("odd_file", body.file.path + ": " + body.odd);
  if (!core::IsUsualOrder(store_, body.members)) {
    return leave_out("odd_order", body.file.path +
                                      " is not in ascending order: where a new member "
                                      "goes decides ties of the others");
  }
  body.fresh.push_back({member.name, member.config, {}});
  body.file.rows.push_back(offered);
  return core::Ok();
}

// As the engine reads it: every member is there once, in order, as it was given, under a name that
// the engine asks for.
core::Status StoreWork::HoldAgainstRules(const OpenBody& open) const {
  const auto failed = [&](const std::string& what) {
    return core::Error{"guard_failed", open.file.path + ": " + what};
  };
  const auto read = core::ReadBody(store_, open.file.bytes);
  if (!read.ok()) return failed(read.error().detail);
  for (const core::BodyIssue& issue : read->issues) return failed(issue.detail);
  if (!core::IsUsualOrder(store_, read->members))
    return failed("its members are not in ascending order");
  std::vector<core::BodyMember> wanted = open.members;
  wanted.insert(wanted.end(), open.fresh.begin(), open.fresh.end());
  if (wanted.size() != read->members.size()) return failed("a member is lost or repeated");
  for (const core::BodyMember& member : wanted) {
    const bool there = std::ranges::any_of(read->members, [&](const auto& it) {
      return it.name == member.name && it.config == member.config;
    });
    if (!there) return failed("member " + member.name + " is read back as another");
  }
  return core::Ok();
}

core::Status StoreWork::Finish(Contribution& contribution) {
  for (auto& [path, open] : open_) {
    if (open.fresh.empty()) continue;
    std::vector<core::BodyMember> all = open.members;
    all.insert(all.end(), open.fresh.begin(), open.fresh.end());
    const std::string rewritten = core::WriteBody(store_, open.members);
    if (!open.file.fresh && rewritten != open.file.before) {
      contribution.warnings.push_back(
          open.file.path + " is written anew in the tuner's own style; its members stay");
    }
    open.file.bytes = core::WriteBody(store_, std::move(all));
    if (auto held = HoldAgainstRules(open); !held.ok()) return held;
    contribution.files.push_back(std::move(open.file));
  }
  return core::Ok();
}

}  // namespace

core::Result<Contribution> ContributeToReader(Offer offer, const ReaderSite& site) {
  Contribution contribution;
  contribution.left_out = std::move(offer.left_out);
  for (const FamilyOffer& of_family : offer.families) {
    const core::ReaderStore* const store = site.reader->StoreOf(*of_family.family);
    if (store == nullptr || store->body != core::BodyKind::kMembersByM) {
      return core::Error{"no_store",
                         fmt::format("{} has no files of {} that members can be added to",
                                     site.reader->title, of_family.family->name)};
    }
    StoreWork work(site, *store);
    if (auto found = work.FindFolder(); !found.ok()) return found.error();
    for (const OfferedRow& row : of_family.rows) {
      if (auto put = work.Put(row, contribution); !put.ok()) return put.error();
    }
    if (auto done = work.Finish(contribution); !done.ok()) return done.error();
  }
  contribution.checked = {
      fmt::format("{} asks for each file by the name that it has", site.reader->title),
      "each file is read back as it was: integers as keys, ascending, none twice, no other member",
      "no file of the tree, nor of what it was held against, has one of the new members"};
  return contribution;
}

}  // namespace tunehub::agent
