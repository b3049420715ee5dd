// explain, capture and contribute advise the user if the hub fails midway or refuses the key.
#include "tests/e2e/agent/live_hub.h"
#include "tests/support/socket_hub.h"

namespace tunehub::test {
namespace {

using testing::EndsWith;
using testing::Not;

// A real hub's answer, for a scripted hub to repeat.
ScriptedAnswer Said(const RawAnswer& answer) {
  return SocketHub::Closing("200 OK", answer.body);
}

// The commands that send requests to a hub, with their arguments.
class BrokenHubTest : public LiveHubTest {
 protected:
  std::vector<std::vector<std::string>> Commands() const {
    const std::string log = Log(VllmMiss(kMi300) + AiterMiss(16));
    return {{"explain", log, "--gfx", "gfx942"},
            {"capture", log, "--gfx", "gfx942", "--cu-num", "304"},
            {"contribute", AiterTree(), "--model", "glm6", "--in-place"}};
  }
  static Finished At(const std::string& hub, std::vector<std::string> command,
                     const std::string& key = "") {
    command.insert(command.end(), {"--hub", hub, "--tries", "1", "--request-timeout", "1"});
    return Run(std::move(command), key);
  }
};

TEST_F(BrokenHubTest, a_hub_that_goes_in_the_middle_leaves_nothing_half_done) {
  const std::string moe = "/tuned/triton_fused_moe?E=8&N=2048&dtype=fp8_w8a8&allow_empty=1";
  SocketHub explained({Said(Open().Get(moe))});
  const Finished first = At("http://" + explained.origin(), Commands()[0]);
  EXPECT_EQ(first.status, 2);
  EXPECT_THAT(first.out, HasSubstr("After the fix, run again:"));
  EXPECT_THAT(first.out, Not(HasSubstr("rows for"))) << "the agent cannot know this for all shapes";
  EXPECT_EQ(explained.Requests().size(), 1U);

  SocketHub captured({SocketHub::Closing("200 OK", R"({"count": 1, "new": 1, "rejected": []})")});
  const Finished second = At("http://" + captured.origin(), Commands()[1]);
  EXPECT_EQ(second.status, 2);
  EXPECT_THAT(second.err, HasSubstr("1 shapes posted"));
}

TEST_F(BrokenHubTest, a_wrong_key_is_told_with_where_keys_come_from) {
  ServerProcess keyed({.database = NewDatabase(), .environment = {{"TUNEHUB_READS", "key"}}});
  for (const std::string key : {"", "thub_0123456789"}) {
    for (const auto& command : Commands()) {
      const Finished ran = At(keyed.url(), command, key);
      EXPECT_EQ(ran.status, 2) << command[0];
      EXPECT_THAT(ran.err, HasSubstr("401")) << command[0];
      EXPECT_THAT(ran.err, HasSubstr("TUNEHUB_KEY")) << command[0] << " '" << key << "'";
    }
  }
  // The key has the wrong scope.
  const Finished reader = At(keyed.url(), Commands()[1], keyed.NewKey("read"));
  EXPECT_EQ(reader.status, 2);
  EXPECT_THAT(reader.err, HasSubstr("submit"));
}

TEST_F(BrokenHubTest, what_a_hub_says_writes_no_line_of_its_own_and_commands_no_terminal) {
  const std::string detail =
      R"({"code":"no_rows","status":404,"detail":"a\u001b[2J\u009b2J\nforged: installed"})";
  SocketHub lying({SocketHub::Closing("404 No\r\nContent-Type: application/problem+json", detail),
                   SocketHub::Closing("200 OK\r\nContent-Type: text/csv\r\nWarning: 299 \xC2\x9B"
                                      "2J",
                                      "h\n")});
  const std::vector<std::string> pull = {"pull", "--family", "fmoe", "-o", Path("out.csv")};
  const Finished refused = At("http://" + lying.origin(), pull);
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("[2J"));
  EXPECT_THAT(refused.err, EndsWith("\n  forged: installed\n")) << "an indented line";
  const Finished warned = At("http://" + lying.origin(), pull);
  EXPECT_THAT(warned.err, HasSubstr("the hub warns: 299 "));
  for (const std::string& text : {refused.err, warned.err}) {
    EXPECT_THAT(text, Not(HasSubstr("\x1B")));
    EXPECT_THAT(text, Not(HasSubstr("\xC2\x9B")));
  }
}

TEST_F(BrokenHubTest, a_clock_that_differs_from_the_hubs_is_said_once_and_changes_nothing) {
  const auto answer = [](const std::string& date) {
    return SocketHub::Closing(
        "200 OK\r\nContent-Type: text/csv\r\nTunehub-Pin: 7-" + std::string(32, 'a') + date,
        "h\n1\n");
  };
  const auto pull = [&](const std::string& date) {
    SocketHub hub({answer(date), answer(date)});  // with a lock file, pull sends two requests
    std::filesystem::remove(Path("lock"));
    return At("http://" + hub.origin(),
              {"pull", "--family", "fmoe", "-o", Path("out.csv"), "--lock", Path("lock")});
  };
  const Finished plain = pull("");
  EXPECT_EQ(plain.status, 0) << plain.err;
  EXPECT_THAT(plain.err, testing::StartsWith("tunehub-agent pull: unsigned: "));
  for (const char* date : {"Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 31 Dec 9999 23:59:59 GMT"}) {
    const Finished ran = pull(std::string("\r\nDate: ") + date);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(ran.out, plain.out);
    EXPECT_THAT(ran.err, testing::StartsWith("tunehub-agent: this host's clock is "));
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 2) << ran.err;
  }
  EXPECT_EQ(pull("\r\nDate: tomorrow").err, plain.err);
}

}  // namespace
}  // namespace tunehub::test
