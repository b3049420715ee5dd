#include "agent/commands/contribute/bucket_contribution.h"

#include <fmt/core.h>

#include <algorithm>

#include "agent/commands/contribute/bucket_goal.h"
#include "agent/commands/contribute/bucket_times.h"
#include "agent/commands/contribute/bucket_tree.h"
#include "core/readers/lookup.h"
#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// What of a file some lookup asks for: a special file that is made of it has no more.
buckets::BucketFile TriedOf(const buckets::BucketFile& file,
                            const std::vector<std::int64_t>& bounds) {
  std::vector<buckets::Bucket> tried;
  for (const buckets::Bucket& bucket : file.buckets()) {
    if (buckets::BucketFile::IsTried(bucket.name, bounds)) tried.push_back(bucket);
  }
  return buckets::BucketFile(std::move(tried), file.indent());
}

class BucketWork {
 public:
  BucketWork(const BucketSite& site, BucketTree tree)
      : site_(site), store_(*site.store), family_(*site.store->family), tree_(std::move(tree)) {}

  core::Status ReadAgainst();
  core::Status Want(const OfferedRow& row);
  core::Status MakeAll();
  // Whether one of site.against has Triton configs.
  bool is_held_against() const { return !against_.empty(); }
  Contribution& contribution() { return contribution_; }

 private:
  core::Result<BucketGoal> GoalOf(const std::string& path, const core::KeyCells& key) const;
  // Another tree's file that has the bucket, and not as this tree has it; or, where this tree has
  // no such file, one of that name. An empty code: none. `here`: this tree's file; null: it has
  // none.
  core::Result<LeftOut> HeldElsewhere(const core::KeyCells& key, const std::string& bucket,
                                      const buckets::BucketFile* here) const;
  void WantInGoal(BucketGoal& goal, WantedBucket wanted);
  core::Status Make(BucketGoal& goal);
  // Of its kernel, in the tree or offered beside it: AITER looks for one first.
  bool HasDefault(const BucketGoal& goal) const;
  core::Status AddMade(const BucketGoal& goal, MadeFile& made);
  // Tells the goals of the files beside it that a special file was made.
  void AddSibling(const BucketGoal& made);
  void LeaveOut(const OfferedRow& row, std::string code, std::string detail) {
    contribution_.left_out.push_back(
        {family_.name, KeyOfLine(family_, row.line), std::move(code), std::move(detail)});
  }
  void LeaveAllOut(const MadeFile& made, const std::string& code, const std::string& detail) {
    for (const WantedBucket* it : made.taken) LeaveOut(it->row, code, detail);
  }

  const BucketSite& site_;
  const core::ReaderStore& store_;
  const core::Family& family_;
  BucketTree tree_;
  std::vector<std::pair<std::string, BucketTree>> against_;
  BucketGoals goals_;
  Contribution contribution_;
};

core::Status BucketWork::ReadAgainst() {
  for (const std::string& path : site_.against) {
    std::error_code error;
    if (fs::is_regular_file(path, error)) continue;  // a tuned table
    const fs::directory_iterator readable(path, error);
    if (error) return core::Error{"no_folder", path + ": " + error.message()};
    auto tree = BucketTree::Open(*site_.reader, store_, path);
    if (tree.ok()) {
      against_.emplace_back(path, *std::move(tree));
    } else if (tree.error().code != "no_folder") {
      return tree.error();
    }
  }
  return core::Ok();
}

core::Result<LeftOut> BucketWork::HeldElsewhere(const core::KeyCells& key,
                                                const std::string& bucket,
                                                const buckets::BucketFile* here) const {
  for (const auto& [name, tree] : against_) {
    const std::string path = tree.OwnFile(key);
    if (path.empty()) continue;
    const auto file = tree.Read(path);
    if (!file.ok()) return file.error();
    const std::string there = (fs::path(name) / tree.Below(path)).string();
    if (here == nullptr) return LeftOut{"", "", "file_held", there + " is a file of that name"};
    const buckets::Bucket* const held = file->Find(bucket);
    const buckets::Bucket* const ours = here->Find(bucket);
    if (held == nullptr) continue;
    if (ours != nullptr && buckets::IsSameConfig(ours->config, held->config)) continue;
    return LeftOut{"", "", "key_held", there + " has it"};
  }
  return LeftOut{};
}

core::Result<BucketGoal> BucketWork::GoalOf(const std::string& path,
                                            const core::KeyCells& key) const {
  BucketGoal goal;
  goal.path = path;
  goal.key = key;
  auto name = BucketNameOf(path, key[store_.op]);
  if (!name.ok()) return name.error();
  goal.name = *std::move(name);
  goal.bounds = store_.family->lookup.BoundsOf(key[store_.op]);
  goal.arch = key[family_.gfx];
  goal.in_tree = tree_.Has(path);
  goal.base_path = goal.in_tree ? path : tree_.Chosen(key);
  goal.siblings = tree_.SpecialsBeside(path, goal.name);
  if (goal.base_path.empty()) return goal;
  auto base = tree_.Read(goal.base_path);
  if (!base.ok()) return base.error();
  goal.base = goal.in_tree ? *std::move(base) : TriedOf(*base, goal.bounds);
  return goal;
}

// A file has one config for a bucket: of rows of several layouts the better is offered.
void BucketWork::WantInGoal(BucketGoal& goal, WantedBucket wanted) {
  const auto other = std::ranges::find(goal.wanted, wanted.bucket.name,
                                       [](const WantedBucket& it) { return it.bucket.name; });
  if (other == goal.wanted.end()) {
    goal.wanted.push_back(std::move(wanted));
    return;
  }
  if (IsBetter(wanted.row, other->row)) std::swap(wanted, *other);
  LeaveOut(wanted.row, "other_layout",
           fmt::format("{} has one config for {}, and that of {} is offered", goal.path,
                       wanted.bucket.name, KeyOfLine(family_, other->row.line)));
}

core::Status BucketWork::Want(const OfferedRow& row) {
  std::string scratch;
  const core::Cells cells = core::SplitLine(row.line, scratch);
  const core::BodyMember member = core::MemberOf(store_, cells);
  if (member.name.empty()) {
    LeaveOut(row, "no_member", "an empty file says nothing new");
    return core::Ok();
  }
  core::KeyCells key(cells.begin(), cells.end());
  const auto path = tree_.OwnPath(key);
  if (!path.ok()) {
    LeaveOut(row, path.error().code, path.error().detail);
    return core::Ok();
  }
  auto found = goals_.find(*path);
  if (found == goals_.end()) {
    auto goal = GoalOf(*path, key);
    if (!goal.ok()) return goal.error();
    found = goals_.emplace(*path, *std::move(goal)).first;
  }
  BucketGoal& goal = found->second;
  const auto held = HeldElsewhere(key, member.name, goal.in_tree ? &goal.base : nullptr);
  if (!held.ok()) return held.error();
  if (!held->code.empty()) {
    LeaveOut(row, held->code, held->detail);
    return core::Ok();
  }
  WantInGoal(goal, {row, {member.name, member.config}});
  return core::Ok();
}

bool BucketWork::HasDefault(const BucketGoal& goal) const {
  if (!goal.base_path.empty()) return true;
  return std::ranges::any_of(goals_, [&](const auto& it) {
    const BucketGoal& other = it.second;
    return other.is_default() && !other.wanted.empty() && other.arch == goal.arch &&
           other.name.config == goal.name.config;
  });
}

core::Status BucketWork::AddMade(const BucketGoal& goal, MadeFile& made) {
  const bool own = made.name.sizes == goal.name.sizes;
  const std::string path =
      own ? goal.path : (fs::path(goal.path).parent_path() / made.name.File()).string();
  const auto parsed = core::ParsePath(*site_.reader, store_, path);
  if (!parsed.ok()) {
    return core::Error{"guard_failed", path + ": " + parsed.error().detail};
  }
  const std::string why = WhyHarmful(goal, made);
  if (!why.empty() && goal.base_path.empty()) {
    LeaveAllOut(made, "incomplete_file", path + " would be new: " + why);
    return core::Ok();
  }
  if (!why.empty()) return core::Error{"guard_failed", path + ": " + why};
  if (!HasDefault(goal)) {
    LeaveAllOut(made, "no_default", path + " would never be read: the kernel has no default file");
    return core::Ok();
  }
  if (!own) {
    const auto held = HeldElsewhere(parsed->cells, "", nullptr);
    if (!held.ok()) return held.error();
    if (!held->code.empty()) {
      LeaveAllOut(made, held->code, held->detail);
      return core::Ok();
    }
  }
  ContributedFile file;
  file.family = &family_;
  file.path = tree_.Below(path);
  file.fresh = !tree_.Has(path);
  if (!file.fresh) {
    auto before = tree_.Bytes(path);
    if (!before.ok()) return before.error();
    file.before = *std::move(before);
    if (goal.base.Text() != file.before) {
      contribution_.warnings.push_back(file.path +
                                       " is written anew with an indent of its own; "
                                       "what it says stays");
    }
  }
  file.bytes = made.file.Text();
  file.notes = made.notes;
  for (const WantedBucket* it : made.taken) file.rows.push_back(it->row);
  contribution_.files.push_back(std::move(file));
  return core::Ok();
}

core::Status BucketWork::Make(BucketGoal& goal) {
  auto answer = MakeFiles(family_, goal, TimesFor(goal, goals_, site_.runs));
  if (!answer.ok())
    return core::Error{answer.error().code, goal.path + ": " + answer.error().detail};
  for (LeftOut& it : answer->left_out) contribution_.left_out.push_back(std::move(it));
  for (const std::string& remark : answer->remarks) {
    contribution_.warnings.push_back(goal.path + ": " + remark);
  }
  for (MadeFile& made : answer->files) {
    if (auto added = AddMade(goal, made); !added.ok()) return added;
  }
  return core::Ok();
}

void BucketWork::AddSibling(const BucketGoal& made) {
  for (auto& [path, goal] : goals_) {
    const bool beside = fs::path(path).parent_path() == fs::path(made.path).parent_path() &&
                        goal.name.config == made.name.config && goal.name.arch == made.name.arch;
    if (beside) goal.siblings.push_back(made.name.sizes);
  }
}

// Special files first: who has one of its own does not read the default any more.
core::Status BucketWork::MakeAll() {
  if (auto told = CheckTimes(goals_, site_.runs); !told.ok()) return told;
  for (const bool defaults : {false, true}) {
    for (auto& [path, goal] : goals_) {
      if (goal.wanted.empty() || goal.is_default() != defaults) continue;
      const std::size_t before = contribution_.files.size();
      if (auto made = Make(goal); !made.ok()) return made;
      if (!defaults && contribution_.files.size() > before) AddSibling(goal);
    }
  }
  return core::Ok();
}

}  // namespace

core::Result<Contribution> ContributeBuckets(Offer offer, const BucketSite& site) {
  auto tree = BucketTree::Open(*site.reader, *site.store, site.tree);
  if (!tree.ok()) return tree.error();
  BucketWork work(site, *std::move(tree));
  if (auto read = work.ReadAgainst(); !read.ok()) return read.error();
  for (const FamilyOffer& of_family : offer.families) {
    for (const OfferedRow& row : of_family.rows) {
      if (auto wanted = work.Want(row); !wanted.ok()) return wanted.error();
    }
  }
  if (auto made = work.MakeAll(); !made.ok()) return made.error();
  Contribution contribution = std::move(work.contribution());
  contribution.left_out.insert(contribution.left_out.begin(), offer.left_out.begin(),
                               offer.left_out.end());
  for (const auto* environment : {&site.runs.old_environment, &site.runs.new_environment}) {
    nlohmann::ordered_json run = nlohmann::ordered_json::object();
    for (const auto& [name, value] : *environment) {
      if (name != "config") run[name] = value;
    }
    if (!run.empty()) contribution.runs.push_back(std::move(run));
  }
  contribution.checked = {
      "AITER's lookup asks for each Triton file by the name that it has, and for each bucket",
      "each M finds a bucket where it found one; it reads the config that it read, or a new one",
      "no Triton file that several shapes read became slower for one that was measured"};
  if (work.is_held_against()) {
    contribution.checked.emplace_back(
        "no file that it was held against has one of the new buckets");
  }
  return contribution;
}

}  // namespace tunehub::agent
