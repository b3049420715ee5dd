// The spool's files after a crash, with two processes, and with damage.
#include "agent/hub/spool.h"

#include <fstream>

#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

namespace fs = std::filesystem;

BatchHeader Header(const std::string& key) {
  BatchHeader header;
  header.key = key;
  header.family = "fmoe";
  header.file = "x.csv";
  header.created = "2026-08-22T10:11:12.000000Z";
  return header;
}

class AgentSpool : public testing::Test {
 protected:
  TempFolder folder_;
  const Spool spool_ = *Spool::Open(folder_.path());
};

TEST_F(AgentSpool, gives_back_what_was_added) {
  {
    BatchHeader header = Header("k1");
    header.line_offset = 100;
    header.atomic = true;
    header.new_run = NewRun{"r", {{"host", "node7"}}};
    ASSERT_TRUE(spool_.Add(header, "a,b\n1,2\n").ok());
  }
  const auto waiting = spool_.Waiting();
  ASSERT_EQ(waiting.size(), 1u);
  const auto held = spool_.Take(waiting[0]);
  ASSERT_TRUE(held.ok() && held->has_value());
  EXPECT_EQ((*held)->batch.body, "a,b\n1,2\n");
  EXPECT_EQ((*held)->batch.header.key, "k1");
  EXPECT_EQ((*held)->batch.header.line_offset, 100u);
  EXPECT_TRUE((*held)->batch.header.atomic);
  EXPECT_EQ((*held)->batch.header.new_run->provenance["host"], "node7");
}

TEST_F(AgentSpool, a_batch_is_for_one_hub_and_no_other_is_given_it) {
  const Spool a = *Spool::Open(folder_.path(), "http://a:80"),
              b = *Spool::Open(folder_.path(), "http://b:80");
  { ASSERT_TRUE(a.Add(Header("k1"), "x\n").ok()); }
  { ASSERT_TRUE(spool_.Add(Header("k2"), "x\n").ok()); }
  ASSERT_EQ(a.Waiting().size(), 1U);
  EXPECT_TRUE(b.Waiting().empty());
  EXPECT_FALSE(b.Take(a.Waiting()[0])->has_value());
  EXPECT_TRUE(a.Take(a.Waiting()[0])->has_value());
  EXPECT_EQ(spool_.Waiting().size(), 1U) << "the batch that names no hub";
  EXPECT_EQ(b.WaitingForOthers(),
            (std::map<std::string, std::size_t>{{"", 1U}, {"http://a:80", 1U}}));
}

TEST_F(AgentSpool, a_batch_of_another_version_is_named_and_stays) {
  const std::string path = folder_.Write("1.batch", "{\"format\":\"tunehub-batch-2\"}\nx");
  folder_.Write("README", "not a batch");
  const auto taken = spool_.Take(path);
  EXPECT_EQ(ErrorCode(taken), "other_version");
  EXPECT_THAT(taken.error().detail, HasSubstr("tunehub-batch-2"));
  EXPECT_EQ(spool_.Waiting().size(), 1U);
}

TEST_F(AgentSpool, a_batch_that_was_sent_meanwhile_is_nothing) {
  const auto held = spool_.Add(Header("k1"), "x\n");
  ASSERT_TRUE(spool_.Done(*held).ok());
  EXPECT_FALSE(Must(spool_.Take(held->path)).has_value());
}

TEST_F(AgentSpool, a_half_written_batch_is_never_sent_and_goes_once_its_writer_is_dead) {
  const auto torn = folder_.Write(".2026-k.batch.tmp", "{\"format\":\"tunehub-ba");
  EXPECT_TRUE(spool_.Waiting().empty());
  ASSERT_TRUE(Spool::Open(folder_.path()).ok());
  EXPECT_TRUE(fs::exists(torn)) << "the writer may lock the file soon";
  fs::last_write_time(torn, fs::file_time_type::clock::now() - std::chrono::minutes(5));
  ASSERT_TRUE(Spool::Open(folder_.path()).ok());
  EXPECT_FALSE(fs::exists(torn));
}

TEST_F(AgentSpool, a_damaged_batch_is_noticed) {
  { ASSERT_TRUE(spool_.Add(Header("k1"), "a,b\n1,2\n").ok()); }
  const auto path = spool_.Waiting()[0];
  std::string bytes = ReadText(path);
  bytes[bytes.size() - 2] = '3';
  std::ofstream(path, std::ios::binary) << bytes;
  const auto taken = spool_.Take(path);
  EXPECT_EQ(ErrorCode(taken), "bad_batch");
  EXPECT_THAT(taken.error().detail, HasSubstr(path.string()));
}

TEST_F(AgentSpool, waits_in_the_order_of_the_times) {
  BatchHeader late = Header("a"), early = Header("b");
  early.created = "2026-08-21T00:00:00.000000Z";
  ASSERT_TRUE(spool_.Add(late, "x\n").ok());
  ASSERT_TRUE(spool_.Add(early, "x\n").ok());
  EXPECT_THAT(spool_.Waiting()[0].string(), HasSubstr("2026-08-21"));
}

TEST(AgentSplitTable, keeps_a_small_table_as_it_is) {
  const auto parts = SplitTable("h\r\n1\r\n2", 2);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].csv, "h\r\n1\r\n2");
  EXPECT_EQ(parts[0].line_offset, 0u);
}

TEST(AgentSplitTable, repeats_the_header_and_knows_the_lines) {
  const auto parts = SplitTable("# c\nh\n1\n\n2\n3\n4\n5\n", 2);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].csv, "# c\nh\n1\n\n2\n");
  EXPECT_EQ(parts[1].csv, "# c\nh\n3\n4\n");
  EXPECT_EQ(parts[1].line_offset, 3u);  // the row "3": line 3 of the part, line 6 of the table
  EXPECT_EQ(parts[2].csv, "# c\nh\n5\n");
}

TEST(AgentSplitTable, cuts_by_bytes_too) {
  const auto parts = SplitTable("h\n111\n222\n333\n", 100, 7);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].csv, "h\n333\n");
}

}  // namespace
}  // namespace tunehub::agent::test
