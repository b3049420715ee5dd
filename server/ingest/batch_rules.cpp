#include "server/ingest/batch_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/base/excerpt.h"
#include "core/base/read_json.h"
#include "core/row/winner.h"

namespace tunehub::server {
namespace {

// Agents write a time with fewer digits than its samples.
constexpr double kRounding = 0.01;

// "" where it is enough, or nothing is said.
std::string Insufficiency(const nlohmann::json& json) {
  const auto status = json.find("status");
  if (status != json.end() && *status != "ok") {
    const std::string says = status->is_string() ? status->get<std::string>() : status->dump();
    return fmt::format("unfinished: its status is '{}'", core::Excerpt(says));
  }
  const auto samples = json.find("samples");
  if (samples == json.end() || samples->size() >= core::kLeastSamples) return "";
  return fmt::format("unfinished: {} samples, {} are the least", samples->size(),
                     core::kLeastSamples);
}

// "" where the time is one that its samples may have.
std::string Contradiction(const nlohmann::json& samples, double us) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const auto& sample : samples) {
    least = std::min(least, sample.get<double>());
    most = std::max(most, sample.get<double>());
  }
  if (us >= least * (1 - kRounding) && us <= most * (1 + kRounding)) return "";
  return fmt::format("implausible: {:.6g} us, its samples are {:.6g} to {:.6g} us", us, least,
                     most);
}

}  // namespace

void JudgeEvidence(std::string_view evidence, bool is_default, core::Row& row) {
  const bool nameless = is_default && row.reason == core::kNamesNoKernel && row.us > 0;
  if (!nameless && (evidence.empty() || !core::Competes(row.standing))) return;
  auto json = evidence.empty() ? nlohmann::json::object() : core::ReadJson(evidence);
  if (!json.is_object()) json = nlohmann::json::object();
  if (nameless) {
    row.standing = core::Standing::kMeasured;  // so far
    row.reason.clear();
  }
  if (std::string why = Insufficiency(json); !why.empty()) {
    row.standing = core::Standing::kUnfinished;
    row.reason = std::move(why);
    return;
  }
  if (row.standing != core::Standing::kMeasured) return;
  if (const auto samples = json.find("samples"); samples != json.end()) {
    if (std::string why = Contradiction(*samples, row.us); !why.empty()) {
      row.standing = core::Standing::kImplausible;
      row.reason = std::move(why);
      return;
    }
  }
  const auto timing = json.find("timing");
  if (nameless || (timing != json.end() && *timing == kOperatorTiming))
    row.standing = core::Standing::kCompared;
}

namespace {

// Rows of one batch share their run, so the run cannot decide between them.
core::Contender ContenderOf(const StagedRow& staged) {
  const core::Row& row = staged.row;
  return {row.standing, row.us, row.error, row.candidate, 0, {}};
}

bool Competes(const StagedRow& staged) {
  return core::Competes(staged.row.standing);
}

bool SameKey(const StagedRow& a, const StagedRow& b) {
  return a.row.key == b.row.key && a.provider == b.provider;
}

// A row's place with the beginning of its key, which decides nearly every comparison of the sort
// without a visit to the rows: they lie far apart, and the visits were a sixth of the server's own
// work on a batch of 100,000.
struct Place {
  std::uint64_t key = 0;  // big-endian: in the order of the bytes
  std::size_t row = 0;
};

Place PlaceOf(const std::vector<StagedRow>& rows, std::size_t row) {
  Place place{0, row};
  for (std::size_t i = 0; i < sizeof place.key; ++i) {
    place.key = place.key << 8 | rows[row].row.key.bytes[i];
  }
  return place;
}

bool SortsBefore(const StagedRow& a, const StagedRow& b) {
  if (a.row.key != b.row.key) return a.row.key < b.row.key;
  if (a.provider != b.provider) return a.provider < b.provider;
  return core::Beats(ContenderOf(a), ContenderOf(b));
}

// `begin`..`end`: the rows of one key and provider, best first, each candidate once.
void Mark(std::vector<StagedRow>::iterator begin, std::vector<StagedRow>::iterator end) {
  begin->best = true;
  begin->alone = std::count_if(begin, end, Competes) == 1;
}

}  // namespace

Folded Fold(std::vector<StagedRow> rows, std::size_t files) {
  Folded folded;
  folded.folded_per_file.resize(files, 0);
  folded.folded_competing_per_file.resize(files, 0);
  folded.rows.reserve(rows.size());
  std::vector<Place> order;  // rows are large: sort their places
  order.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) order.push_back(PlaceOf(rows, i));
  std::stable_sort(order.begin(), order.end(), [&](const Place& a, const Place& b) {
    return a.key != b.key ? a.key < b.key : SortsBefore(rows[a.row], rows[b.row]);
  });
  std::unordered_set<core::Hash128, core::Hash128Hasher> candidates;  // of the current key
  auto group = static_cast<std::ptrdiff_t>(0);                        // where its rows begin
  for (const Place& place : order) {
    StagedRow& staged = rows[place.row];
    if (!folded.rows.empty() && !SameKey(folded.rows.back(), staged)) {
      Mark(folded.rows.begin() + group, folded.rows.end());
      group = static_cast<std::ptrdiff_t>(folded.rows.size());
      candidates.clear();
    }
    if (candidates.insert(staged.row.candidate).second) {
      folded.rows.push_back(std::move(staged));
      continue;
    }
    ++folded.folded_per_file[staged.file];
    if (Competes(staged)) ++folded.folded_competing_per_file[staged.file];
  }
  if (!folded.rows.empty()) Mark(folded.rows.begin() + group, folded.rows.end());
  return folded;
}

}  // namespace tunehub::server
