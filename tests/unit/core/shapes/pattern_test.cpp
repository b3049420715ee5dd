#include <gtest/gtest.h>

#include "core/shapes/quantization.h"

namespace tunehub::core {
namespace {

// Returns "yes", "no", or the reason why the pattern is invalid.
std::string Regex(const std::string& pattern, const std::string& text) {
  const auto made = Pattern::Regex(pattern);
  if (!made.ok()) return made.error().detail;
  std::int64_t steps = Pattern::kMostSteps;
  const bool matches = made->Matches(text, steps);
  if (steps < 0) return "too long";
  return matches ? "yes" : "no";
}

std::string Glob(const std::string& pattern, const std::string& text) {
  std::int64_t steps = Pattern::kMostSteps;
  return Pattern::Glob(pattern)->Matches(text, steps) ? "yes" : "no";
}

TEST(Pattern, matches_as_pythons_re_does_from_the_start) {
  const std::string name = "model.layers.12.mlp.gate_proj";
  for (const char* pattern :
       {"model", ".*mlp", ".*(gate|up)_proj$", R"(.*layers\.\d+\.mlp)", "(?!.*attn).*mlp",
        "(?:model|x)[.]layers", R"(^model\.layers\.1[0-5]\.)", R"(.*\.\d{2}\.)", R"(.*\bmlp\b)",
        "(?P<a>m)odel", ".*[^a-f0-9]lp", "(?=model).*proj", "", "(a|)model", ".*?gate",
        "(m|mo|)+d"}) {
    EXPECT_EQ(Regex(pattern, name), "yes") << pattern;
  }
  for (const char* pattern :
       {"layers", ".*(gate|up)_proj_", ".*mlp$", "(?!.*mlp).*gate", R"(.*\.\d{3})", "[^m]",
        R"(.*\Bmlp)", "model{2}", ".*gate_proj.", "(?=layers)"}) {
    EXPECT_EQ(Regex(pattern, name), "no") << pattern;
  }
}

TEST(Pattern, globs_match_the_whole_name) {
  EXPECT_EQ(Glob("*self_attn*", "layers.1.self_attn.q_proj"), "yes");
  EXPECT_EQ(Glob("*.mlp.gate", "layers.1.mlp.gate_proj"), "no");
  EXPECT_EQ(Glob("layers.*", "model.layers.1"), "no");
  EXPECT_EQ(Glob("*a/*", "a/b/c"), "yes");
  EXPECT_EQ(Glob("layers.[!0-2].?lp", "layers.3.mlp"), "yes");
  EXPECT_EQ(Glob("layers.[!0-2].?lp", "layers.2.mlp"), "no");
  EXPECT_EQ(Glob("a.b", "a_b"), "no");
}

TEST(Pattern, a_hostile_one_costs_bounded_steps_and_what_cannot_be_read_says_why) {
  const std::string text(60, 'a');
  EXPECT_EQ(Regex("(a+)+$", text + "b"), "too long");
  EXPECT_EQ(Regex("(a|a)*(a|aa)+(a*)*b", text + "cb"), "too long");
  EXPECT_EQ(Regex("(?=(?=(?=(?=a*a*a*)a*a*)a*a*)a*a*)b", text), "no");
  EXPECT_EQ(Glob("*a*a*a*a*a*a*a*a*a*b", text), "no");
  EXPECT_EQ(Regex("(a*)*b", std::string(200'000, 'a')), "too long");
  EXPECT_EQ(Regex("(", ""), "'(': expected a pattern: missing closing parenthesis");
  EXPECT_EQ(Regex("*a", ""),
            "'*a': expected a pattern: quantifier does not follow a repeatable item");
  EXPECT_EQ(Regex(R"(\Ca)", ""),
            R"('\Ca': expected a pattern: using \C is disabled by the application)");
  for (const std::string& hostile :
       {std::string("((a{1000}){1000}){1000}"), std::string(1000, '(') + std::string(1000, ')'),
        std::string(5000, 'a'), std::string("(*UTF)a"), std::string("a\\")}) {
    EXPECT_NE(Regex(hostile, "").find(": expected a pattern: "), std::string::npos) << hostile;
  }
  EXPECT_FALSE(Pattern::Glob("a[b").ok());
  EXPECT_FALSE(Pattern::Glob(std::string(5000, '*')).ok());
}

}  // namespace
}  // namespace tunehub::core
