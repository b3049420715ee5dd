// Requests that wait for a revision do not delay other requests.
#include <chrono>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/cluster_process.h"
#include "tests/support/comes.h"

namespace tunehub::test {
namespace {

using std::chrono::milliseconds;
using Waited = std::chrono::steady_clock;

// Enough time for a busy machine, but less than the two seconds that a request waits.
constexpr milliseconds kAtOnce{1'000};

TEST(MinRevisionTest, those_who_wait_hold_no_thread) {
  ServerProcess server({.database = NewDatabase()});
  const auto writer = server.Client(server.NewKey("submit"));
  ASSERT_EQ(Verdict(writer.Post(kResults, kHeader + Row(1, "7.5"))), "200");
  const auto client = server.Client();
  std::vector<std::unique_ptr<RawHttp>> waiting;
  for (int i = 0; i < 40; ++i) {
    waiting.push_back(std::make_unique<RawHttp>(server.port()));
    waiting.back()->Send(client.Request("GET", kTable + "&min_revision=2", "", {}));
  }
  EXPECT_TRUE(waiting.back()->StaysSilent(milliseconds(100)));
  const auto begin = Waited::now();
  for (const char* what : {"/families", "/targets", "/changes", "/healthz"})
    EXPECT_EQ(client.Get(what).status, 200) << what;
  EXPECT_LT(Waited::now() - begin, kAtOnce);
  ASSERT_EQ(Verdict(writer.Post(kResults, kHeader + Row(2, "7.5"))), "200");
  for (const auto& it : waiting) {
    const auto answer = it->Read().value();
    EXPECT_EQ(Verdict(answer), "200");
    EXPECT_THAT(answer.body, testing::HasSubstr(Row(2, "7.5")));
  }
}

TEST(MinRevisionTest, what_cannot_come_is_not_waited_for) {
  ServerProcess server({.database = NewDatabase()});
  for (const char* number : {"1000000", "9223372036854775807"}) {
    const auto begin = Waited::now();
    const auto answer = server.Client().Get(std::string("/families?min_revision=") + number);
    EXPECT_EQ(Verdict(answer), "503 not_yet");
    EXPECT_NE(answer.Header("retry-after"), "");
    EXPECT_LT(Waited::now() - begin, kAtOnce) << number;
  }
  EXPECT_EQ(Verdict(server.Client().Get("/nothing?min_revision=2")), "404 no_such_path");
}

TEST(MinRevisionTest, an_older_pin_is_read_from_memory_while_the_database_is_away) {
  const TempDir dir;
  ClusterProcess database({.data_dir = dir.path(), .extra_settings = {{"fsync", "off"}}});
  ServerProcess server({.database = database.connection()});
  const auto writer = server.Client(server.NewKey("submit"));
  std::vector<std::string> pins;
  for (int m = 1; m <= 3; ++m) {
    const auto taken = writer.Post(kResults, kHeader + Row(m, "7.5"));
    pins.push_back(JsonOf(taken).at("pin").get<std::string>());
  }
  const auto get = [&](const std::string& pin) {
    return Verdict(server.Client().Get(kTable + "&min_revision=" + pin));
  };
  EXPECT_EQ(get(pins[0]), "200");
  EXPECT_EQ(get("1-" + std::string(32, 'a')), "410 revision_gone");
  database.Kill();
  EXPECT_TRUE(Comes([&] { return !server.Client().Get(kTable).Header("warning").empty(); }));
  for (const std::string& pin : pins) EXPECT_EQ(get(pin), "200") << pin;
  EXPECT_EQ(get("9"), "503 not_yet");
}

}  // namespace
}  // namespace tunehub::test
