// Man pages and completions of a command line that has what is hard to write down for each of them.
#include "core/base/manual.h"

#include <gmock/gmock.h>

#include <sstream>

namespace tunehub::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CliManual : public testing::Test {
 protected:
  CliManual() {
    line_.AddVersion("1.2");
    cli::CommandLine& pull = line_.AddCommand("pull", "Fetches one table. Pinned by a lock.");
    pull.Add("FILE", files_, "tables");
    pull.Add("-o,--output", output_, "it's the file: [a.csv]\n.and a line like a request")
        .Required();
    pull.Add("--tuner", tuner_, "whose").OneOf({"builtin", "aiter"}).ShowDefault();
    pull.Add("--hub", hub_, "address").Env("TUNEHUB_HUB");
    pull.AddFlag("--json", json_, "as \\ JSON");
  }
  std::string Answer(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "tune-hub");
    const int count = static_cast<int>(arguments.size());
    EXPECT_TRUE(cli::AsksForManual(count, arguments.data()));
    std::ostringstream out, err;
    result_ = cli::AnswerManual(line_.Describe(), count, arguments.data(), out, err);
    return out.str() + err.str();
  }

  std::vector<std::string> files_;
  std::string output_, tuner_ = "builtin", hub_;
  bool json_ = false;
  cli::Parsed result_ = cli::Parsed::kGiven;
  cli::CommandLine line_{"A registry.", "tune-hub"};
};

TEST_F(CliManual, is_asked_for_by_two_words_that_help_does_not_list) {
  const char* const other[] = {"tune-hub", "pull"};
  EXPECT_FALSE(cli::AsksForManual(2, other));
  EXPECT_FALSE(cli::AsksForManual(1, other));
  EXPECT_EQ(Answer({"man", "--list"}), "tune-hub\ntune-hub pull\n");
  EXPECT_EQ(result_, cli::Parsed::kAnswered);
  EXPECT_THAT(Answer({"man", "pul"}), HasSubstr("there is no command 'pul'; did you mean pull?"));
  EXPECT_EQ(result_, cli::Parsed::kWrong);
  EXPECT_THAT(Answer({"completion"}), HasSubstr("'' is not bash"));
  EXPECT_EQ(result_, cli::Parsed::kWrong);
}

TEST_F(CliManual, a_page_says_what_help_says) {
  const std::string page = Answer({"man", "pull"});
  EXPECT_THAT(page, HasSubstr(".TH TUNE\\-HUB\\-PULL 1 \"\" \"tune\\-hub 1.2\"\n"));
  EXPECT_THAT(page, HasSubstr(".SH NAME\ntune\\-hub\\-pull \\- Fetches one table\n"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-output\\fR \\fIVALUE\\fR\n"));
  EXPECT_THAT(page, HasSubstr("[\\fIFILE\\fR]...\n"));
  EXPECT_THAT(page,
              HasSubstr("\\fB\\-\\-tuner\\fR \\fIbuiltin|aiter\\fR\nwhose.\nDefault: builtin.\n"));
  EXPECT_THAT(page, HasSubstr("$TUNEHUB_HUB"));
  EXPECT_THAT(page, HasSubstr(".SH SEE ALSO\n.BR tune\\-hub (1)\n"));
  EXPECT_THAT(Answer({"man"}), HasSubstr(".TP\n\\fBpull\\fR\nFetches one table\n"));
}

TEST_F(CliManual, nothing_in_a_text_is_taken_for_a_request) {
  const std::string page = Answer({"man", "pull"});
  EXPECT_THAT(page, AllOf(HasSubstr("\n\\&.and a line"), HasSubstr("as \\e JSON.")));
}

TEST_F(CliManual, bash_gets_words_and_no_texts) {
  EXPECT_THAT(
      Answer({"completion", "bash"}),
      AllOf(HasSubstr("_tune_hub()"), HasSubstr("values='builtin aiter'"), Not(HasSubstr("it's"))));
}

}  // namespace
}  // namespace tunehub::test
