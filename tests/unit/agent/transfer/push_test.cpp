// tunehub-agent push loses no result and sends none twice, whatever the hub does.
#include <nlohmann/json.hpp>

#include "agent/hub/spool.h"
#include "agent/transfer/commands.h"
#include "core/base/archive.h"
#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

Answer Receipt(const std::string& more = "") {
  return {200, {}, R"({"batch":1,"rows":1,"accepted":1,"won":1,"revision":7)" + more + "}"};
}

class AgentPush : public CommandTest {
 protected:
  AgentPush() {
    file_ = folder_.Write("a8w8_blockscale_tuned_gemm.csv",
                          kBlockscaleHeader + BlockscaleRow(16, "4.5"));
    options_.spool = folder_ / "spool";
    options_.retry.tries = 3;
  }

  // Lends the hub to one call of Push.
  class Lent : public HubClient {
   public:
    explicit Lent(HubClient& hub) : hub_(hub) {}
    core::Result<Answer> Send(const Request& request) override { return hub_.Send(request); }

   private:
    HubClient& hub_;
  };

  int Run(const std::vector<std::string>& files) {
    options_.files = files;
    console_.Clear();
    const Connector connect = [this]() -> core::Result<std::unique_ptr<HubClient>> {
      return std::unique_ptr<HubClient>(std::make_unique<Lent>(hub_));
    };
    return Push(configuration_.families, options_, connect, pauses_.pauses, console_.console);
  }

  std::vector<std::filesystem::path> Waiting() const {
    return Spool::Open(options_.spool)->Waiting();
  }

  PushOptions options_;
  std::string file_;
};

TEST_F(AgentPush, sends_a_file_once_and_clears_the_spool_on_its_receipt) {
  hub_.answers = {Receipt()};
  EXPECT_EQ(Run({file_}), kGood) << console_.err.str();
  ASSERT_THAT(hub_.requests, SizeIs(1));
  EXPECT_EQ(hub_.requests[0].method, "POST");
  EXPECT_EQ(hub_.requests[0].target, "/results/a8w8_blockscale");
  EXPECT_EQ(HeaderOf(hub_.requests[0], "Content-Type"), "text/csv");
  EXPECT_THAT(HeaderOf(hub_.requests[0], "Idempotency-Key"), SizeIs(32 + 1 + 36));
  EXPECT_EQ(hub_.requests[0].body, kBlockscaleHeader + BlockscaleRow(16, "4.5"));
  EXPECT_THAT(Waiting(), IsEmpty());
  EXPECT_EQ(console_.out.str(),
            file_ + " -> a8w8_blockscale: 1 rows, 1 accepted, 1 won, revision 7\n");
}

TEST_F(AgentPush, is_on_disk_before_anything_is_sent) {
  std::string spooled;
  hub_.on_request = [&](const Request&) {
    for (const auto& path : Waiting()) spooled = ReadText(path);
  };
  hub_.answers = {Receipt()};
  EXPECT_EQ(Run({file_}), kGood);
  EXPECT_THAT(spooled, HasSubstr(BlockscaleRow(16, "4.5")));
}

TEST_F(AgentPush, repeats_with_the_same_key_and_growing_pauses) {
  hub_.answers = {{0, {}, ""}, {503, {{"retry-after", "7"}}, ""}, Receipt()};
  EXPECT_EQ(Run({file_}), kGood);
  ASSERT_THAT(hub_.requests, SizeIs(3));
  EXPECT_EQ(HeaderOf(hub_.requests[0], "Idempotency-Key"),
            HeaderOf(hub_.requests[2], "Idempotency-Key"));
  using std::chrono::milliseconds;
  EXPECT_THAT(pauses_.slept, testing::ElementsAre(milliseconds(250), milliseconds(7000)));
}

TEST_F(AgentPush, keeps_the_batch_when_the_hub_stays_away_and_sends_it_later_with_the_same_key) {
  hub_.answers = {{0, {}, ""}, {0, {}, ""}, {0, {}, ""}};
  EXPECT_EQ(Run({file_}), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("is not sent"));
  EXPECT_THAT(Waiting(), SizeIs(1));
  hub_.answers = {Receipt()};
  EXPECT_EQ(Run({}), kGood);
  EXPECT_EQ(HeaderOf(hub_.requests[0], "Idempotency-Key"),
            HeaderOf(hub_.requests[3], "Idempotency-Key"));
  EXPECT_THAT(Waiting(), IsEmpty());
}

TEST_F(AgentPush, sends_the_same_key_after_a_crash_between_the_answer_and_the_deletion) {
  // The process dies during the request. The batch stays in the spool, unlocked.
  struct PushKilled {};
  hub_.on_request = [](const Request&) { throw PushKilled(); };
  EXPECT_THROW(Run({file_}), PushKilled);
  EXPECT_THAT(Waiting(), SizeIs(1));
  hub_.on_request = nullptr;
  hub_.answers = {Receipt()};
  EXPECT_EQ(Run({}), kGood);
  EXPECT_EQ(HeaderOf(hub_.requests[0], "Idempotency-Key"),
            HeaderOf(hub_.requests[1], "Idempotency-Key"));
  EXPECT_THAT(Waiting(), IsEmpty());
}

TEST_F(AgentPush, a_200_without_a_receipt_keeps_the_batch) {
  hub_.answers = {{200, {}, "<html>log in</html>"}};
  EXPECT_EQ(Run({file_}), kFailed);
  EXPECT_THAT(Waiting(), SizeIs(1));
}

TEST_F(AgentPush, moves_what_the_hub_never_takes_aside_with_its_answer) {
  hub_.answers = {{422,
                   {},
                   R"({"status":422,"code":"unknown_column","detail":"no column 'x'",)"
                   R"("errors":[{"row":2,"column":"x","code":"unknown_column","detail":"d"}]})"}};
  EXPECT_EQ(Run({file_}), kFinding);
  EXPECT_THAT(Waiting(), IsEmpty());
  EXPECT_THAT(console_.err.str(), HasSubstr("422 unknown_column: no column 'x'"));
  EXPECT_THAT(console_.err.str(), HasSubstr(file_ + ":2: x: d"));
  int batches = 0, answers = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "spool/refused")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".batch")) ++batches;
    if (name.ends_with(".answer.json")) {
      ++answers;
      EXPECT_THAT(ReadText(entry.path()), HasSubstr("unknown_column"));
    }
  }
  EXPECT_EQ(batches, 1);
  EXPECT_EQ(answers, 1);
}

TEST_F(AgentPush, keeps_an_excerpt_of_a_long_refusal) {
  hub_.answers = {{422, {}, R"({"status":422,"code":"bad"})" + std::string(100'000, ' ')}};
  EXPECT_EQ(Run({file_}), kFinding);
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "spool/refused")) {
    if (entry.path().extension() != ".json") continue;
    EXPECT_EQ(entry.file_size(), 64U * 1024);
  }
}

TEST_F(AgentPush, keeps_the_batch_where_only_the_key_is_wrong) {
  hub_.answers = {{401, {}, R"({"code":"unauthorized","detail":"no such key"})"}};
  EXPECT_EQ(Run({file_}), kFailed);
  EXPECT_THAT(Waiting(), SizeIs(1));
}

TEST_F(AgentPush, makes_a_run_once_for_all_files) {
  const auto other =
      folder_.Write("b_a8w8_blockscale_tuned_gemm.csv", kBlockscaleHeader + BlockscaleRow(32, "5"));
  options_.new_run = {"host=node7", "cu_num=304"};
  hub_.answers = {{201, {}, R"({"id":42})"}, Receipt(), Receipt()};
  EXPECT_EQ(Run({file_, other}), kGood);
  ASSERT_THAT(hub_.requests, SizeIs(3));
  EXPECT_EQ(hub_.requests[0].target, "/runs");
  const auto provenance = nlohmann::json::parse(hub_.requests[0].body);
  EXPECT_EQ(provenance["host"], "node7");
  EXPECT_EQ(provenance["cu_num"], 304);
  EXPECT_TRUE(provenance.contains("started"));
  EXPECT_EQ(hub_.requests[1].target, "/results/a8w8_blockscale?run=42");
  EXPECT_EQ(hub_.requests[2].target, "/results/a8w8_blockscale?run=42");
}

TEST_F(AgentPush, spool_only_keeps_the_run_for_whoever_sends_it) {
  options_.new_run = {"host=node7"};
  options_.spool_only = true;
  EXPECT_EQ(Run({file_}), kGood);
  EXPECT_THAT(hub_.requests, IsEmpty());
  EXPECT_EQ(console_.out.str(), "1 batches wait in the spool; `tunehub-agent push` sends them\n");
  options_ = PushOptions{};
  options_.spool = folder_ / "spool";
  hub_.answers = {{201, {}, R"({"id":"r1"})"}, Receipt()};
  EXPECT_EQ(Run({}), kGood);
  EXPECT_EQ(hub_.requests[1].target, "/results/a8w8_blockscale?run=r1");
}

TEST_F(AgentPush, exits_with_a_finding_for_rejected_rows_and_names_their_lines) {
  hub_.answers = {Receipt(R"(,"rejected_count":1,"rejected":[{"row":3,"column":"M",)"
                          R"("code":"not_an_integer","detail":"'x': expected an integer"}])")};
  EXPECT_EQ(Run({file_}), kFinding);
  EXPECT_THAT(console_.out.str(), HasSubstr(file_ + ":3: M: 'x': expected an integer"));
}

TEST_F(AgentPush, says_where_the_receipt_lists_only_some_rows) {
  hub_.answers = {Receipt(R"(,"warning_count":5207,"warnings":[{"row":2,"column":"M",)"
                          R"("code":"m_off_grid","detail":"24"}])")};
  EXPECT_EQ(Run({file_}), kGood);
  EXPECT_THAT(
      console_.out.str(),
      HasSubstr("  warning m_off_grid: 1\n    " + file_ +
                ":2: M: 24\n  (this receipt lists only the first 1 of 5207 warning rows)\n"));
}

TEST_F(AgentPush, compresses_what_is_worth_it) {
  std::string csv = kBlockscaleHeader;
  for (int m = 1; m < 200; ++m) csv += BlockscaleRow(m, "4.5");
  const auto big = folder_.Write("c_a8w8_blockscale_tuned_gemm.csv", csv);
  hub_.answers = {Receipt()};
  EXPECT_EQ(Run({big}), kGood);
  EXPECT_EQ(HeaderOf(hub_.requests[0], "Content-Encoding"), "gzip");
  EXPECT_EQ(*core::Gunzip(hub_.requests[0].body, 1u << 20), csv);
}

TEST_F(AgentPush, spools_nothing_where_one_file_is_of_no_family) {
  const auto bad = folder_.Write("unknown.csv", "a,b\n1,2\n");
  EXPECT_EQ(Run({file_, bad}), kFailed);
  EXPECT_THAT(hub_.requests, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "spool"));
}

TEST_F(AgentPush, refuses_provenance_that_a_run_does_not_have) {
  options_.new_run = {"colour=red"};
  EXPECT_EQ(Run({file_}), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("use one of host, gpu, product"));
  EXPECT_THAT(Waiting(), IsEmpty());
}

TEST_F(AgentPush, a_file_of_an_environment_describes_the_run) {
  options_.new_run = {folder_.Write("golden.json", R"({"env":"golden","triton_version":"3.4.0",)"
                                                   R"("async_copy":0,"cu_num":"256"})"),
                      "facts.HIP_ONLINE_TUNING=1"};
  options_.retry.tries = 1;
  hub_.answers = {{503, {}, ""}};
  EXPECT_EQ(Run({file_}), kFailed);
  ASSERT_FALSE(hub_.requests.empty());
  const auto run = nlohmann::json::parse(hub_.requests[0].body);
  EXPECT_EQ(run["triton"], "3.4.0");
  EXPECT_EQ(run["cu_num"], 256);
  EXPECT_EQ(run["facts"],
            nlohmann::json::parse(R"({"env":"golden","async_copy":"0","HIP_ONLINE_TUNING":"1"})"));
}

TEST_F(AgentPush, a_fact_that_is_none_is_named_with_its_file) {
  const std::string file = folder_.Write("bad.json", R"({"triton_version":["3.4.0"]})");
  const std::pair<std::string, std::string> kRefused[] = {
      {file, file + ": /triton_version: [\"3.4.0\"]: expected a text"},
      {"facts.triton_version=3.4.0", "give triton without the prefix facts."},
      {"facts.1=2", "a fact's name has only letters, digits and _"},
      {"gone.json", "'gone.json': expected NAME=VALUE or an existing file"}};
  for (const auto& [given, why] : kRefused) {
    console_.Clear();
    options_.new_run = {given};
    EXPECT_EQ(Run({file_}), kFailed);
    EXPECT_THAT(console_.err.str(), HasSubstr(why));
  }
  EXPECT_THAT(Waiting(), IsEmpty());
}

TEST_F(AgentPush, what_is_no_batch_is_named_with_its_reason_and_set_aside) {
  folder_.Write("spool/1.batch", "");
  std::filesystem::create_symlink("nowhere", folder_ / "spool/2.batch");
  EXPECT_EQ(Run({}), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("1.batch: the header line is missing; set aside"));
  EXPECT_THAT(console_.err.str(), HasSubstr("2.batch: expected a regular file; set aside"));
  EXPECT_THAT(Waiting(), IsEmpty());
  EXPECT_EQ(Run({}), kGood);
}

TEST_F(AgentPush, what_one_hub_did_not_take_is_never_sent_to_another) {
  options_.retry.tries = 1;
  options_.hub = "http://a:80";
  hub_.answers = {{503, {}, ""}};
  EXPECT_EQ(Run({file_}), kFailed);
  options_.hub = "http://b:80";
  const auto asked = hub_.requests.size();
  EXPECT_EQ(Run({}), kGood);
  EXPECT_EQ(hub_.requests.size(), asked) << "the agent sends nothing to b";
  EXPECT_THAT(console_.out.str(), HasSubstr("1 batches wait for http://a:80; `tunehub-agent push "
                                            "--from http://a:80` sends them to this hub"));
  options_.from = "HTTP://A/";
  hub_.answers = {Receipt()};
  EXPECT_EQ(Run({}), kGood);
  EXPECT_EQ(hub_.requests.size(), asked + 1);
}

TEST_F(AgentPush, a_table_that_is_pushed_again_while_it_waits_is_one_batch) {
  options_.retry.tries = 1;
  options_.hub = "http://a:80";
  hub_.answers = {{503, {}, ""}, {503, {}, ""}, Receipt()};
  EXPECT_EQ(Run({file_}), kFailed);
  EXPECT_EQ(Run({file_, file_}), kFailed);
  EXPECT_EQ(Run({}), kGood);
  ASSERT_THAT(hub_.requests, SizeIs(3));
  EXPECT_EQ(HeaderOf(hub_.requests[0], "Idempotency-Key"),
            HeaderOf(hub_.requests[2], "Idempotency-Key"));
  EXPECT_THAT(Waiting(), IsEmpty());
  hub_.answers = {Receipt()};
  EXPECT_EQ(Run({file_}), kGood);
  EXPECT_NE(HeaderOf(hub_.requests[3], "Idempotency-Key"),
            HeaderOf(hub_.requests[0], "Idempotency-Key"))
      << "a table pushed again after a revert counts";
}

TEST_F(AgentPush, the_spool_is_listed_and_a_batch_is_dropped_by_its_name) {
  options_.spool_only = true;
  options_.hub = "http://a:80";
  EXPECT_EQ(Run({file_}), kGood);
  folder_.Write("spool/README", "of somebody else");
  console_.out.str("");
  EXPECT_EQ(ListSpool(options_.spool, false, console_.console), kGood);
  EXPECT_THAT(console_.out.str(), HasSubstr("for http://a:80  a8w8_blockscale  " + file_));
  EXPECT_THAT(console_.out.str(), HasSubstr("not a batch of this agent: "));
  EXPECT_EQ(DropBatches(options_.spool, {"no such"}, console_.console), kFailed);
  const std::string id =
      Spool::Open(options_.spool, "http://a:80")->Waiting().at(0).stem().string();
  EXPECT_EQ(DropBatches(options_.spool, {id.substr(id.size() - 12)}, console_.console), kGood);
  EXPECT_THAT(Spool::Open(options_.spool)->Files(), IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(folder_ / "spool/README"));
}

TEST_F(AgentPush, APauseEndsWhereItsPolicyStops) {
  hub_.answers = {{503, {{"retry-after", "120"}}, R"({"status":503,"code":"busy"})"}};
  const auto stop = [this] { return pauses_.slept.size() == 3; };
  const auto answer = Must(SendWithRetries(hub_, {"GET", "/version", {}, ""},
                                           {.tries = 3, .stop = stop}, pauses_.pauses));
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(hub_.requests, SizeIs(1));
  EXPECT_THAT(pauses_.slept, testing::Each(std::chrono::milliseconds(50)));
}

}  // namespace
}  // namespace tunehub::agent::test
