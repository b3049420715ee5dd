// The completion and the man pages of the real programs contain every command and option of --help,
// and bash and man can read them.
#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <regex>
#include <set>
#include <sstream>

#include "build_info.h"
#include "tests/support/program.h"
#include "tests/support/shipped.h"
#include "tests/support/temp_dir.h"

namespace tunehub::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using Words = std::vector<std::string>;

Words SplitAt(const std::string& text, char between) {
  Words words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, between);) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

// The options in the text of --help. A line is like "  -o,--output,--out TEXT".
std::set<std::string> OptionsOfHelp(const std::string& help) {
  std::set<std::string> options;
  const std::regex names("^  (-[^ ]+)");
  for (const std::string& line : SplitAt(help, '\n')) {
    std::smatch found;
    if (!std::regex_search(line, found, names)) continue;
    for (const std::string& name : SplitAt(found[1], ',')) options.insert(name);
  }
  return options;
}

class Manual : public testing::TestWithParam<std::string> {
 protected:
  std::string Binary() const {
    return GetParam() == "tunehub-agent" ? AgentBinary() : ServerBinary();
  }
  std::string Answer(const Words& arguments) const {
    const Finished done = RunToEnd({Binary(), arguments});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, IsEmpty());
    return done.out;
  }
  // By page: the words after the program's name. The program's own page has none.
  std::vector<Words> Pages() const {
    std::vector<Words> pages;
    for (const std::string& page : SplitAt(Answer({"man", "--list"}), '\n')) {
      Words words = SplitAt(page, ' ');
      words.erase(words.begin());
      pages.push_back(words);
    }
    return pages;
  }
  std::string Help(Words words) const {
    words.emplace_back("--help");
    return Answer(words);
  }
  std::string ManPage(Words words) const {
    words.insert(words.begin(), "man");
    return Answer(words);
  }
  std::string Completion() const {
    const std::string path = dir_.path() / (GetParam() + ".bash");
    std::ofstream(path) << Answer({"completion", "bash"});
    return path;
  }

  TempDir dir_;
};

INSTANTIATE_TEST_SUITE_P(Programs, Manual, testing::Values("tunehub-agent", "tunehub-server"),
                         [](const auto& program) {
                           return program.param == "tunehub-agent" ? "Agent" : "Server";
                         });

bool IsThere(const std::string& program) {
  for (const char* const folder : {"/usr/bin/", "/bin/", "/usr/local/bin/"}) {
    if (::access((folder + program).c_str(), X_OK) == 0) return true;
  }
  std::cerr << "*** " << program << " is not installed: nothing was tested with it ***\n";
  return false;
}

TEST_P(Manual, has_a_page_for_every_command_of_help) {
  const std::string help = Help({});
  const auto pages = Pages();
  EXPECT_GE(pages.size(), 5U);
  const std::regex command("^  ([a-z]+) +[^ ]");
  std::size_t commands = 0;
  for (const std::string& line : SplitAt(help, '\n')) {
    std::smatch found;
    if (!std::regex_search(line, found, command)) continue;
    ++commands;
    EXPECT_THAT(pages, testing::Contains(Words{found[1]})) << line;
    EXPECT_THAT(ManPage({}), HasSubstr(".TP\n\\fB" + found[1].str() + "\\fR\n"));
  }
  EXPECT_GE(commands, 3U);
}

TEST_P(Manual, a_page_has_every_option_of_help) {
  for (const Words& words : Pages()) {
    const std::string page = ManPage(words), list = page.substr(page.find(".SH OPTIONS"));
    const auto options = OptionsOfHelp(Help(words));
    EXPECT_THAT(options,
                testing::Conditional(words.empty(), testing::_, testing::Contains("--help")));
    for (const std::string& option : options) {
      const std::string roff = std::regex_replace(option, std::regex("-"), "\\-");
      EXPECT_THAT(list, HasSubstr("\\fB" + roff + "\\fR")) << testing::PrintToString(words);
    }
  }
}

TEST_P(Manual, man_reads_every_page_without_a_warning) {
  if (!IsThere("man")) GTEST_SKIP() << "man is not installed";
  for (const Words& words : Pages()) {
    const std::string path = dir_.path() / "page.1";
    std::ofstream(path) << ManPage(words);
    const Finished done = RunToEnd(
        {"/usr/bin/env",
         {"MANWIDTH=80", "MAN_KEEP_FORMATTING=", "man", "--warnings", "-E", "UTF-8", "-l", path}});
    EXPECT_EQ(done.status, 0) << testing::PrintToString(words);
    EXPECT_THAT(done.err, IsEmpty()) << testing::PrintToString(words);
    EXPECT_THAT(done.out, testing::AllOf(HasSubstr("SYNOPSIS"), HasSubstr("--help")));
  }
}

// The words that bash proposes after these words. The last of these words is not complete.
Words BashProposes(const std::string& completion, const std::string& program, const Words& words) {
  std::string line;
  for (const std::string& word : words) line += " '" + word + "'";
  const std::string script =
      "source '" + completion + "'; COMP_WORDS=(" + program + line +
      "); COMP_CWORD=" + std::to_string(words.size()) + "; $(complete -p " + program +
      " | sed 's/.*-F \\([^ ]*\\) .*/\\1/'); printf '%s\\n' \"${COMPREPLY[@]}\"";
  const Finished done = RunToEnd({"/bin/bash", {"-u", "-c", script}});
  EXPECT_THAT(done.err, IsEmpty()) << script;
  return SplitAt(done.out, '\n');
}

TEST_P(Manual, bash_proposes_every_command_and_every_option) {
  const std::string completion = Completion();
  const Finished read = RunToEnd({"/bin/bash", {"-n", completion}});
  ASSERT_EQ(read.status, 0) << read.err;
  for (const Words& words : Pages()) {
    Words typed = words;
    typed.emplace_back("-");
    const auto options = OptionsOfHelp(Help(words));
    EXPECT_THAT(BashProposes(completion, GetParam(), typed), IsSupersetOf(options))
        << testing::PrintToString(words);
    if (words.empty()) continue;
    const Words before(words.begin(), words.end() - 1);
    typed = before;
    typed.emplace_back(words.back().substr(0, 2));
    EXPECT_THAT(BashProposes(completion, GetParam(), typed), testing::Contains(words.back()));
  }
}

TEST(ManualValues, bash_proposes_the_values_that_an_option_takes_and_leaves_files_to_itself) {
  const TempDir dir;
  const std::string path = dir.path() / "completion";
  std::ofstream(path) << RunToEnd({AgentBinary(), {"completion", "bash"}}).out;
  const auto proposed = [&](const Words& words) {
    return BashProposes(path, "tunehub-agent", words);
  };
  const Words tuners = {"builtin", "aiter", "vllm", "sglang", "tunableop"};
  EXPECT_THAT(proposed({"tune", "--tuner", ""}), testing::ElementsAreArray(tuners));
  EXPECT_THAT(proposed({"tune", "--tuner", "=", "a"}), testing::ElementsAre("aiter"));
  EXPECT_THAT(proposed({"tune", "--tuner", "="}), testing::ElementsAreArray(tuners));
  EXPECT_THAT(proposed({"pull", "--outp"}), testing::ElementsAre("--output"));
  EXPECT_THAT(proposed({"pull", "-o", "a"}), IsEmpty());
  EXPECT_THAT(proposed({"merge", "a.c"}), IsEmpty());
  EXPECT_THAT(proposed({"pul"}), testing::ElementsAre("pull"));
}

TEST_P(Manual, a_release_installs_a_page_for_each_command_and_bashs_completion) {
  const auto folder = dir_.path() / "made";
  const Finished made =
      RunToEnd({TUNEHUB_SOURCE_DIR "/cmake/make_manual", {Binary(), folder.string()}});
  ASSERT_EQ(made.status, 0) << made.err;
  for (const Words& words : Pages()) {
    std::string name = GetParam();
    for (const std::string& word : words) name += '-' + word;
    EXPECT_EQ(ReadText(folder / "man1" / (name + ".1")), ManPage(words));
  }
  EXPECT_EQ(ReadText(folder / "bash"), Answer({"completion", "bash"}));
}

TEST_P(Manual, an_unknown_shell_or_command_is_named) {
  EXPECT_THAT(RunToEnd({Binary(), {"completion", "tcsh"}}).err, HasSubstr("'tcsh': expected bash"));
  EXPECT_THAT(RunToEnd({Binary(), {"man", "nothing"}}).err, HasSubstr("unknown command 'nothing'"));
}

}  // namespace
}  // namespace tunehub::test
