#include "agent/commands/tables/coverage_print.h"

#include <fmt/core.h>

#include <iomanip>
#include <string>
#include <vector>

#include "agent/base/command.h"

namespace tunehub::agent {

void PrintCoverage(std::ostream& out, const analysis::Coverage& coverage) {
  std::vector<analysis::Counts> buckets(coverage.buckets.size());
  for (const analysis::AnsweredShape& it : coverage.shapes) {
    buckets[it.bucket].Add(it.state, it.demand);
  }
  const auto line = [&](const std::string& title, const analysis::Counts& counts) {
    out << std::left << std::setw(14) << title << std::right << std::setw(8) << counts.shapes();
    for (const std::int64_t count : counts.of) out << std::setw(11) << count;
    out << '\n';
  };
  out << std::left << std::setw(14) << "bucket" << std::right << std::setw(8) << "shapes";
  for (std::size_t i = 0; i < analysis::kStates; ++i) {
    out << std::setw(11) << analysis::Name(static_cast<analysis::State>(i));
  }
  out << '\n';
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const analysis::MBucket& bucket = coverage.buckets[i];
    line(fmt::format("{}-{}", bucket.from, bucket.to), buckets[i]);
  }
  line("all", coverage.totals());
}

void PrintShare(std::ostream& out, const analysis::BucketShare& share) {
  out << fmt::format("{:.1f} % covered, the mean of the buckets; exact {:.1f} %",
                     100 * share.covered(), 100 * share.exact());
  if (const auto by_demand = share.covered_by_demand()) {
    out << fmt::format("; {:.1f} % where buckets weigh as much as their demand", 100 * *by_demand);
  }
  out << '\n';
}

int CodeOf(const analysis::Counts& counts) {
  return counts.covered() == counts.shapes() ? kGood : kFinding;
}

}  // namespace tunehub::agent
