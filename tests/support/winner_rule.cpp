#include "tests/support/winner_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/table/table_writer.h"
#include "tests/support/shipped.h"

namespace tunehub::test {
namespace {

constexpr int kWrongWeight = 3;

double LastOf(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
}

// A null, here NaN, comes behind infinity, as Postgres sorts it.
int OrderOf(double a, double b) {
  if (std::isnan(a) != std::isnan(b)) return std::isnan(a) ? 1 : -1;
  if (LastOf(a) != LastOf(b)) return LastOf(a) < LastOf(b) ? -1 : 1;
  return 0;
}

// Ranks a candidate's rows: measured, declared, unmeasured, wrong.
int Weight(core::Standing standing) {
  return standing <= core::Standing::kUnmeasured ? static_cast<int>(standing) : kWrongWeight;
}

// The owner that called the candidate wrong has measured it right later.
bool IsTakenBack(const core::Contender& wrong, std::span<const core::Contender> rows) {
  return std::ranges::any_of(rows, [&](const core::Contender& it) {
    return it.owner == wrong.owner && it.standing == core::Standing::kMeasured &&
           it.received > wrong.received;
  });
}

bool IsWithdrawn(const core::Contender& row, std::span<const core::Contender> rows) {
  std::set<int> owners;
  for (const core::Contender& it : rows) {
    if (it.standing != core::Standing::kWrong) continue;
    if (row.standing == core::Standing::kMeasured && it.received <= row.received) continue;
    if (it.owner == row.owner) return true;
    if (IsTakenBack(it, rows)) continue;
    if (it.decides) return true;
    owners.insert(it.owner);
  }
  return owners.size() > 1;
}

bool IsLater(const core::Contender& a, const core::Contender& b) {
  return a.run_time != b.run_time ? a.run_time > b.run_time : b.run < a.run;
}

bool StandsBefore(const core::Contender& a, const core::Contender& b) {
  if (Weight(a.standing) != Weight(b.standing)) return Weight(a.standing) < Weight(b.standing);
  if (a.standing == core::Standing::kMeasured) {
    if (const int us = OrderOf(a.us, b.us); us != 0) return us < 0;
    if (const int error = OrderOf(a.error, b.error); error != 0) return error < 0;
  }
  if (a.rank != b.rank) return a.rank < b.rank;
  return IsLater(a, b);
}

}  // namespace

const core::Contender* StandsBy(std::span<const core::Contender> rows) {
  std::map<std::pair<int, int>, const core::Contender*> latest;  // by owner and weight
  for (const core::Contender& it : rows) {
    if (it.standing > core::Standing::kWrong) continue;
    if (it.standing != core::Standing::kWrong && IsWithdrawn(it, rows)) continue;
    const core::Contender*& word = latest[{it.owner, Weight(it.standing)}];
    if (word == nullptr || IsLater(it, *word)) word = &it;
  }
  const core::Contender* stands = nullptr;
  for (const auto& [owner, word] : latest) {
    if (stands == nullptr || StandsBefore(*word, *stands)) stands = word;
  }
  return stands;
}

core::WinReason WhyWon(const core::Contender& winner, const core::Contender* second) {
  if (winner.standing == core::Standing::kUnmeasured) return core::WinReason::kNothingMeasured;
  if (second == nullptr) return core::WinReason::kOnlyCandidate;
  if (winner.standing == core::Standing::kDeclared) return core::WinReason::kLatestDeclared;
  if (second->standing != core::Standing::kMeasured) return core::WinReason::kOnlyMeasured;
  if (OrderOf(winner.us, second->us) != 0) return core::WinReason::kLowestTime;
  if (OrderOf(winner.error, second->error) != 0) return core::WinReason::kLowerError;
  return core::WinReason::kTieBreak;
}

std::vector<server::StagedRow> RowsOfBatch(const core::Family& family, const std::string& csv,
                                           bool imported) {
  core::ReadOptions options;
  options.upstream = false;
  if (!imported) options.error_limit = core::ResultsErrorLimit(family, {});
  const auto table = core::ReadTunedTable(family, ShippedTargets(), csv, options);
  std::vector<server::StagedRow> staged;
  for (const core::Row& row : table->rows)
    staged.push_back({row, server::RowProvider({}, row), 1, 0, "", false, false});
  return server::Fold(std::move(staged), 1).rows;
}

HeldRow Held(const core::Row& row, const core::Contender& contender) {
  std::string scratch;
  const core::Cells cells = core::SplitLine(row.line, scratch);
  return {contender,
          std::string(cells[2]) + " " + std::string(cells[9]) + " " + std::string(cells[8]),
          row.line};
}

ByCandidate<HeldRow> StandsBy(const ByCandidate<std::vector<HeldRow>>& rows) {
  ByCandidate<HeldRow> stands;
  for (const auto& [key, candidates] : rows) {
    for (const auto& [candidate, all] : candidates) {
      std::vector<core::Contender> contenders;
      for (const HeldRow& it : all) contenders.push_back(it.contender);
      if (const core::Contender* const found = StandsBy(contenders))
        stands[key].emplace(candidate, all[static_cast<std::size_t>(found - contenders.data())]);
    }
  }
  return stands;
}

std::string WinnersOf(const ByCandidate<HeldRow>& stands) {
  std::string text;
  for (const auto& [key, candidates] : stands) {
    std::vector<HeldRow> rows;
    for (const auto& [candidate, it] : candidates) {
      if (core::Competes(it.contender.standing)) rows.push_back(it);
    }
    if (rows.empty()) continue;
    std::ranges::sort(rows, core::Beats, &HeldRow::contender);
    const auto why = WhyWon(rows[0].contender, rows.size() > 1 ? &rows[1].contender : nullptr);
    text += (text.empty() ? "" : "\n") +
            std::string(key.second == server::Provider::kTunehub ? "tunehub " : "") + rows[0].text +
            " " + std::string(core::Name(why));
  }
  return text;
}

}  // namespace tunehub::test
