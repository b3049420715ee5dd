#include "core/merge/merge_runs.h"

#include <algorithm>
#include <iterator>

#include "core/row/winner.h"
#include "core/system/parallel.h"

namespace tunehub::core {
namespace {

using Entries = std::vector<const Entry*>;

bool Before(const Entry* a, const Entry* b) {
  return Precedes(*a, *b);
}

bool Wins(const Entry* a, const Entry* b) {
  const auto contender = [](const Entry& entry) {
    return Contender{entry.standing, entry.us, entry.error, {}, 0, {}};
  };
  return Beats(contender(*a), contender(*b));
}

Duplicate Describe(Entries group) {
  std::stable_sort(group.begin(), group.end(), Wins);
  Duplicate duplicate;
  duplicate.identical = true;
  for (const Entry* entry : group) {
    duplicate.identical = duplicate.identical && entry->line == group[0]->line;
    duplicate.places.push_back(
        {entry->run->file, entry->run->first_line + entry->row_line, std::string(entry->line)});
  }
  return duplicate;
}

// Keys that cut the whole into `count` ranges of about one size: quantiles of a sample.
Entries Splitters(std::span<const std::unique_ptr<SortedRun>> runs, std::size_t count) {
  constexpr std::size_t kSampled = 64;  // one entry of so many
  Entries sample, splitters;
  for (const auto& run : runs) {
    for (std::size_t i = 0; i < run->entries.size(); i += kSampled) {
      sample.push_back(run->entries[i]);
    }
  }
  std::sort(sample.begin(), sample.end(), Before);
  for (std::size_t i = 1; i < count && !sample.empty(); ++i) {
    splitters.push_back(sample[i * sample.size() / count]);
  }
  return splitters;
}

// Merges neighbours until one is left, so that equal keys stay in the order of the runs.
Entries MergeAll(std::vector<Entries> runs) {
  while (runs.size() > 1) {
    std::vector<Entries> merged;
    for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
      Entries& both = merged.emplace_back();
      both.reserve(runs[i].size() + runs[i + 1].size());
      std::merge(runs[i].begin(), runs[i].end(), runs[i + 1].begin(), runs[i + 1].end(),
                 std::back_inserter(both), Before);
    }
    if (runs.size() % 2 == 1) merged.push_back(std::move(runs.back()));
    runs = std::move(merged);
  }
  return runs.empty() ? Entries() : std::move(runs.front());
}

MergedRange Resolve(const Entries& entries) {
  MergedRange range;
  range.lines.reserve(entries.size());
  for (auto first = entries.begin(); first != entries.end();) {
    const auto last = std::find_if(first + 1, entries.end(),
                                   [&](const Entry* entry) { return !SameKey(*entry, **first); });
    range.lines.push_back((*std::min_element(first, last, Wins))->line);
    if (last - first > 1) range.duplicates.push_back(Describe({first, last}));
    first = last;
  }
  return range;
}

}  // namespace

std::vector<MergedRange> MergeRuns(std::span<const std::unique_ptr<SortedRun>> runs,
                                   std::size_t threads) {
  const Entries splitters = Splitters(runs, threads);
  std::vector<MergedRange> ranges(splitters.size() + 1);
  InParallel(ranges.size(), threads, [&](std::size_t i) {
    std::vector<Entries> parts;
    for (const auto& run : runs) {
      const Entries& all = run->entries;
      const auto border = [&](std::size_t splitter) {
        return std::lower_bound(all.begin(), all.end(), splitters[splitter], Before);
      };
      parts.emplace_back(i == 0 ? all.begin() : border(i - 1),
                         i == splitters.size() ? all.end() : border(i));
    }
    ranges[i] = Resolve(MergeAll(std::move(parts)));
  });
  return ranges;
}

}  // namespace tunehub::core
