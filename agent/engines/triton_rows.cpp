#include "agent/engines/triton_rows.h"

#include <nlohmann/json.hpp>

#include "core/base/read_json.h"

namespace tunehub::agent::engines {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kTokens = "M", *kConfig = "config";
// What says where a member stands in its file, which a config that was only timed does not.
constexpr const char* kPlace = "place";

std::string CellOf(const FoundRow& row, const char* column) {
  const auto cell = row.find(column);
  return cell == row.end() ? std::string() : cell->second;
}

// Equal whatever the order of their members.
bool IsSameConfig(const std::string& a, const std::string& b) {
  const auto left = core::ReadJson(a);
  return !left.is_discarded() && left == core::ReadJson(b);
}

class Body {
 public:
  explicit Body(EngineRun& run) : run_(run) {}

  void AddFound(const FoundRow& row, const ScriptOutput& after) {
    Json json = JsonOf(row);
    json["searched"] = true;
    const std::string tokens = CellOf(row, kTokens);
    for (const auto& [number, timed] : after.timed()) {
      if (std::to_string(number) == tokens && IsSameConfig(timed.config, CellOf(row, kConfig))) {
        json["us"] = timed.us;
      }
    }
    ++(json.contains("us") ? run_.measured : run_.declared);
    rows_.push_back(std::move(json));
  }

  // A config that ran before, in the file that `beside` is a row of.
  void AddBefore(const FoundRow& beside, int tokens, const TimedConfig& timed, bool is_default) {
    FoundRow row = beside;
    row.erase(kPlace);
    row[kTokens] = std::to_string(tokens);
    row[kConfig] = timed.config;
    Json json = JsonOf(row);
    json["us"] = timed.us;
    if (is_default) {
      json["is_default"] = true;
      ++run_.defaults;
    }
    ++run_.measured;
    rows_.push_back(std::move(json));
  }

  std::string Text() const { return rows_.empty() ? "" : Json{{"rows", rows_}}.dump(); }

 private:
  static Json JsonOf(const FoundRow& row) {
    Json json = Json::object();
    for (const auto& [column, cell] : row) {
      if (!cell.empty()) json[column] = cell;
    }
    return json;
  }

  EngineRun& run_;
  Json rows_ = Json::array();
};

}  // namespace

std::string TritonRowsBody(const std::vector<TritonStart>& starts, EngineRun& run) {
  Body body(run);
  for (const TritonStart& start : starts) {
    for (const FoundRow& row : start.rows) {
      if (!CellOf(row, kTokens).empty()) body.AddFound(row, start.after);
    }
    if (start.rows.empty()) continue;
    for (const auto& [tokens, timed] : start.before.timed()) {
      body.AddBefore(start.rows.front(), tokens, timed, start.before.is_default());
    }
  }
  return body.Text();
}

}  // namespace tunehub::agent::engines
