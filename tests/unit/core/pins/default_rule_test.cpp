#include "core/pins/default_rule.h"

#include <gmock/gmock.h>

namespace tunehub::pins {
namespace {

std::string Refusal(const std::string& rule) {
  const auto rules = ParseEngineRules(
      "x.json", R"({"engine": "e", "version": "v", "date": "d", "lacking": {"top_k": "t"},
                    "families": [{"family": "f", "rules": [)" +
                    rule + "]}]}");
  return rules.ok() ? "" : rules.error().code + " " + rules.error().detail;
}

TEST(PinsDefaultRule, AFileThatIsNotSoundIsRefusedWithItsPlace) {
  EXPECT_EQ(Refusal(R"({"config": {"A": 1}})"), "");
  struct Case {
    const char *rule, *names;
  };
  const Case kCases[] = {
      {R"({"config": {}})", "/families/0/rules/0/config"},
      {R"({})", "/families/0/rules/0"},
      {R"({"config": {"A": 1}, "no_default": "why"})", "/families/0/rules/0"},
      {R"({"config": {"A": "blocks"}})", "'blocks' is no column of a key, and not in lacking"},
      {R"({"when": {"dtyp": ["x"]}, "config": {"A": 1}})", "'dtyp' is no column"},
      {R"({"steps": [{"config": {"A": 1}}, {"config": {"A": 2}}]})", "every step but the last"},
      {R"({"steps": [{"up_to": 3, "config": {"A": 1}}]})", "every step but the last"},
      {R"({"steps": [{"up_to": {"of": "x"}, "config": {"A": 1}}, {"config": {"A": 2}}]})",
       "'x' is no"},
      {R"({"config": {"A": 1}, "wen": {}})", "wen"},
  };
  for (const Case& it : kCases) {
    EXPECT_THAT(Refusal(it.rule), testing::AllOf(testing::HasSubstr("bad_default_rule x.json"),
                                                 testing::HasSubstr(it.names)))
        << it.rule;
  }
}

}  // namespace
}  // namespace tunehub::pins
