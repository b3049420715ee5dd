#include <gtest/gtest.h>

#include "core/family/family_misses.h"

namespace tunehub::core {
namespace {

using Views = std::vector<std::string_view>;

Views Matched(std::string_view form, std::string_view text) {
  Views values;
  const Result<LineTemplate> parsed = LineTemplate::Parse(form);
  if (!parsed.ok()) return {parsed.error().detail};
  return parsed->Match(text, values) ? values : Views{"no match"};
}

TEST(LineTemplate, reads_what_stands_at_its_places) {
  EXPECT_EQ(Matched("M:{M}, N:{N}!", "M:1, N:20! and more"), (Views{"1", "20"}));
  EXPECT_EQ(Matched("M:{M}, N:{N}!", "M:1, N:20"), Views{"no match"});
  EXPECT_EQ(Matched("M:{M}, N:{N}!", " M:1, N:20!"), Views{"no match"});
  EXPECT_EQ(Matched("K:{K}, x", "K:8, q_dtype_w:torch.int8, x"), Views{"no match"});
  EXPECT_EQ(Matched("K:{K}, x", "K:8 dtype=1, x"), Views{"no match"});
  EXPECT_EQ(Matched("K:{K}, x", "K:, x"), Views{"no match"});
  EXPECT_EQ(Matched("using {} for", "using 2stage xbf16 for"), Views{"2stage xbf16"});
  EXPECT_EQ(Matched("using {} for", "using 2stage (kernelName1='a') for"), Views{"no match"});
  EXPECT_EQ(Matched("in {file}, will", "in /tmp/a b, c.csv, will use"), Views{"/tmp/a b, c.csv"});
  EXPECT_EQ(Matched("in {file}, will", "in " + std::string(kMaxPlaceBytes + 1, 'x') + ", will"),
            Views{"no match"});
  EXPECT_EQ(Matched("({a}, {b})", "('gfx950', <ActivationType.Silu: 0>)"),
            (Views{"gfx950", "ActivationType.Silu"}));
  EXPECT_EQ(Matched("({a}, {b})", "(x , \\u003cActivationType.Silu: 0\\u003e)"),
            (Views{"x", "ActivationType.Silu"}));
}

TEST(LineTemplate, refuses_a_form_that_could_match_in_two_ways) {
  EXPECT_EQ(LineTemplate::Parse("a {b}{c} d").error().code, "bad_template");
  EXPECT_EQ(LineTemplate::Parse("{b} d").error().code, "bad_template");
  EXPECT_EQ(LineTemplate::Parse("a {b}").error().code, "bad_template");
  EXPECT_EQ(LineTemplate::Parse("a {b").error().code, "bad_template");
}

TEST(LineTemplate, says_which_text_is_outside_its_places) {
  const LineTemplate form = *LineTemplate::Parse("shape {M} not found in {file}, will");
  EXPECT_TRUE(form.Holds("not found"));
  EXPECT_FALSE(form.Holds("M"));
  EXPECT_EQ(form.names(), (std::vector<std::string>{"M", "file"}));
}

}  // namespace
}  // namespace tunehub::core
