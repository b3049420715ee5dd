#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/analysis/choice.h"
#include "core/analysis/compare.h"
#include "core/analysis/statistics.h"
#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/table/csv.h"

namespace tunehub::analysis {
namespace {

constexpr std::string_view kOrders[] = {"change", "target", "base", "head", "speedup"};

std::optional<double> ValueOf(const Compared& it, KeyOrder order) {
  if (order == KeyOrder::kBase && it.base) return it.base->us;
  if (order == KeyOrder::kHead && it.head) return it.head->us;
  if (order == KeyOrder::kSpeedup && it.base && it.head) return it.speedup();
  return std::nullopt;
}

bool IsWorse(const Compared* a, const Compared* b) {
  const auto speedup = [](const Compared& it) { return it.base && it.head ? it.speedup() : 1; };
  return a->change != b->change ? a->change < b->change : speedup(*a) < speedup(*b);
}

// True if `a` comes before `b` by the chosen value alone.
bool IsBefore(const Compared& a, const Compared& b, const KeyChoice& choice) {
  const auto less = [&](const auto& x, const auto& y) { return choice.descending ? y < x : x < y; };
  if (choice.order == KeyOrder::kWorst) return less(a.change, b.change);
  if (choice.order == KeyOrder::kTarget) return less(a.key.target, b.key.target);
  const auto left = ValueOf(a, choice.order), right = ValueOf(b, choice.order);
  if (!left || !right) return left && !right;
  return less(*left, *right);
}

using Json = nlohmann::ordered_json;

Json RangeJson(const SpeedupRange& range) {
  return {{"keys", range.keys},
          {"geometric_mean", Rounded(range.geometric_mean)},
          {"least", Rounded(range.least)},
          {"greatest", Rounded(range.greatest)}};
}

// The speed-ups of all keys, and of each change that has a key with both times.
Json SpeedupsJson(const Comparison& comparison) {
  Json json = Json::object();
  const auto add = [&](const std::string& name, std::optional<Change> change) {
    const SpeedupRange range = RangeOf(comparison, change);
    if (range.keys > 0) json[name] = RangeJson(range);
  };
  add("all", std::nullopt);
  for (std::size_t i = 0; i < kChanges; ++i) {
    const auto change = static_cast<Change>(i);
    add(std::string(Name(change)), change);
  }
  return json;
}

Json ToJson(const Compared& it) {
  Json shape = Json::object();
  for (const auto& [column, cell] : it.key.shape()) {
    const auto number = core::ParseInt64(cell);
    shape[column] = number ? Json(*number) : Json(cell);
  }
  Json json = {{"target", it.key.target}, {"shape", std::move(shape)}, {"change", Name(it.change)}};
  const auto add = [&](const char* us, const char* kernel, const std::optional<Timed>& timed) {
    if (!timed) return;
    json[us] = Rounded(timed->us);
    if (!timed->kernel.empty()) json[kernel] = timed->kernel;
  };
  add("base_us", "base_kernel", it.base);
  add("head_us", "head_kernel", it.head);
  if (it.base && it.head) json["speedup"] = Rounded(it.speedup());
  return json;
}

// One line without control characters.
std::string LineOf(const Environment& environment) {
  std::string line;
  for (const auto& [name, value] : environment)
    line += fmt::format("{}{}={}", line.empty() ? "" : " ", name, value);
  std::ranges::replace_if(line, core::IsControl, ' ');
  return line;
}

}  // namespace

core::Status ParseOrder(std::string_view text, KeyChoice& choice) {
  return ParseOrder(text, kOrders, choice);
}

std::vector<const Compared*> Chosen(const Comparison& comparison, const KeyChoice& choice) {
  std::vector<const Compared*> keys;
  for (const Compared& it : comparison.keys) {
    if (!choice.change || it.change == *choice.change) keys.push_back(&it);
  }
  std::stable_sort(keys.begin(), keys.end(), IsWorse);
  if (choice.order == KeyOrder::kWorst && !choice.descending) return keys;
  std::stable_sort(keys.begin(), keys.end(),
                   [&](const Compared* a, const Compared* b) { return IsBefore(*a, *b, choice); });
  return keys;
}

SpeedupRange RangeOf(const Comparison& comparison, std::optional<Change> change) {
  std::vector<double> speedups;
  for (const Compared& it : comparison.keys) {
    if (it.base && it.head && (!change || it.change == *change)) speedups.push_back(it.speedup());
  }
  if (speedups.empty()) return {};
  const auto [least, greatest] = std::minmax_element(speedups.begin(), speedups.end());
  return {speedups.size(), GeometricMean(speedups), *least, *greatest};
}

Json ToJson(const Comparison& comparison, const CompareLimits& limits, const KeyChoice& choice) {
  Json json = {
      {"base", {{"environment", comparison.base_environment}, {"keys", comparison.base_keys}}},
      {"head", {{"environment", comparison.head_environment}, {"keys", comparison.head_keys}}},
      {"repetition", comparison.environments.is_repetition},
      {"differing", comparison.environments.differing},
      {"limits",
       {{"ignore_below_us", limits.ignore_below_us},
        {"ratio", limits.ratio},
        {"slack_us", limits.slack_us},
        {"spread", limits.spread}}},
      {"compared", comparison.speedups.size()}};
  for (std::size_t i = 0; i < kChanges; ++i) {
    json["counts"][std::string(Name(static_cast<Change>(i)))] = comparison.counts[i];
  }
  if (!comparison.speedups.empty()) {
    json["geometric_mean_speedup"] = Rounded(GeometricMean(comparison.speedups));
  }
  json["speedups"] = SpeedupsJson(comparison);
  const auto keys = Chosen(comparison, choice);
  const std::size_t begin = std::min(choice.offset, keys.size());
  const std::size_t end = begin + std::min(choice.most, keys.size() - begin);
  json["matching"] = keys.size();
  json["offset"] = begin;
  json["listed"] = end - begin;
  json["shapes"] = Json::array();
  for (std::size_t i = begin; i < end; ++i) json["shapes"].push_back(ToJson(*keys[i]));
  return json;
}

std::vector<std::pair<std::string, std::string>> FactsOf(const Comparison& comparison) {
  return {{"base", LineOf(comparison.base_environment)},
          {"head", LineOf(comparison.head_environment)},
          {"environments", Text(comparison.environments)}};
}

std::string ToCsv(const Comparison& comparison, const KeyChoice& choice) {
  std::string csv = "target";
  // Columns and cells are already CSV. A key may lack them.
  const auto append = [&](const KeyLines& key, std::string_view line) {
    if (!key.columns.empty()) csv.append(1, ',').append(line);
  };
  if (!comparison.keys.empty()) {
    append(comparison.keys.front().key, comparison.keys.front().key.columns);
  }
  csv += ",change,base_us,head_us,speedup,base_kernel,head_kernel\n";
  const auto number = [](double value) { return Json(Rounded(value)).dump(); };
  for (const Compared* it : Chosen(comparison, choice)) {
    core::AppendCsvField(csv, it->key.target);
    const auto add = [&](std::string_view field) {
      csv.push_back(',');
      core::AppendCsvField(csv, field);
    };
    append(it->key, it->key.cells);
    add(Name(it->change));
    add(it->base ? number(it->base->us) : "");
    add(it->head ? number(it->head->us) : "");
    add(it->base && it->head ? number(it->speedup()) : "");
    add(it->base ? it->base->kernel : "");
    add(it->head ? it->head->kernel : "");
    csv.push_back('\n');
  }
  return csv;
}

}  // namespace tunehub::analysis
