#include "agent/commands/triton/triton_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tunehub::agent {
namespace {

void PrintSide(std::ostream& out, const char* side, const analysis::Environment& environment) {
  if (environment.empty()) return;
  out << side << ':';
  for (const auto& [name, value] : environment) out << ' ' << name << '=' << value;
  out << '\n';
}

}  // namespace

void PrintTritonText(std::ostream& out, const buckets::MergeInput& input,
                     const buckets::BucketMerge& merge, const std::vector<std::string>& places,
                     const buckets::BucketRuns& runs) {
  PrintSide(out, "old", runs.old_environment);
  PrintSide(out, "new", runs.new_environment);
  if (!merge.left_alone.empty()) {
    out << input.name.File() << ": left alone, since " << merge.left_alone << '\n';
  }
  for (std::size_t i = 0; i < merge.files.size(); ++i) {
    const buckets::MergedFile& file = merge.files[i];
    out << places[i] << ": " << file.taken() << " of " << file.choices.size()
        << " buckets from the new file\n";
    std::size_t width = 0;
    for (const auto& choice : file.choices) width = std::max(width, choice.name.size());
    for (const auto& choice : file.choices) {
      out << fmt::format("  {:<{}}  {}  {}\n", choice.name, width, choice.from_new ? "new" : "old",
                         choice.why);
    }
  }
  if (merge.files.empty()) out << "no file was written\n";
  for (const std::string& remark : merge.remarks) out << remark << '\n';
}

void PrintTritonJson(std::ostream& out, const buckets::MergeInput& input,
                     const buckets::BucketMerge& merge, const std::vector<std::string>& places,
                     const buckets::BucketRuns& runs) {
  auto files = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < merge.files.size(); ++i) {
    auto buckets = nlohmann::ordered_json::array();
    for (const auto& choice : merge.files[i].choices) {
      buckets.push_back({{"bucket", choice.name},
                         {"from", choice.from_new ? "new" : "old"},
                         {"reason", Name(choice.reason)},
                         {"why", choice.why}});
    }
    files.push_back({{"file", places[i]},
                     {"name", merge.files[i].name.File()},
                     {"taken", merge.files[i].taken()},
                     {"buckets", std::move(buckets)}});
  }
  const nlohmann::ordered_json report = {{"old", input.name.File()},
                                         {"left_alone", merge.left_alone},
                                         {"files", std::move(files)},
                                         {"times", merge.times},
                                         {"shapes", merge.shapes},
                                         {"old_environment", runs.old_environment},
                                         {"new_environment", runs.new_environment},
                                         {"remarks", merge.remarks}};
  out << report.dump(2) << '\n';
}

}  // namespace tunehub::agent
