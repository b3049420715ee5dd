#include "tests/support/winner_rule.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/table/table_writer.h"
#include "tests/support/shipped.h"

namespace tunehub::test {
namespace {

// True if the owner that called the candidate wrong later measured it as right.
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

}  // namespace

std::optional<core::Stand> StandsBy(std::span<const core::Contender> rows) {
  std::vector<core::Contender> counting;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const core::Contender& it = rows[i];
    if (it.standing > core::Standing::kWrong) continue;
    if (it.standing != core::Standing::kWrong && IsWithdrawn(it, rows)) continue;
    counting.push_back(it);
    places.push_back(i);
  }
  if (counting.empty()) return std::nullopt;
  core::Stand stand = core::StandOf(counting);
  stand.line = places[stand.line];
  return stand;
}

std::vector<server::StagedRow> RowsOfBatch(const core::Family& family, const std::string& csv,
                                           bool imported) {
  core::ReadOptions options;
  options.upstream = false;
  if (!imported) options.error_limit = core::ResultsErrorLimit(family, {});
  const auto table =
      csv.starts_with('{')
          ? server::ReadJsonSubmission(family, ShippedTargets(), csv, *options.error_limit)->table
          : *core::ReadTunedTable(family, ShippedTargets(), csv, options);
  std::vector<server::StagedRow> staged;
  for (const core::Row& row : table.rows)
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
      const auto found = StandsBy(contenders);
      if (!found) continue;
      HeldRow held = all[found->line];
      held.contender = found->as;
      stands[key].emplace(candidate, std::move(held));
    }
  }
  return stands;
}

std::string WinnersOf(const ByCandidate<HeldRow>& stands) {
  std::string text;
  for (const auto& [key, candidates] : stands) {
    std::vector<core::Contender> rivals;
    std::vector<std::string> texts;
    for (const auto& [candidate, it] : candidates) {
      if (!core::Competes(it.contender.standing)) continue;
      rivals.push_back(it.contender);
      texts.push_back(it.text);
    }
    if (rivals.empty()) continue;
    const core::Winning winner = core::WinnerOf(rivals);
    text += (text.empty() ? "" : "\n") +
            std::string(key.second == server::Provider::kTunehub ? "tunehub " : "") +
            texts[winner.place] + " " + std::string(core::Name(winner.why));
  }
  return text;
}

}  // namespace tunehub::test
