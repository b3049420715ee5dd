#include "core/cli/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace tunehub::test {
namespace {

TEST(CliNearest, letters_are_added_left_out_changed_and_exchanged) {
  EXPECT_EQ(cli::EditDistance("family", "family"), 0U);
  EXPECT_EQ(cli::EditDistance("famly", "family"), 1U);
  EXPECT_EQ(cli::EditDistance("familyy", "family"), 1U);
  EXPECT_EQ(cli::EditDistance("fanily", "family"), 1U);
  EXPECT_EQ(cli::EditDistance("fmaily", "family"), 1U);
  EXPECT_EQ(cli::EditDistance("", "abc"), 3U);
  EXPECT_EQ(cli::EditDistance("kitten", "sitting"), 3U);
}

TEST(CliNearest, a_mistyped_word_is_known_and_a_strange_one_is_not) {
  const std::vector<std::string> known = {"--family",  "--output", "--request-timeout",
                                          "--configs", "--hub",    "--libtype"};
  EXPECT_EQ(cli::Nearest("--famly", known), "--family");
  EXPECT_EQ(cli::Nearest("-output", known), "--output");
  EXPECT_EQ(cli::Nearest("--OUTPUT", known), "--output");
  EXPECT_EQ(cli::Nearest("--request_timeout", known), "--request-timeout");
  EXPECT_EQ(cli::Nearest("--request", known), "--request-timeout");
  EXPECT_EQ(cli::Nearest("--timeout", known), "--request-timeout");
  EXPECT_EQ(cli::Nearest("--hup", known), "--hub");
  EXPECT_EQ(cli::Nearest("--everything", known), std::nullopt);
  EXPECT_EQ(cli::Nearest("-x", known), std::nullopt);
  EXPECT_EQ(cli::Nearest("--", known), std::nullopt);
}

}  // namespace
}  // namespace tunehub::test
