#include "agent/commands/contribute/bucket_goal.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "core/base/read_json.h"

namespace tunehub::agent {
namespace {

using buckets::BucketFile;

auto BucketOrder(const buckets::Bucket& bucket) {
  const buckets::BucketKey key = buckets::KeyOf(bucket.name);
  return std::tuple(key.kind, key.bound);
}

// Before the first that comes behind it; notes stay where they are.
void PutBucket(const buckets::Bucket& bucket, std::vector<buckets::Bucket>& all) {
  const auto same = std::ranges::find(all, bucket.name, &buckets::Bucket::name);
  if (same != all.end()) {
    same->config = bucket.config;
    return;
  }
  const auto behind = std::ranges::find_if(all, [&](const buckets::Bucket& it) {
    const bool note = buckets::KeyOf(it.name).kind == buckets::BucketKind::kOther;
    return !note && BucketOrder(it) > BucketOrder(bucket);
  });
  all.insert(behind, bucket);
}

BucketFile WithBuckets(const BucketFile& base, const std::vector<const WantedBucket*>& wanted) {
  std::vector<buckets::Bucket> all = base.buckets();
  for (const WantedBucket* it : wanted) PutBucket(it->bucket, all);
  return BucketFile(std::move(all), base.indent());
}

// The members that each config of the file has.
std::set<std::string> CommonMembers(const BucketFile& base) {
  std::set<std::string> common;
  bool first = true;
  for (const buckets::Bucket& bucket : base.buckets()) {
    if (buckets::KeyOf(bucket.name).kind == buckets::BucketKind::kOther) continue;
    const auto theirs = core::SureJson(bucket.config);
    if (first) {
      for (const auto& [name, value] : theirs.items()) common.insert(name);
    }
    first = false;
    std::erase_if(common, [&](const std::string& name) { return !theirs.contains(name); });
  }
  return common;
}

// Of them one that the config lacks; "": none.
std::string LackedMember(const std::set<std::string>& common, const std::string& config) {
  const auto json = core::SureJson(config);
  const auto lacked =
      std::ranges::find_if(common, [&](const std::string& name) { return !json.contains(name); });
  return lacked == common.end() ? "" : *lacked;
}

class GoalWork {
 public:
  GoalWork(const core::Family& family, const BucketGoal& goal, const buckets::BucketRuns& runs)
      : family_(family), goal_(goal), runs_(runs) {}

  core::Result<GoalAnswer> Make() {
    Sift();
    if (sifted_.empty()) return std::move(answer_);
    buckets::MergeInput input{goal_.name, goal_.base, WithBuckets(goal_.base, sifted_),
                              goal_.siblings, ""};
    input.bounds = goal_.bounds;
    input.arch = goal_.arch;
    const auto merge = buckets::MergeBuckets(input, runs_);
    if (merge.ok()) {
      TakeMerged(*merge);
    } else if (merge.error().code == "no_measurement") {
      TakeUnjudged();
    } else {
      return merge.error();
    }
    return std::move(answer_);
  }

 private:
  void LeaveOut(const WantedBucket& wanted, std::string code, std::string detail) {
    answer_.left_out.push_back(
        {family_.name, KeyOfLine(family_, wanted.row.line), std::move(code), std::move(detail)});
  }

  // Leaves out what no measurement could bring in.
  void Sift() {
    const std::set<std::string> common = CommonMembers(goal_.base);
    for (const WantedBucket& wanted : goal_.wanted) {
      const buckets::Bucket* const held = goal_.base.Find(wanted.bucket.name);
      const std::string lacked = LackedMember(common, wanted.bucket.config);
      if (!BucketFile::IsTried(wanted.bucket.name, goal_.bounds)) {
        LeaveOut(wanted, "never_selected", "the kernel's lookup never asks for this bound");
      } else if (held != nullptr && buckets::IsSameConfig(held->config, wanted.bucket.config)) {
        LeaveOut(wanted, goal_.in_tree ? "key_held" : "as_before",
                 goal_.base_path + " has it with the same config");
      } else if (!lacked.empty()) {
        LeaveOut(wanted, "lacks_member",
                 fmt::format("each config of {} has '{}'", goal_.base_path, lacked));
      } else {
        sifted_.push_back(&wanted);
      }
    }
  }

  // With the wanted buckets that measurements chose; its notes say why, where the two differ.
  MadeFile MadeOf(const buckets::MergedFile& merged) const {
    MadeFile made{merged.name, merged.file, {}, {}};
    for (const buckets::BucketChoice& choice : merged.choices) {
      if (merged.file.Find(choice.name) != nullptr && choice.reason != buckets::Reason::kSame) {
        made.notes.push_back(choice.name + ": " + choice.why);
      }
      if (!choice.from_new) continue;
      for (const WantedBucket* it : sifted_) {
        if (it->bucket.name == choice.name) made.taken.push_back(it);
      }
    }
    return made;
  }

  void TakeMerged(const buckets::BucketMerge& merge) {
    std::set<const WantedBucket*> taken;
    answer_.remarks = merge.remarks;
    for (const buckets::MergedFile& merged : merge.files) {
      MadeFile made = MadeOf(merged);
      taken.insert(made.taken.begin(), made.taken.end());
      if (!made.taken.empty()) answer_.files.push_back(std::move(made));
    }
    for (const WantedBucket* it : sifted_) {
      if (!taken.contains(it)) LeaveOutJudged(*it, merge);
    }
  }

  void LeaveOutJudged(const WantedBucket& wanted, const buckets::BucketMerge& merge) {
    for (const buckets::MergedFile& merged : merge.files) {
      for (const buckets::BucketChoice& choice : merged.choices) {
        if (choice.name != wanted.bucket.name) continue;
        return LeaveOut(wanted, std::string(Name(choice.reason)), choice.why);
      }
    }
    LeaveOut(wanted, "harms", merge.left_alone.empty() ? "no shape is faster" : merge.left_alone);
  }

  // Nobody measured both configs.
  void TakeUnjudged() {
    MadeFile made{goal_.name, {}, {}, {}};
    for (const WantedBucket* it : sifted_) {
      const bool held = goal_.in_tree && goal_.base.Find(it->bucket.name) != nullptr;
      if (held) {
        LeaveOut(*it, "key_held",
                 goal_.path + " has another config; --measured says whether it may change");
      } else if (goal_.is_shared()) {
        LeaveOut(*it, "not_measured",
                 goal_.path +
                     " is read by every shape without a file of its own; --measured says "
                     "whether one is harmed");
      } else if (!(it->row.us > 0)) {
        LeaveOut(*it, "not_measured", "nobody timed it");
      } else if (it->row.before_us && *it->row.before_us < it->row.us) {
        LeaveOut(
            *it, "slower",
            fmt::format("{:.2f} us before, {:.2f} us with it", *it->row.before_us, it->row.us));
      } else {
        made.taken.push_back(it);
      }
    }
    if (made.taken.empty()) return;
    made.file = WithBuckets(goal_.base, made.taken);
    if (!goal_.in_tree && !goal_.base_path.empty()) {
      made.notes.push_back("the other buckets are those of " + goal_.base_path);
    }
    answer_.files.push_back(std::move(made));
  }

  const core::Family& family_;
  const BucketGoal& goal_;
  const buckets::BucketRuns& runs_;
  std::vector<const WantedBucket*> sifted_;
  GoalAnswer answer_;
};

}  // namespace

bool BucketGoal::changes() const {
  return std::ranges::any_of(wanted, [&](const WantedBucket& it) {
    const buckets::Bucket* const held = base.Find(it.bucket.name);
    return held == nullptr || !buckets::IsSameConfig(held->config, it.bucket.config);
  });
}

core::Result<GoalAnswer> MakeFiles(const core::Family& family, const BucketGoal& goal,
                                   const buckets::BucketRuns& runs) {
  return GoalWork(family, goal, runs).Make();
}

std::string WhyHarmful(const BucketGoal& goal, const MadeFile& made) {
  std::set<std::int64_t> starts;
  goal.base.AddStarts(goal.bounds, starts);
  made.file.AddStarts(goal.bounds, starts);
  for (const std::int64_t m : starts) {
    const buckets::Bucket* const before = goal.base.At(m, goal.bounds);
    const buckets::Bucket* const after = made.file.At(m, goal.bounds);
    if (after == nullptr && (before != nullptr || goal.base_path.empty())) {
      return fmt::format("no bucket is there for M={}, where AITER stops", m);
    }
    if (after == nullptr) continue;
    const bool kept = before != nullptr && buckets::IsSameConfig(before->config, after->config);
    const bool taken = std::ranges::any_of(made.taken, [&](const WantedBucket* it) {
      return it->bucket.name == after->name &&
             buckets::IsSameConfig(it->bucket.config, after->config);
    });
    if (!kept && !taken) {
      return fmt::format(
          "M={} would read {}, which is neither the config before nor an offered one", m,
          after->name);
    }
  }
  return "";
}

}  // namespace tunehub::agent
