// A pin over HTTP always means the same bytes, or 410, even after a restore under a running server.
#include <functional>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/backup.h"

namespace tunehub::test {
namespace {

using testing::MatchesRegex;

const std::string kImmutableAnswer = "public, max-age=31536000, immutable";
const std::string kPinText = "[0-9]+-[0-9a-f]{32}";

class PinsTest : public testing::Test {
 protected:
  PinsTest()
      : database_(NewDatabase()),
        server_({.database = database_}),
        submitter_(server_.Client(server_.NewKey("submit"))) {}

  nlohmann::json Push(int m, const std::string& us) {
    const auto sent = submitter_.Post(kResults, kHeader + Row(m, us));
    EXPECT_EQ(Verdict(sent), "200") << sent.body;
    return JsonOf(sent);
  }
  RawAnswer Get(const std::string& path) { return server_.Client().Get(path); }
  Finished Pull(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {
        "pull",           "--family", "a8w8_blockscale",    "--gfx",
        "gfx942",         "--hub",    server_.url(),        "-o",
        dir_ / "out.csv", "--lock",   dir_ / "tunehub.lock"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunToEnd({AgentBinary(), arguments});
  }

  std::string database_;
  ServerProcess server_;
  HttpClient submitter_;
  TempDir dir_;
};

TEST_F(PinsTest, is_for_ever_and_a_bare_number_is_not) {
  const std::string pin = Push(16, "7.5").at("pin");
  EXPECT_THAT(pin, MatchesRegex(kPinText));
  Push(32, "8.5");
  const std::string body = kHeader + Row(16, "7.5");
  for (const std::string& path : {kTable, std::string("/bundle?gfx=gfx942")}) {
    const auto pinned = Get(path + "&revision=" + pin), bare = Get(path + "&revision=1");
    EXPECT_EQ(Verdict(pinned), "200") << pinned.body;
    EXPECT_EQ(pinned.Header("cache-control"), kImmutableAnswer);
    EXPECT_EQ(bare.Header("cache-control"), "no-cache");
    for (const auto& answer : {pinned, bare}) {
      EXPECT_EQ(answer.Header("tunehub-revision"), "1");
      EXPECT_EQ(answer.Header("tunehub-pin"), pin);
    }
    EXPECT_EQ(pinned.body, bare.body);
    EXPECT_EQ(pinned.Header("etag"), bare.Header("etag"));
  }
  EXPECT_EQ(Get(kTable + "&revision=" + pin).body, body);
  EXPECT_NE(Get(kTable).Header("tunehub-pin"), pin);

  const std::string wrong = "1-" + std::string(32, 'a');
  for (const std::string& path : {kTable, std::string("/bundle?gfx=gfx942")}) {
    EXPECT_EQ(Verdict(Get(path + "&revision=" + wrong)), "410 revision_gone");
    EXPECT_EQ(Verdict(Get(path + "&revision=9-" + std::string(32, 'a'))), "410 revision_gone");
    EXPECT_EQ(Verdict(Get(path + "&revision=9")), "404 unknown_revision");
    EXPECT_EQ(Verdict(Get(path + "&revision=1-aa")), "400 bad_parameter");
    EXPECT_EQ(Verdict(Get(path + "&revision=-1")), "400 bad_parameter");
  }
  const auto gone = Get(kTable + "&revision=" + wrong);
  EXPECT_THAT(JsonOf(gone).at("detail"), HasSubstr("its number now belongs to " + pin));
  EXPECT_EQ(gone.Header("cache-control"), "");
}

TEST_F(PinsTest, stands_beside_every_revision_in_json) {
  Push(16, "7.5");
  const std::string shape = "M=16&N=2048&K=3072&gfx=gfx942&cu_num=80";
  for (const std::string& path : {std::string("/tuned"), std::string("/targets"),
                                  std::string("/readyz"), std::string("/rows/a8w8_blockscale"),
                                  std::string("/speedups"), std::string("/coverage/models"),
                                  "/lookup/a8w8_blockscale?" + shape, std::string("/revisions")}) {
    const RawAnswer answer = Good(Get(path));
    int found = 0;
    const std::function<void(const nlohmann::json&)> look = [&](const nlohmann::json& json) {
      for (const auto& it : json) {
        if (it.is_structured()) look(it);
      }
      if (!json.is_object() || !json.contains("revision")) return;
      ++found;
      ASSERT_TRUE(json.contains("pin")) << path << json;
      EXPECT_EQ(json.at("pin").get<std::string>().substr(0, 2),
                std::to_string(json.at("revision").get<int>()) + "-");
      EXPECT_THAT(json.at("pin").get<std::string>(), MatchesRegex(kPinText));
    };
    look(JsonOf(answer));
    EXPECT_GT(found, 0) << path;
  }
}

TEST_F(PinsTest, ends_where_a_restore_took_its_revision_while_the_server_ran) {
  const std::string first = Push(16, "7.5").at("pin");
  const Backup backup(database_);
  ASSERT_TRUE(server_.AwaitReady());
  const std::string lost = Push(32, "8.5").at("pin");
  ASSERT_EQ(Pull().status, 0);
  const std::string lock = ReadText(dir_ / "tunehub.lock");
  EXPECT_THAT(lock, HasSubstr(lost.substr(2)));
  ASSERT_EQ(Pull().status, 0) << "pull must get the pinned bytes again";

  backup.Restore();
  ASSERT_TRUE(server_.AwaitReady());
  std::string made;
  for (int i = 0; i < 600 && made.empty(); ++i) {  // until new connections replace the old ones
    const auto sent = submitter_.Post(kResults, kHeader + Row(64, "9.5"));
    if (Verdict(sent) == "200") made = JsonOf(sent).at("pin");
  }
  EXPECT_EQ(made.substr(0, 2), "2-") << "the new revision has the same number";
  EXPECT_NE(made, lost);
  EXPECT_EQ(Get(kTable).body, kHeader + Row(16, "7.5") + Row(64, "9.5"));
  EXPECT_EQ(Get(kTable + "&revision=" + made).body, Get(kTable).body);
  EXPECT_EQ(Get(kTable + "&revision=" + first).body, kHeader + Row(16, "7.5"));
  EXPECT_EQ(Verdict(Get(kTable + "&revision=" + lost)), "410 revision_gone");
  EXPECT_THAT(server_.Log(), HasSubstr("a restore or a failover lost revision " + lost));

  const Finished refused = Pull();
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.err, HasSubstr("revision " + lost + " no longer exists"));
  EXPECT_THAT(refused.err, HasSubstr("--update-lock pins the newest"));
  EXPECT_EQ(ReadText(dir_ / "tunehub.lock"), lock);
  EXPECT_THAT(Pull({"--update-lock"}).err, HasSubstr("older_revision")) << "it has the same number";
  ASSERT_EQ(Pull({"--update-lock", "--allow-older"}).status, 0);
  EXPECT_THAT(ReadText(dir_ / "tunehub.lock"), HasSubstr(made.substr(2)));
  EXPECT_EQ(ReadText(dir_ / "out.csv"), Get(kTable).body);
}

}  // namespace
}  // namespace tunehub::test
