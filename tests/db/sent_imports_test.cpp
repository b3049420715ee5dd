// Imports that a sender knows by a digest of its own: the same again is a run and a pointer, and
// nothing but that digest has travelled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/db/days.h"
#include "tests/support/registry.h"
#include "tests/support/sql.h"

namespace tunehub {
namespace {

using test::Csv;
using test::Line;
using test::QueryText;
using test::Receipt;
using test::Refusal;
using test::Registry;

const std::string kSentTable = "a8w8_blockscale_tuned_gemm.csv";
const std::string kTree = "digest of a tree";
const std::string kOwner = "kernels", kAnother = "engines";

struct Sender {
  std::string owner = store::kDefaultOwner;
  std::string source = "tree";
  std::optional<store::RunContent> about = {};
};

service::WriteRequest WriteBy(const Sender& sender) {
  service::WriteRequest write;
  write.owner = sender.owner;
  write.allow_shrink = true;
  write.digest = "request";
  return write;
}

nlohmann::json SendTree(Registry& registry, const std::vector<Line>& lines,
                        const Sender& sender = {}, const std::string& digest = kTree,
                        const std::string& report = R"({"files":3})") {
  return Receipt(registry.ingest.Import(sender.source, {{kSentTable, Csv(lines)}}, WriteBy(sender),
                                        sender.about, {digest, report}));
}

service::WriteAnswer SendAgain(Registry& registry, const Sender& sender = {},
                               const std::string& digest = kTree) {
  return registry.ingest.ImportAgain(sender.source, digest, WriteBy(sender), sender.about);
}

store::RunContent RunWithNote(const std::string& note) {
  store::RunContent run;
  run.provenance = R"({"note": ")" + note + R"("})";
  return run;
}

std::int64_t BytesWritten(const Registry& registry) {
  return std::stoll(QueryText(registry.url, "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"));
}

TEST(SentImports, the_same_again_is_a_run_with_its_own_provenance_and_a_pointer) {
  Registry registry;
  std::vector<Line> lines;
  for (int m = 1; m <= 2'000; ++m) lines.push_back({.m = m, .us = std::to_string(m + 10)});
  const auto first = SendTree(registry, lines, {.about = RunWithNote("first")});
  const std::string winners = registry.Winners();
  const std::int64_t before = BytesWritten(registry);
  auto again = Receipt(SendAgain(registry, {.about = RunWithNote("second")}));
  EXPECT_LT(BytesWritten(registry) - before, 32 * 1024);
  EXPECT_EQ(registry.Count("measurement"), 2'000);
  EXPECT_EQ(registry.Winners(), winners);
  EXPECT_EQ(again["stored"], 0);
  EXPECT_EQ(again["unchanged"], 2'000);
  EXPECT_EQ(again["files"], first["files"]);
  EXPECT_EQ(again["report"].dump(), R"({"files":3})");
  EXPECT_FALSE(first.contains("report"));
  const auto run = *registry.store.runs().Find(again["run"].get<std::int64_t>());
  EXPECT_EQ(run.provenance, R"({"note": "second"})");
  EXPECT_EQ(run.rows, 2'000);
  EXPECT_EQ(run.stored, 0);
  EXPECT_EQ(run.repeats, first["run"].get<std::int64_t>());
  EXPECT_TRUE(run.active);
  // The third follows the second, and its report was kept once.
  again = Receipt(SendAgain(registry));
  EXPECT_EQ(again["report"].dump(), R"({"files":3})");
  EXPECT_EQ(registry.Count("sent_report"), 1);
  EXPECT_EQ(registry.Count("run"), 3);
  // The whole of it again, as from who does not ask: the same rows, known as before.
  EXPECT_EQ(SendTree(registry, lines)["unchanged"], 2'000);
  EXPECT_EQ(Receipt(SendAgain(registry))["unchanged"], 2'000);
}

TEST(SentImports, what_may_be_another_import_is_not_known) {
  Registry registry;
  const Sender owner{.owner = kOwner};
  const std::string unknown = "unknown_content";
  EXPECT_EQ(Refusal(SendAgain(registry, owner)), unknown) << "nothing was imported";
  SendTree(registry, {{}}, owner);
  EXPECT_EQ(Refusal(SendAgain(registry, owner, "another tree")), unknown);
  EXPECT_EQ(Refusal(SendAgain(registry, {.owner = kAnother})), unknown)
      << "one owner's word for another's files";
  EXPECT_EQ(Refusal(SendAgain(registry, {.owner = kOwner, .source = "wood"})), unknown);
  store::RunContent strict = RunWithNote("");
  strict.error_limit = 0.01;
  EXPECT_EQ(Refusal(SendAgain(registry, {.owner = kOwner, .about = strict})), unknown)
      << "other rows may count";
  EXPECT_EQ(registry.Count("run"), 1);
  // Another import of the source in between, also one that was taken back.
  const auto other = SendTree(registry, {{.us = "12"}}, owner, "another tree");
  EXPECT_EQ(Refusal(SendAgain(registry, owner)), unknown);
  ASSERT_TRUE(
      registry.store.batches().Revert(other["run"].get<std::int64_t>(), WriteBy(owner)).ok());
  EXPECT_EQ(Refusal(SendAgain(registry, owner)), unknown);
  EXPECT_EQ(Refusal(SendAgain(registry, owner, "another tree")), unknown);
  EXPECT_EQ(registry.Count("run"), 2);
}

// A digest may leave out what makes the rows others, as the version of the sender's own reader.
TEST(SentImports, bytes_that_came_are_not_taken_for_others_by_their_senders_word) {
  Registry registry;
  SendTree(registry, {{.us = "10.0"}});
  const auto other = SendTree(registry, {{.us = "9.0"}, {.m = 32}}, {}, kTree, R"({"files":4})");
  EXPECT_EQ(other["stored"], 2);
  EXPECT_EQ(other["changed"], 2);
  EXPECT_EQ(registry.Winners(), "16 a 9.0 only_candidate\n32 a 10.0 only_candidate");
  EXPECT_EQ(SendTree(registry, {{.us = "9.0"}, {.m = 32}})["unchanged"], 2);
}

TEST(SentImports, a_repeated_question_gets_the_first_receipt_whatever_came_between) {
  Registry registry;
  SendTree(registry, {{}});
  auto asked = WriteBy({});
  asked.idempotency_key = "once";
  const auto ask = [&] { return registry.ingest.ImportAgain("tree", kTree, asked, {}); };
  const auto first = Receipt(ask());
  SendTree(registry, {{.us = "9.0"}}, {}, "another tree");
  const auto repeated = ask();
  EXPECT_TRUE(repeated.replayed);
  EXPECT_EQ(Receipt(repeated)["run"], first["run"]);
  EXPECT_EQ(registry.Winners(), "16 a 9.0 only_candidate");
  asked.digest = "another request";
  EXPECT_EQ(Refusal(ask()), "idempotency_key_reused");
  asked.idempotency_key = "another";
  EXPECT_EQ(Refusal(ask()), "unknown_content");
  EXPECT_EQ(Refusal(ask()), "unknown_content") << "a refusal does not use the key up";
}

// Every tree that was ever imported had left its findings.
TEST(SentImports, a_report_is_kept_of_the_latest_import_of_each_source_and_for_a_day) {
  Registry registry;
  const auto said = [&](const Sender& sender, const std::string& digest) {
    return Receipt(SendAgain(registry, sender, digest)).value("report", nlohmann::json()).dump();
  };
  const Sender wood{.source = "wood"};
  SendTree(registry, {{}}, wood);  // the same tree under two names
  SendTree(registry, {{}});
  SendTree(registry, {{.us = "9"}}, {}, "second", R"({"files":4})");
  SendTree(registry, {{.us = "7"}}, {}, "late", R"({"files":6})");
  EXPECT_EQ(registry.Count("sent_report"), 3);
  // Days later.
  const auto rest = [&] {
    test::Execute(registry.url, "UPDATE run SET received = received - interval '25 hours'");
  };
  rest();
  SendTree(registry, {{.us = "9"}}, {}, "second", R"({"files":4})");
  EXPECT_EQ(registry.Count("sent_report"), 2);
  EXPECT_EQ(said({}, "second"), R"({"files":4})");
  EXPECT_EQ(said(wood, kTree), R"({"files":3})");
  rest();
  SendTree(registry, {{.us = "8"}}, wood, "third", R"({"files":5})");
  EXPECT_EQ(registry.Count("sent_report"), 2);
  EXPECT_EQ(said(wood, "third"), R"({"files":5})");
  // The first again: it is the latest now.
  rest();
  SendTree(registry, {{}});
  EXPECT_EQ(registry.Count("sent_report"), 2);
  EXPECT_EQ(said({}, kTree), R"({"files":3})");
}

TEST(SentImports, another_family_file_reads_the_files_again) {
  Registry registry;
  SendTree(registry, {{}, {.m = 32, .error = "0.3"}});
  Registry upgraded(registry.url, test::FamiliesWith("a8w8_blockscale", [](auto& json) {
                      json["error_limit"] = 0.5;
                    }));
  EXPECT_EQ(Refusal(SendAgain(upgraded)), "unknown_content");
  SendTree(upgraded, {{}, {.m = 32, .error = "0.3"}});
  EXPECT_EQ(Receipt(SendAgain(upgraded))["unchanged"], 2);
}

TEST(SentImports, what_withdrew_or_was_refused_is_sent_again) {
  Registry registry;
  registry.Send(Csv({{}}), {.run = registry.NewRun(kDay1)});
  EXPECT_EQ(SendTree(registry, {{.error = "0.9"}})["withdrawn_count"], 1);
  EXPECT_EQ(Refusal(SendAgain(registry)), "unknown_content");
  Receipt(registry.ingest.Import("torn", {{kSentTable, Csv({{}})}, {"a8w8_tuned_gemm.csv", "x"}},
                                 WriteBy({}), {}, {kTree, ""}));
  EXPECT_EQ(Refusal(SendAgain(registry, {.source = "torn"})), "unknown_content");
  EXPECT_EQ(registry.Count("sent_report"), 0);
}

// Declared rows of vLLM: the latest import's is served.
std::string DeclaredTable(const std::string& config) {
  return "engine,device,triton,E,N,dtype,M,config,us\n"
         "vllm,Toy,,8,64,,16,\"{\"\"x\"\":" +
         config + "}\",\n";
}

// By its digest or by its files: what is served does not differ, also where another source came
// between.
TEST(SentImports, the_order_is_that_of_an_import_that_was_sent) {
  const auto send = [](Registry& registry, const std::string& source, const std::string& config) {
    return Receipt(registry.ingest.Import(source, {{"triton_fused_moe.csv", DeclaredTable(config)}},
                                          WriteBy({}), {}, {kTree + config, ""}));
  };
  std::string served[2];
  for (const bool by_digest : {false, true}) {
    Registry registry;
    send(registry, "tree", "1");
    EXPECT_EQ(send(registry, "wood", "2")["changed"], 1);
    const auto again =
        by_digest ? Receipt(SendAgain(registry, {}, kTree + "1")) : send(registry, "tree", "1");
    EXPECT_EQ(again["unchanged"], 1);
    EXPECT_FALSE(again.contains("report"));
    served[by_digest] = registry.Table("", "triton_fused_moe") + "|" +
                        registry.Table("source=tree", "triton_fused_moe");
    EXPECT_THAT(served[by_digest], testing::HasSubstr(R"("x"":1)")) << "its own source's";
  }
  EXPECT_EQ(served[1], served[0]);
}

}  // namespace
}  // namespace tunehub
