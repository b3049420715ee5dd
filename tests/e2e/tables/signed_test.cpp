// Signed answers of a real server: minisign verifies them, agents follow a key rotation, channels
// move.
#include <atomic>
#include <filesystem>
#include <thread>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVerifier = "/usr/bin/minisign";

class SignedTest : public testing::Test {
 protected:
  // Uses its own secret, in its data folder, which is the default.
  SignedTest()
      : server_({.data = dir_.path() / "hub", .environment = {{"TUNEHUB_SIGNING_KEY", ""}}}) {
    Push(16, "7.5");
  }
  std::string Push(int m, const std::string& us) {
    const auto sent = server_.Client(server_.NewKey("submit")).Post(kResults, kHeader + Row(m, us));
    EXPECT_EQ(Verdict(sent), "200") << sent.body;
    return JsonOf(sent).at("pin");
  }
  Finished Pull(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"pull", "--family", "a8w8_blockscale", "--gfx", "gfx942", "--hub",
                               server_.url(), "-o", dir_ / "out.csv"});
    return RunToEnd({AgentBinary(), more});
  }
  Finished PullLocked(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--lock", dir_ / "tunehub.lock"});
    return Pull(std::move(more));
  }
  Finished Tool(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--signing-key", secret_});
    return server_.Tool(std::move(arguments));
  }
  std::string Key() const {
    return JsonOf(server_.Client().Get("/signing-keys")).at("keys").back().at("public_key");
  }
  RawAnswer Promote(const std::string& to) const {
    return server_.Client(server_.NewKey("admin")).Post("/channels/stable?to=" + to, "");
  }
  Finished Minisign(const fs::path& file) const {
    return RunToEnd({kVerifier, {"-Vm", file.string(), "-P", Key()}});
  }

  TempDir dir_;
  const std::string secret_ = dir_ / "hub/signing_key";
  ServerProcess server_;
};

TEST_F(SignedTest, minisign_verifies_an_answer_a_bundle_a_tree_and_an_export) {
  if (!fs::exists(kVerifier))
    GTEST_SKIP() << "NOT TESTED: there is no " << kVerifier << " (deploy/install-packages test)";
  ASSERT_EQ(PullLocked().status, 0);
  EXPECT_EQ(Minisign(dir_ / "out.csv").status, 0);
  dir_.Write("bundle.tar.gz", server_.Client().Get("/bundle?gfx=gfx942").body);
  fs::create_directory(dir_ / "bundle");
  ASSERT_EQ(
      RunToEnd({"/usr/bin/tar", {"-xzf", dir_ / "bundle.tar.gz", "-C", dir_ / "bundle"}}).status,
      0);
  const Finished bundle = Minisign(dir_ / "bundle/SHA256SUMS");
  EXPECT_EQ(bundle.status, 0) << bundle.err;
  EXPECT_THAT(bundle.out, HasSubstr("query=/bundle?gfx=gfx942 sha256="));
  ASSERT_EQ(Tool({"export", "--static", dir_ / "site"}).status, 0);
  EXPECT_EQ(Minisign(dir_ / "site/SHA256SUMS").status, 0);
  EXPECT_EQ(
      RunToEnd({"/bin/sh", {"-c", "cd " + (dir_ / "site") + " && sha256sum -c SHA256SUMS"}}).status,
      0);
}

TEST_F(SignedTest, agents_follow_a_rotation_and_no_other_change) {
  ASSERT_EQ(PullLocked().status, 0);
  const std::string first = Key();
  const Finished rotated = Tool({"key", "rotate-signing"});
  ASSERT_EQ(rotated.status, 0) << rotated.err;
  EXPECT_EQ(rotated.out, Key() + "\n");
  server_.Stop();
  server_.Start();
  const Finished again = PullLocked();
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(ReadText(dir_ / "tunehub.lock"), HasSubstr(Key()));
  fs::remove(secret_);
  ASSERT_EQ(Tool({"key", "rotate-signing"}).status, 2);
  ASSERT_EQ(Tool({"key", "rotate-signing", "--lost"}).status, 0);
  server_.Stop();
  server_.Start();
  EXPECT_THAT(PullLocked().err, HasSubstr("other_key"));
  EXPECT_EQ(PullLocked({"--trust", Key()}).status, 0);
}

TEST_F(SignedTest, a_server_with_another_secret_does_not_start_and_a_backup_has_none) {
  server_.Stop();
  const std::string secret = ReadText(secret_);
  ASSERT_EQ(server_.Tool({"backup", dir_ / "backup"}).status, 0);
  for (const auto& [name, bytes] : FilesBelow(dir_ / "backup"))
    EXPECT_EQ(bytes.find(secret.substr(0, 40)), std::string::npos) << name;
  fs::rename(secret_, dir_ / "away");
  try {
    server_.Start();
    ADD_FAILURE() << "it started";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("signing_key: is missing"));
    EXPECT_THAT(error.what(), HasSubstr("rotate-signing --lost"));
  }
  fs::rename(dir_ / "away", secret_);
  server_.Start();
}

TEST_F(SignedTest, a_channel_is_promoted_followed_and_rolled_back) {
  EXPECT_EQ(Verdict(server_.Client().Get("/channels/stable")), "404 unknown_channel");
  EXPECT_THAT(Pull({"--channel", "stable"}).err, HasSubstr("unknown_channel"));
  const std::string first = Push(16, "7.0"), second = Push(16, "6.5");
  EXPECT_EQ(Verdict(Promote("before")), "409 no_earlier");
  for (const std::string& pin : {first, second, second}) EXPECT_EQ(Verdict(Promote(pin)), "200");
  EXPECT_EQ(JsonOf(server_.Client().Get("/channels/stable")).at("sequence"), 2) << "once each";
  const std::vector<std::string> follow = {"--channel", "stable", "--update-lock"};
  ASSERT_EQ(PullLocked(follow).status, 0);
  EXPECT_THAT(ReadText(dir_ / "out.csv"), HasSubstr(",6.5,"));
  EXPECT_EQ(Verdict(Promote("before")), "200");
  Push(16, "6.0");
  const Finished rolled = PullLocked(follow);
  EXPECT_EQ(rolled.status, 0) << rolled.err;
  EXPECT_THAT(ReadText(dir_ / "out.csv"), HasSubstr(",7.0,"));
  EXPECT_EQ(Verdict(Promote("before")), "409 no_earlier");
  const auto history = JsonOf(server_.Client().Get("/channels/stable")).at("history");
  ASSERT_EQ(history.size(), 3U);
  EXPECT_EQ(history[0].at("pin"), first);
  for (const char* bad : {"", "x", "1-0f3a", "0"}) EXPECT_EQ(Promote(bad).status, 400) << bad;
  EXPECT_EQ(Promote("99-" + first.substr(first.find('-') + 1)).status, 410);
  const std::string audit = server_.Client(server_.NewKey("admin")).Get("/audit").body;
  EXPECT_THAT(audit, HasSubstr("channel promote"));
  EXPECT_THAT(audit, HasSubstr("channel rollback"));
}

TEST_F(SignedTest, a_channel_moves_by_command_while_builds_pull_from_it) {
  const auto channel = [&](std::vector<std::string> words, const std::string& scope = "admin") {
    words.insert(words.begin(), "channel");
    words.insert(words.end(), {"--hub", server_.url(), "--key", server_.NewKey(scope)});
    return RunToEnd({AgentBinary(), words});
  };
  const std::string first = Push(16, "7.0"), second = Push(16, "6.5");
  EXPECT_THAT(channel({"history", "stable"}).err, HasSubstr("unknown_channel"));
  EXPECT_THAT(channel({"promote", "stable"}).err, HasSubstr("pass a PIN to promote"));
  EXPECT_THAT(channel({"rollback", "stable", first}).err, HasSubstr("rollback: leave out the PIN"));
  EXPECT_THAT(channel({"history", "../keys"}).err,
              HasSubstr("channel '../keys': expected 1 to 64"));
  EXPECT_THAT(channel({"promote", "stable", first}, "submit").err, HasSubstr("admin"));
  EXPECT_EQ(channel({"promote", "stable", first}).status, 0);

  std::atomic<int> pulled = 0;
  std::jthread build([&](const std::stop_token& stop) {
    const std::vector<std::string> follow = {"--channel", "stable", "--update-lock"};
    for (; !stop.stop_requested(); ++pulled) {
      const Finished done = PullLocked(follow);
      EXPECT_EQ(done.status, 0) << done.err;
      EXPECT_THAT(ReadText(dir_ / "out.csv"),
                  testing::AnyOf(HasSubstr(",7.0,"), HasSubstr(",6.5,")));
    }
  });
  for (int i = 0; i < 3; ++i) {
    for (const std::vector<std::string>& move :
         {std::vector<std::string>{"promote", "stable", second},
          std::vector<std::string>{"rollback", "stable"}}) {
      const Finished moved = channel(move);
      EXPECT_EQ(moved.status, 0) << moved.err;
      EXPECT_THAT(moved.out, HasSubstr(move.size() == 3 ? second : first));
      // The first pull may have begun before the channel moved.
      const int before = pulled;
      EXPECT_TRUE(Comes([&] { return pulled >= before + 2; }));
    }
  }
  build.request_stop();
  build.join();
  EXPECT_THAT(ReadText(dir_ / "out.csv"), HasSubstr(",7.0,"));
  const std::string history = channel({"history", "stable"}).out;
  EXPECT_THAT(history, testing::StartsWith("7  " + first + "  "));
  EXPECT_EQ(std::ranges::count(history, '\n'), 7);
  EXPECT_EQ(JsonOf({200, {}, channel({"history", "stable", "--json"}).out}).at("sequence"), 7);
}

}  // namespace
}  // namespace tunehub::test
