// Environments: facts by name, and whether two are one.
#include "core/analysis/environment.h"

#include <gmock/gmock.h>

#include "tests/support/result.h"

namespace tunehub::analysis {
namespace {

std::string Judged(const Environment& base, const Environment& head) {
  return Text(CompareEnvironments(base, head));
}

TEST(Environment, differs_by_any_fact_that_is_another_or_that_one_side_alone_gives) {
  const Environment golden = {{"rocm", "7.2.0"}, {"triton", "3.4.0"}, {"async_copy", "0"}};
  EXPECT_EQ(Judged(golden, golden), "one: head repeats base");
  for (const char* const name : {"rocm", "gfx", "engine", "python", "HIP_ONLINE_TUNING", "host"}) {
    Environment other = golden;
    other[name] = "x";
    EXPECT_EQ(Judged(golden, other), std::string("two: other ") + name);
    EXPECT_EQ(Judged(other, golden), std::string("two: other ") + name);
  }
  Environment later = golden;
  for (const char* const name : {"env", "captured", "file", "runs", "note"}) later[name] = "x";
  EXPECT_EQ(Judged(golden, later), "one: head repeats base");
}

TEST(Environment, that_nobody_describes_is_no_repetition) {
  EXPECT_EQ(Judged({}, {}), "unknown: no side gives a fact");
  EXPECT_EQ(Judged({{"env", "a"}}, {{"env", "a"}}), "unknown: no side gives a fact");
  const Environment who = {{"agent", "tunehub-agent 0.1"}, {"host", "a"}};
  EXPECT_EQ(Judged(who, who), "unknown: no side gives a fact");
}

TEST(Environment, is_read_from_json_by_one_name_for_each_fact) {
  const auto read =
      Must(ParseEnvironment("golden.json", R"({"env":"golden","captured":"2026-05-06T23:14:49",
        "aiter_commit":"226c2a87b","aiter_branch":"main","triton_version":"3.4.0",
        "rocm_version":"7.2.0","python":"/venv/bin/python","async_copy":0,"tuned":true})"));
  EXPECT_EQ(read, (Environment{{"env", "golden"},
                               {"captured", "2026-05-06T23:14:49"},
                               {"aiter", "226c2a87b"},
                               {"aiter_branch", "main"},
                               {"triton", "3.4.0"},
                               {"rocm", "7.2.0"},
                               {"python", "/venv/bin/python"},
                               {"async_copy", "0"},
                               {"tuned", "true"}}));
}

TEST(Environment, that_is_none_is_refused_with_file_member_and_value) {
  const std::pair<const char*, const char*> kRefused[] = {
      {"{\"triton\":", "x.json: is no JSON: "},
      {"[1]", "x.json: is no JSON object"},
      {R"({"triton":"3","triton":"4"})", "x.json: names the member triton twice"},
      {R"({"triton":"3","triton_version":"4"})", "/triton_version: triton is '3' and '4'"},
      {R"({"packages":{"torch":"2.8"}})", R"(x.json: /packages: {"torch":"2.8"} is no text)"},
      {R"({"gfx":["gfx950"]})", R"(x.json: /gfx: ["gfx950"] is no text)"},
      {R"({"rocm":null})", "x.json: /rocm: null is no text"},
      {R"({"rocm":"7\n2"})", R"(x.json: /rocm: "7\n2" is no text without control characters)"},
      {R"({"a b":"c"})", "x.json: /a b: is no name of a fact"}};
  for (const auto& [json, why] : kRefused) {
    const auto read = ParseEnvironment("x.json", json);
    EXPECT_EQ(ErrorCode(read), "bad_environment") << json;
    EXPECT_THAT(read.error().detail, testing::HasSubstr(why));
  }
}

TEST(Environment, is_read_from_the_lines_before_a_header) {
  EXPECT_EQ(EnvironmentOf("# triton_version: 3.4.0\n# a remark: no fact\n# config: old\nM,us\n"),
            (Environment{{"triton", "3.4.0"}, {"config", "old"}}));
}

}  // namespace
}  // namespace tunehub::analysis
