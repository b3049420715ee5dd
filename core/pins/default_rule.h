// What an engine runs for an M that its file has no row of: the rules of configs/defaults, one file
// per version of an engine. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/base/text_folder.h"

namespace tunehub::pins {

// What is known of a file: its key columns by name, "platform" (rocm, cuda), and what the asker
// said beyond the file's name ("marlin" -> "0"). A column that is not there is not known.
using Facts = std::map<std::string, std::string>;

// One member of a "when": each of a fact's allowed texts, or its bounds as a number, or whether it
// is there at all (not "", not 0).
struct Test {
  std::string fact;
  std::vector<std::string> texts;
  std::optional<std::int64_t> below;
  std::optional<bool> present;
};

// The largest M of a step: a number; a fact; or `times` x a fact / another, rounded down.
struct UpTo {
  std::int64_t times = 1;
  std::string of, over;  // "": 1
};

// A config's value: a number; a fact; or M itself, but no more than this.
struct MAtMost {
  std::int64_t most = 0;
};
using Value = std::variant<std::int64_t, std::string, MAtMost>;

struct RuleStep {
  std::optional<UpTo> up_to;  // none: every M beyond
  std::vector<std::pair<std::string, Value>> config;
};

struct Rule {
  std::vector<Test> when;
  std::string no_default;  // why nothing can be written; then there are no steps
  std::vector<RuleStep> steps;
};

struct FamilyRules {
  std::string family;
  std::vector<Test> only;  // what all its rules are for
  std::vector<Rule> rules;
};

// One file.
struct EngineRules {
  std::string engine, version, date;
  std::map<std::string, std::string> lacking;  // a fact that a key may lack -> what it is
  std::vector<FamilyRules> families;

  std::string name() const { return engine + "@" + version; }
};

// Error bad_default_rule, with the file and the member.
core::Result<EngineRules> ParseEngineRules(std::string_view name, std::string_view json);
// Every file of the folder. Errors: those of ParseEngineRules, no_folder, file_unreadable.
core::Result<std::vector<EngineRules>> LoadEngineRules(const core::TextFolder& folder);

// "vllm@238c4c1705", exactly. Error no_default_rule: names those there are.
core::Result<const EngineRules*> FindEngineRules(const std::vector<EngineRules>& all,
                                                 std::string_view name);

}  // namespace tunehub::pins
