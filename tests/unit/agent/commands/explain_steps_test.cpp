#include <gtest/gtest.h>

#include <sstream>

#include "agent/base/shell_word.h"
#include "agent/commands/explain/next_steps.h"
#include "agent/commands/explain/terminal_text.h"

namespace tunehub::agent::test {
namespace {

TEST(ExplainSteps, a_word_is_quoted_where_a_shell_would_cut_it) {
  EXPECT_EQ(ShellWord("a/b-1.log"), "a/b-1.log");
  EXPECT_EQ(ShellWord("my log's"), "'my log'\\''s'");
  EXPECT_EQ(ShellWord(""), "''");
}

TEST(ExplainSteps, what_came_through_a_pipe_is_to_be_filled_in) {
  StepContext context;
  context.logs = {"-", "a b.log"};
  context.device = "MI300X";
  EXPECT_EQ(LogWords(context), "LOG 'a b.log' --device MI300X");
}

TEST(ExplainSteps, a_long_command_goes_on_in_the_next_line_and_stays_one) {
  std::ostringstream out;
  PrintCommand(out,
               "tunehub-agent capture '" + std::string(60, 'x') + " y' --hub http://hub:8080 -o z");
  EXPECT_EQ(out.str(), "  tunehub-agent capture '" + std::string(60, 'x') +
                           " y' \\\n      --hub http://hub:8080 -o z\n");
}

}  // namespace
}  // namespace tunehub::agent::test
