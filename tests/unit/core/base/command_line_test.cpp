#include "core/base/command_line.h"

#include <gmock/gmock.h>

#include <sstream>
#include <vector>

#include "core/base/text.h"

namespace tunehub::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CliCommandLine : public testing::Test {
 protected:
  CliCommandLine() {
    line_.Add("FILE", files_, "tables");
    line_.Add("-o,--output", output_, "the file").Required();
    line_.Add("--tries", tries_, "how often").Range(1, 100).ShowDefault();
    line_.Add("--tuner", tuner_, "whose").OneOf({"builtin", "aiter"});
    line_.AddFlag("--json", json_, "as JSON");
  }

  cli::Parsed Parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "pull");
    out_.str("");
    err_.str("");
    return line_.Parse(static_cast<int>(arguments.size()), arguments.data(), out_, err_);
  }

  std::vector<std::string> files_;
  std::string output_, tuner_ = "builtin";
  int tries_ = 8;
  bool json_ = false;
  cli::CommandLine line_{"Fetches one table.", "tunehub-agent pull"};
  std::ostringstream out_, err_;
};

TEST_F(CliCommandLine, gives_what_was_typed) {
  ASSERT_EQ(Parse({"a.csv", "-o", "b.csv", "c.csv", "--json"}), cli::Parsed::kGiven) << err_.str();
  EXPECT_THAT(files_, ElementsAre("a.csv", "c.csv"));
  EXPECT_EQ(output_, "b.csv");
  EXPECT_EQ(tries_, 8);
  EXPECT_TRUE(json_);
  EXPECT_THAT(line_.Given(), ElementsAre("--json", "--output"));
  EXPECT_FALSE(line_.IsGiven("--tries"));
}

TEST_F(CliCommandLine, help_is_an_answer) {
  EXPECT_EQ(Parse({"--help"}), cli::Parsed::kAnswered);
  EXPECT_THAT(out_.str(), testing::AllOf(HasSubstr("Fetches one table."), HasSubstr("-o,--output"),
                                         HasSubstr("the file")));
  EXPECT_EQ(err_.str(), "");
}

// --output is also missing, but the parser reports the mistyped option.
TEST_F(CliCommandLine, a_mistyped_option_is_named_with_the_nearest) {
  EXPECT_EQ(Parse({"a.csv", "--outptu=b.csv"}), cli::Parsed::kWrong);
  EXPECT_EQ(err_.str(),
            "tunehub-agent pull: unknown option '--outptu'; did you mean --output?\n`tunehub-agent "
            "pull --help` lists all commands and options\n");
  EXPECT_EQ(Parse({"a.csv", "--everything"}), cli::Parsed::kWrong);
  EXPECT_THAT(err_.str(), HasSubstr("unknown option '--everything'\n"));
}

TEST_F(CliCommandLine, what_is_wrong_is_said_with_the_commands_name) {
  EXPECT_EQ(Parse({"a.csv"}), cli::Parsed::kWrong);
  EXPECT_THAT(err_.str(), HasSubstr("tunehub-agent pull: --output is required\n"));
  EXPECT_EQ(Parse({"-o", "b", "--tries", "200"}), cli::Parsed::kWrong);
  EXPECT_THAT(err_.str(), testing::AllOf(HasSubstr("--tries"), HasSubstr("200")));
  EXPECT_EQ(Parse({"-o", "b", "--tuner", "mine"}), cli::Parsed::kWrong);
  EXPECT_THAT(err_.str(), testing::AllOf(HasSubstr("mine"), HasSubstr("builtin")));
}

TEST_F(CliCommandLine, is_described_as_it_was_declared) {
  const cli::Description description = line_.Describe();
  EXPECT_EQ(description.name, "tunehub-agent pull");
  EXPECT_EQ(description.last_word(), "pull");
  ASSERT_EQ(description.options.size(), 6U);
  EXPECT_THAT(description.options[0].names, ElementsAre("-h", "--help"));
  EXPECT_TRUE(description.options[0].is_flag());
  const cli::DescribedOption& file = description.options[1];
  EXPECT_TRUE(file.positional && file.many && !file.required);
  EXPECT_THAT(file.names, ElementsAre("FILE"));
  const cli::DescribedOption& output = description.options[2];
  EXPECT_TRUE(output.required && !output.positional && !output.many);
  EXPECT_THAT(output.names, ElementsAre("-o", "--output"));
  EXPECT_EQ(description.options[3].value, "1 to 100");
  EXPECT_EQ(description.options[3].fallback, "8");
  EXPECT_THAT(description.options[4].choices, ElementsAre("builtin", "aiter"));
  EXPECT_TRUE(description.options[5].is_flag());
}

TEST(CliCommands, a_mistyped_command_is_named_with_the_nearest) {
  cli::CommandLine line("A registry.", "tunehub-server");
  std::string listen;
  cli::CommandLine& serve = line.AddCommand("serve", "run it");
  serve.Add("--listen", listen, "HOST:PORT");
  line.AddCommand("migrate", "bring it up to date");
  const auto parse = [&](std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "tunehub-server");
    std::ostringstream out, err;
    line.Parse(static_cast<int>(arguments.size()), arguments.data(), out, err);
    return err.str();
  };
  EXPECT_THAT(parse({"serv"}), HasSubstr("unknown command 'serv'; did you mean serve?"));
  EXPECT_THAT(parse({"serve", "--lisen", "x"}),
              HasSubstr("tunehub-server serve: unknown option '--lisen'; did you mean --listen?"));
  EXPECT_EQ(parse({"serve", "--listen", "x"}), "");
  EXPECT_TRUE(serve.IsTyped());
  EXPECT_EQ(line.Describe().commands.at(0).name, "tunehub-server serve");
}

TEST(CliNearest, letters_are_added_left_out_changed_and_exchanged) {
  EXPECT_EQ(core::EditDistance("family", "family"), 0U);
  EXPECT_EQ(core::EditDistance("famly", "family"), 1U);
  EXPECT_EQ(core::EditDistance("familyy", "family"), 1U);
  EXPECT_EQ(core::EditDistance("fanily", "family"), 1U);
  EXPECT_EQ(core::EditDistance("fmaily", "family"), 1U);
  EXPECT_EQ(core::EditDistance("", "abc"), 3U);
  EXPECT_EQ(core::EditDistance("kitten", "sitting"), 3U);
}

TEST(CliNearest, a_mistyped_word_is_known_and_a_strange_one_is_not) {
  const std::vector<std::string> known = {"--family",  "--output", "--request-timeout",
                                          "--configs", "--hub",    "--libtype"};
  EXPECT_EQ(core::Nearest("--famly", known), "--family");
  EXPECT_EQ(core::Nearest("-output", known), "--output");
  EXPECT_EQ(core::Nearest("--OUTPUT", known), "--output");
  EXPECT_EQ(core::Nearest("--request_timeout", known), "--request-timeout");
  EXPECT_EQ(core::Nearest("--request", known), "--request-timeout");
  EXPECT_EQ(core::Nearest("--timeout", known), "--request-timeout");
  EXPECT_EQ(core::Nearest("--hup", known), "--hub");
  EXPECT_EQ(core::Nearest("--everything", known), std::nullopt);
  EXPECT_EQ(core::Nearest("-x", known), std::nullopt);
  EXPECT_EQ(core::Nearest("--", known), std::nullopt);
}

// Man pages and completions. The texts contain characters that are syntax in roff and bash.

using testing::AllOf;
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
  EXPECT_THAT(Answer({"man", "pul"}), HasSubstr("unknown command 'pul'; did you mean pull?"));
  EXPECT_EQ(result_, cli::Parsed::kWrong);
  EXPECT_THAT(Answer({"completion"}), HasSubstr("'': expected bash"));
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
