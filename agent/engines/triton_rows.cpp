#include <nlohmann/json.hpp>

#include "agent/engines/engine_run.h"
#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::ordered_json;

// Returns the text after `mark`; nothing if `mark` is missing.
std::optional<std::string_view> After(std::string_view line, std::string_view mark) {
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  return line.substr(at + mark.size());
}

bool HasAny(std::string_view line, std::initializer_list<std::string_view> marks) {
  for (const std::string_view mark : marks) {
    if (line.find(mark) != std::string_view::npos) return true;
  }
  return false;
}

bool IsWordLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Python's True, False and None in JSON.
std::string_view JsonWord(std::string_view word) {
  if (word == "True") return "true";
  if (word == "False") return "false";
  return word == "None" ? "null" : word;
}

constexpr const char *kTokens = "M", *kConfig = "config";
// The column for a member's place in its file. A config that was only timed has no place.
constexpr const char* kPlace = "place";

std::string CellOf(const FileRow& row, const char* column) {
  const auto cell = row.find(column);
  return cell == row.end() ? std::string() : cell->second;
}

// Equal configs, in any order of members.
bool IsSameConfig(const std::string& a, const std::string& b) {
  const auto left = core::ReadJson(a);
  return !left.is_discarded() && left == core::ReadJson(b);
}

class Body {
 public:
  explicit Body(EngineRun& run) : run_(run) {}

  void AddFound(const FileRow& row, const ScriptOutput& after) {
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

  // Adds a config that was timed before tuning. `beside` contains the other columns of the config's
  // file.
  void AddBefore(const FileRow& beside, int tokens, const TimedConfig& timed, bool is_default) {
    FileRow row = beside;
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
  static Json JsonOf(const FileRow& row) {
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

std::optional<std::string> JsonOfPython(std::string_view text) {
  std::string json;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' || c == '"') return std::nullopt;  // no config has these characters
    if (c == '\'') {
      quoted = !quoted;
      json += '"';
    } else if (!quoted && IsWordLetter(c) &&
               (i == 0 || !(text[i - 1] >= '0' && text[i - 1] <= '9'))) {
      std::size_t end = i;
      while (end < text.size() && IsWordLetter(text[end])) ++end;
      json += JsonWord(text.substr(i, end - i));
      i = end - 1;
    } else {
      json += c;
    }
  }
  const auto parsed = core::ReadJsonAs<nlohmann::ordered_json>(json);
  if (!parsed.is_object()) return std::nullopt;
  return parsed.dump();
}

void ScriptOutput::Add(std::string_view line) {
  if (HasAny(line, {"Using default MoE config", "Using default MoE kernel config"})) {
    said_default_ = true;
  }
  if (HasAny(line, {"Using configuration from", "Fallback to triton version",
                    "Using MoE kernel config from"})) {
    said_file_ = true;
  }
  if (HasAny(line, {"Completed tuning for batch_size="})) ++tuned_;
  if (const auto size = After(line, "Batch size: ")) {
    open_.reset();
    const auto config = After(*size, ", config: ");
    const auto tokens = core::ParseInt(size->substr(0, size->find(',')));
    auto json = config ? JsonOfPython(core::Trim(*config)) : std::nullopt;
    if (!tokens || !json) return;
    open_ = tokens;
    config_ = *std::move(json);
  } else if (const auto time = After(line, "Kernel time: "); time && open_) {
    const std::string_view us = core::Trim(time->substr(0, time->find("us")));
    const auto number = core::ParseNumber(us);
    if (number && *number > 0 && *number < 1e12) timed_[*open_] = {config_, std::string(us)};
    open_.reset();
  }
}

std::string TritonRowsBody(const std::vector<TritonStart>& starts, EngineRun& run) {
  Body body(run);
  for (const TritonStart& start : starts) {
    for (const FileRow& row : start.rows) {
      if (!CellOf(row, kTokens).empty()) body.AddFound(row, start.after);
    }
    if (start.rows.empty()) continue;
    for (const auto& [tokens, timed] : start.before.timed()) {
      body.AddBefore(start.rows.front(), tokens, timed, start.before.is_default());
    }
  }
  return body.Text();
}

}  // namespace tunehub::agent
