// Files of the spool on their way to the hub: damaged, refused, or of another process. Also the
// environment of child processes.
#include "agent/hub/outbox.h"

#include <cstdlib>

#include "agent/device/worker_device.h"
#include "core/base/process.h"
#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;
using agent::test::FakeHub;
using agent::test::TempFolder;
using testing::HasSubstr;

const Answer kReceipt{200, {}, R"({"batch":1,"rows":1,"accepted":1})"};
const Answer kRefusal{422, {}, R"({"status":422,"code":"bad_value","detail":"M"})"};

class OutboxTest : public testing::Test {
 protected:
  static BatchHeader Header(const std::string& key, const std::string& run = "") {
    BatchHeader header;
    header.key = key;
    header.family = "fmoe";
    header.file = "job 1";
    header.created = "2026-08-22T10:11:12.00000" + key + "Z";
    if (!run.empty()) header.new_run = NewRun{run, {{"host", "node7"}}};
    return header;
  }

  TempFolder folder_;
  const Spool spool_ = *Spool::Open(folder_.path());
  FakeHub hub_;
  Outbox outbox_{spool_, &hub_, {}};
};

TEST_F(OutboxTest, what_is_no_batch_is_set_aside_once_and_keeps_nothing_from_the_hub) {
  folder_.Write("0.batch", "");
  folder_.Write("1.batch", "something else\n");
  fs::create_directories(folder_ / "2.batch");
  fs::create_symlink("nowhere", folder_ / "3.batch");
  ASSERT_TRUE(outbox_.Add(Header("k"), "{}").ok());
  hub_.answers = {kReceipt};
  EXPECT_TRUE(outbox_.Drain({.tries = 1}));
  EXPECT_EQ(outbox_.refused(), 0U) << "the hub refused no result";
  const auto news = outbox_.TakeNews();
  ASSERT_EQ(news.size(), 4U);
  EXPECT_THAT(news[0], HasSubstr(folder_ / "0.batch"));
  EXPECT_THAT(news[0], HasSubstr("the header line is missing"));
  EXPECT_EQ(Spool::CountAside(folder_.path()), 4U);
  EXPECT_TRUE(outbox_.Drain({.tries = 1}));
  EXPECT_TRUE(outbox_.TakeNews().empty());
}

TEST_F(OutboxTest, a_run_that_was_learned_before_the_hub_went_away_is_not_forgotten) {
  ASSERT_TRUE(outbox_.Add(Header("1", "run-1"), "{}").ok());
  ASSERT_TRUE(outbox_.Add(Header("2", "run-2"), "{}").ok());
  hub_.answers = {{201, {}, R"({"id":7})"}, kReceipt, {0, {}, ""}};
  EXPECT_FALSE(outbox_.Drain({.tries = 1}));
  EXPECT_EQ(outbox_.RunId("run-1"), "7");
}

TEST_F(OutboxTest, a_refused_batch_that_lay_there_is_not_ours) {
  { ASSERT_TRUE(spool_.Add(Header("1"), "{}").ok()); }
  hub_.answers = {kRefusal, kRefusal};
  EXPECT_TRUE(outbox_.Drain({.tries = 1}));
  EXPECT_EQ(outbox_.refused(), 1U);
  EXPECT_EQ(outbox_.refused_own(), 0U);
  ASSERT_TRUE(outbox_.Add(Header("2"), "{}").ok());
  EXPECT_TRUE(outbox_.Drain({.tries = 1}));
  EXPECT_EQ(outbox_.refused_own(), 1U);
}

TEST_F(OutboxTest, of_many_refusals_the_newest_are_remembered) {
  for (int i = 0; i < 250; ++i) {
    ASSERT_TRUE(outbox_.Add(Header(std::to_string(i)), "{}").ok());
    hub_.answers.push_back(kRefusal);
    outbox_.Drain({.tries = 1});
  }
  EXPECT_EQ(outbox_.refused(), 250U);
  EXPECT_EQ(outbox_.messages().size(), kMostMessages);
}

TEST_F(OutboxTest, a_proxys_page_is_no_refusal_of_the_hub) {
  ASSERT_TRUE(outbox_.Add(Header("1"), "{}").ok());
  hub_.answers = {{404, {}, "<html>no such site</html>"}};
  EXPECT_FALSE(outbox_.Drain({.tries = 1}));
  EXPECT_EQ(spool_.Waiting().size(), 1U);
}

TEST_F(OutboxTest, a_batch_that_another_process_is_sending_is_not_yet_there) {
  ASSERT_TRUE(outbox_.Add(Header("1"), "{}").ok());
  const auto held = spool_.Take(spool_.Waiting()[0]);
  EXPECT_FALSE(outbox_.Drain({.tries = 1}));
  EXPECT_EQ(outbox_.failure().code, "spool_in_use");
  ASSERT_TRUE(spool_.Done(**held).ok());
  EXPECT_TRUE(outbox_.Drain({.tries = 1}));
}

TEST_F(OutboxTest, what_another_process_is_sending_is_waited_for) {
  ASSERT_TRUE(outbox_.Add(Header("1"), "{}").ok());
  auto held = spool_.Take(spool_.Waiting()[0]);
  const auto sent_by_the_other_one = [&] {
    EXPECT_TRUE(!*held || spool_.Done(**held).ok());
    *held = std::nullopt;
    return false;
  };
  EXPECT_TRUE(outbox_.Drain(
      {.tries = 2, .first_pause = std::chrono::milliseconds(1), .stop = sent_by_the_other_one}));
  EXPECT_TRUE(hub_.requests.empty());
}

const Answer kTooLarge{413, {}, "<html>413 Request Entity Too Large</html>"};

// Two processes may share one spool. A batch that is too large must not block the other process's
// batches.
TEST_F(OutboxTest, what_another_process_sends_is_not_taken_for_what_is_too_large) {
  { ASSERT_TRUE(spool_.Add(Header("1"), "{}").ok()); }
  ASSERT_TRUE(outbox_.Add(Header("2"), "{}").ok());
  hub_.answers = {kTooLarge};
  const auto held = spool_.Take(spool_.Waiting()[1]);
  EXPECT_FALSE(outbox_.Drain({.tries = 1}));
  EXPECT_EQ(outbox_.failure().code, "spool_in_use");
  ASSERT_TRUE(spool_.Done(**held).ok());
  EXPECT_FALSE(outbox_.Drain({.tries = 1}));
  EXPECT_EQ(outbox_.failure().code, "too_large_between");
  EXPECT_FALSE(outbox_.waits_own());
}

TEST_F(OutboxTest, what_is_too_large_is_not_sent_again_at_every_step) {
  ASSERT_TRUE(outbox_.Add(Header("1"), "{}").ok());
  hub_.answers = {kTooLarge, kReceipt};
  EXPECT_FALSE(outbox_.Drain({.tries = 1}));
  ASSERT_TRUE(outbox_.Add(Header("2"), "{}").ok());
  EXPECT_FALSE(outbox_.Drain({.tries = 1}));
  EXPECT_EQ(hub_.requests.size(), 2U) << "the outbox sent only the new batch";
  EXPECT_EQ(outbox_.failure().code, "too_large_between");
  EXPECT_TRUE(outbox_.waits_own());
  Outbox next(spool_, &hub_, {.pause_after_too_large = std::chrono::seconds(0)});
  hub_.answers = {kTooLarge, kReceipt};
  EXPECT_FALSE(next.Drain({.tries = 1}));
  EXPECT_TRUE(next.Drain({.tries = 1})) << "after the pause the outbox sends the old batch again";
}

class NoKey : public testing::Test {
 protected:
  NoKey() { ::setenv("TUNEHUB_KEY", "thub_secret", 1); }
  ~NoKey() override { ::unsetenv("TUNEHUB_KEY"); }
};

TEST_F(NoKey, is_in_a_childs_environment) {
  std::vector<std::string> lines;
  const auto end = core::RunChild(
      {{"env"}, {{"OTHER", "x"}}, {}, {}}, {},
      [&](std::string_view line) { lines.emplace_back(line); }, [] { return false; });
  ASSERT_TRUE(end.ok() && end->succeeded());
  EXPECT_THAT(lines, testing::Contains("OTHER=x"));
  EXPECT_THAT(lines, testing::Contains(testing::StartsWith("PATH=")));
  EXPECT_THAT(lines, testing::Not(testing::Contains(HasSubstr("thub_secret"))));
}

TEST_F(NoKey, is_in_the_workers_environment) {
  WorkerProcess worker({"/bin/sh", "-c", R"(read x; echo "{\"key\":\"$TUNEHUB_KEY\"}"; read x)"});
  EXPECT_EQ(Must(worker.Ask({{"do", "key"}}, std::chrono::seconds(30))).at("key"), "");
}

}  // namespace
}  // namespace tunehub::agent
