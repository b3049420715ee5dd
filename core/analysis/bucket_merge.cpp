#include "core/analysis/bucket_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/text.h"
#include "core/family/lookup_kinds.h"

namespace tunehub::buckets {
namespace {

using Pieces = std::vector<const Evidence*>;

struct Verdict {
  Pieces slower, faster, unsure, measured;

  void Add(const Evidence& it) {
    if (!it.is_measured()) return;
    measured.push_back(&it);
    if (it.is_slower()) slower.push_back(&it);
    if (it.is_faster()) faster.push_back(&it);
    if (it.is_unsure()) unsure.push_back(&it);
  }
};

// Describes the worst piece (or the best), and gives the number of pieces.
std::string Told(const char* what, const Pieces& pieces, std::size_t of, bool best) {
  const auto speedup = [](const Evidence* it) {
    return it->compared.base && it->compared.head ? it->compared.speedup() : 0;
  };
  const auto [least, greatest] = std::ranges::minmax_element(pieces, {}, speedup);
  return fmt::format("{} at {} us ({} of {} measured)", what, (best ? *greatest : *least)->Text(),
                     pieces.size(), of);
}

BucketChoice Choose(const PlannedBucket& planned, const Verdict& verdict) {
  BucketChoice choice{planned.name, false, Reason::kUnmeasured, "not measured"};
  const auto decide = [&](Reason reason, bool from_new, std::string why) {
    choice.reason = reason;
    choice.from_new = from_new;
    choice.why = std::move(why);
  };
  const std::size_t measured = verdict.measured.size();
  if (planned.of_new == nullptr) {
    decide(Reason::kNoBucket, false, "the new file has no config, or several, for these M");
  } else if (planned.of_old != nullptr &&
             IsSameConfig(planned.of_old->config, planned.of_new->config)) {
    decide(Reason::kSame, false, "both files have the same config");
  } else if (!verdict.slower.empty()) {
    decide(Reason::kSlower, false, Told("slower", verdict.slower, measured, false));
  } else if (!verdict.unsure.empty()) {
    decide(Reason::kUnsure, false,
           Told("needs another measurement", verdict.unsure, measured, false));
  } else if (!verdict.faster.empty()) {
    decide(Reason::kFaster, true, Told("faster", verdict.faster, measured, true));
  } else if (measured > 0) {
    decide(Reason::kNotSlower, true, Told("not slower", verdict.measured, measured, false));
  }
  return choice;
}

bool IsNote(const std::string& bucket) {
  return KeyOf(bucket).kind == BucketKind::kOther;
}

const char* NeverRead(const std::string& bucket) {
  return IsNote(bucket) ? "not a bucket" : "the lookup never reaches it";
}

// Returns the choice for a bucket that no M reaches.
BucketChoice Rest(const std::string& bucket, const char* why, bool stays) {
  return {bucket, false, IsNote(bucket) ? Reason::kNote : Reason::kNeverTried,
          fmt::format("{}; {}", why, stays ? "stays" : "left out")};
}

class Merger {
 public:
  Merger(const MergeInput& input, const std::vector<PlannedBucket>& plan)
      : input_(input), plan_(plan) {}

  // Merges the file `name` by the evidence of its shapes. If the shapes conflict, makes a special
  // file for each part of the shapes.
  void Merge(const BucketName& name, const Pieces& pieces, BucketMerge& merge) const {
    std::vector<Verdict> verdicts(plan_.size() + 1);  // the last verdict: shapes without a bucket
    for (const Evidence* it : pieces) verdicts[it->place].Add(*it);
    const std::string conflict = Conflict(verdicts);
    if (!conflict.empty()) {
      if (merge.left_alone.empty()) merge.left_alone = conflict;
      for (const auto& [sizes, part] : Parts(name, pieces)) {
        BucketName special = name;
        special.sizes = sizes;
        Merge(special, part, merge);
      }
      return;
    }
    MergedFile merged = Make(name, verdicts);
    const bool is_asked = name.sizes == input_.name.sizes;
    const bool gains = std::ranges::any_of(merged.choices, [](const BucketChoice& it) {
      return it.from_new && it.reason == Reason::kFaster;
    });
    // Unmeasured shapes also read a default file, so that file changes only if a shape becomes
    // faster.
    if (!gains && is_asked && name.sizes.empty()) merge.left_alone = "no shape is faster";
    if (!gains && (!is_asked || name.sizes.empty())) return;
    AddReach(name, pieces, merge);
    merge.files.push_back(std::move(merged));
  }

 private:
  // Describes a bucket that makes one shape faster and another slower; "" if there is none. A shape
  // that is slower at some M counts as slower.
  std::string Conflict(const std::vector<Verdict>& verdicts) const {
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      const BucketChoice choice = Choose(plan_[i], verdicts[i]);
      if (choice.reason != Reason::kSlower) continue;
      for (const Evidence* loser : verdicts[i].slower) {
        const auto gainer = std::ranges::find_if(verdicts[i].faster, [&](const Evidence* it) {
          return it->sizes != loser->sizes && !Harmed(verdicts[i], it->sizes);
        });
        if (gainer == verdicts[i].faster.end()) continue;
        return fmt::format("{} would be faster at {} us and slower at {} us", plan_[i].name,
                           (*gainer)->Text(), loser->Text());
      }
    }
    return "";
  }

  // Adds a remark that unmeasured shapes read the file, too.
  static void AddReach(const BucketName& name, const Pieces& pieces, BucketMerge& merge) {
    std::set<std::string> measured;
    for (const Evidence* it : pieces) measured.insert(core::Assignments(it->sizes));
    const bool whole = !pieces.empty() && pieces.front()->sizes.size() == name.sizes.size();
    if (whole) return;
    merge.remarks.push_back(fmt::format(
        "{} serves {} shape that has no file with its sizes in the name; measured: {}", name.File(),
        name.sizes.empty() ? "every" : "every matching", fmt::join(measured, ", ")));
  }

  static bool Harmed(const Verdict& verdict, const Sizes& sizes) {
    return std::ranges::any_of(verdict.slower,
                               [&](const Evidence* it) { return it->sizes == sizes; });
  }

  // Groups the shapes by the sizes in a special file's name: first without B, then with B.
  static std::map<Sizes, Pieces> Parts(const BucketName& name, const Pieces& pieces) {
    std::map<Sizes, Pieces> parts;
    for (const Evidence* it : pieces) {
      Sizes sizes = it->sizes;
      std::erase_if(sizes, [](const auto& size) { return size.first == "B"; });
      if (sizes.size() <= name.sizes.size()) sizes = it->sizes;
      parts[sizes].push_back(it);
    }
    return parts;
  }

  MergedFile Make(const BucketName& name, const std::vector<Verdict>& verdicts) const {
    MergedFile merged{name, {}, {}};
    std::vector<Bucket> buckets;
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      BucketChoice choice = Choose(plan_[i], verdicts[i]);
      const Bucket* source = choice.from_new ? plan_[i].of_new : plan_[i].of_old;
      if (source != nullptr) buckets.push_back({choice.name, source->config});
      merged.choices.push_back(std::move(choice));
    }
    DropNeedless(buckets, merged.choices);
    AddRest(name, buckets, merged.choices);
    merged.file = BucketFile(std::move(buckets), input_.old_file.indent());
    return merged;
  }

  // Drops a bucket that the old file lacks if the next bucket gives its M the same config.
  void DropNeedless(std::vector<Bucket>& buckets, std::vector<BucketChoice>& choices) const {
    for (std::size_t i = buckets.size(); i-- > 0;) {
      const std::string name = buckets[i].name;
      if (i + 1 == buckets.size() || input_.old_file.Find(name) != nullptr) continue;
      const bool follows = KeyOf(name).kind == BucketKind::kAtMost &&
                           KeyOf(buckets[i + 1].name).kind != BucketKind::kAtLeast;
      const auto choice = std::ranges::find(choices, name, &BucketChoice::name);
      if (!follows || choice->from_new || buckets[i].config != buckets[i + 1].config) continue;
      choice->why += "; unchanged, it takes the config of " + buckets[i + 1].name;
      buckets.erase(buckets.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  // Handles notes, and buckets that no M reaches.
  void AddRest(const BucketName& name, std::vector<Bucket>& buckets,
               std::vector<BucketChoice>& choices) const {
    KeepOldRest(name, buckets, choices);
    LeaveOutNewRest(choices);
    std::ranges::stable_sort(buckets, {}, [](const Bucket& bucket) {
      const BucketKey key = KeyOf(bucket.name);
      return std::tuple(key.kind != BucketKind::kOther, key.kind, key.bound);
    });
  }

  // Keeps the old file's buckets, and its notes unless this is a special file.
  void KeepOldRest(const BucketName& name, std::vector<Bucket>& buckets,
                   std::vector<BucketChoice>& choices) const {
    const bool is_asked = name.sizes == input_.name.sizes;
    for (const Bucket& bucket : input_.old_file.buckets()) {
      if (IsPlanned(bucket.name)) continue;
      // Every file needs M_BOUNDS, because it tells the lookup which bounds to try.
      const bool stays = is_asked || !IsNote(bucket.name) || bucket.name == core::kBoundsMember;
      choices.push_back(Rest(bucket.name, NeverRead(bucket.name), stays));
      if (stays) buckets.push_back(bucket);
    }
  }

  void LeaveOutNewRest(std::vector<BucketChoice>& choices) const {
    for (const Bucket& bucket : input_.new_file.buckets()) {
      if (IsPlanned(bucket.name) || input_.old_file.Find(bucket.name) != nullptr) continue;
      const char* const why = BucketFile::IsTried(bucket.name, input_.bounds)
                                  ? "the old file has several configs for these M"
                                  : NeverRead(bucket.name);
      choices.push_back(Rest(bucket.name, why, false));
    }
  }

  bool IsPlanned(const std::string& bucket) const {
    return std::ranges::find(plan_, bucket, &PlannedBucket::name) != plan_.end();
  }

  const MergeInput& input_;
  const std::vector<PlannedBucket>& plan_;
};

}  // namespace

std::string_view Name(Reason reason) {
  constexpr std::string_view kNames[kReasons] = {"same",      "faster",      "not_slower",
                                                 "slower",    "unsure",      "unmeasured",
                                                 "no_bucket", "never_tried", "note"};
  return kNames[static_cast<std::size_t>(reason)];
}

std::size_t MergedFile::taken() const {
  return static_cast<std::size_t>(std::ranges::count_if(choices, &BucketChoice::from_new));
}

core::Result<BucketMerge> MergeBuckets(const MergeInput& input, const BucketRuns& runs) {
  const auto plan = PlanBuckets(input.old_file, input.new_file, input.bounds);
  const auto evidences = Judge(input, runs, plan);
  if (!evidences.ok()) return evidences.error();
  BucketMerge merge;
  merge.remarks = evidences->remarks;
  merge.times = evidences->times;
  merge.shapes = evidences->shapes;
  Pieces pieces;
  for (const Evidence& it : evidences->all) pieces.push_back(&it);
  Merger(input, plan).Merge(input.name, pieces, merge);
  return merge;
}

}  // namespace tunehub::buckets
