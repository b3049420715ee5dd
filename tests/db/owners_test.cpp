// Rights of owners over runs and sources, and the limit on rows that an import may withdraw.
#include <gmock/gmock.h>

#include <thread>

#include "server/ingest/revert_store.h"
#include "server/keys/keys.h"
#include "tests/support/registry.h"
#include "tests/support/result.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using testing::HasSubstr;
using Owners = RegistryTest;
using KeyLimits = RegistryTest;

server::Writer By(const std::string& owner, std::int64_t key = 1, bool admin = false) {
  return {.api_key = key, .owner = owner, .admin = admin};
}

using Names = std::vector<std::string>;

server::KeyLimits Only(const Names& families, const Names& targets, const Names& sources) {
  return {families, targets, sources};
}

server::Writer Limited(const server::KeyLimits& limits) {
  server::Writer writer = By("kernels");
  writer.limits = std::make_shared<const server::KeyLimits>(limits);
  return writer;
}

server::WriteAnswer ImportBy(Registry& registry, const server::Writer& by,
                             const std::vector<Line>& lines, Post post = {}) {
  post.by = by;
  return registry.Import("tree", {{kTreeFile, Csv(lines)}}, post);
}

std::vector<Line> Shapes(int from, int to) {
  std::vector<Line> lines;
  for (int m = from; m <= to; ++m) lines.push_back({.m = m});
  return lines;
}

TEST_F(Owners, a_source_is_its_first_importers_until_an_admin_imports_it) {
  Receipt(ImportBy(registry, By("kernels"), {{}}));
  const std::string winners = registry.Winners();
  const auto refused = ImportBy(registry, By("engines", 2), {{.us = "5"}});
  ASSERT_EQ(Refusal(refused), "not_owner");
  EXPECT_EQ(refused.refusal->error.detail,
            "source 'tree' belongs to 'kernels', but the key acts for 'engines'. Only keys of the "
            "same owner, or of scope admin, may change it");
  EXPECT_EQ(Refusal(ImportBy(registry, By("engines", 2), {{}})), "not_owner") << "the same rows";
  EXPECT_EQ(registry.Winners(), winners);
  EXPECT_EQ(registry.Count("run"), 1);
  EXPECT_EQ(registry.Count("batch"), 1);
  Receipt(ImportBy(registry, By("operators", 3, true), {{.us = "5"}}));
  EXPECT_EQ(Refusal(ImportBy(registry, By("kernels", 5), {{.us = "4"}})), "not_owner");
  EXPECT_EQ(registry.Winners(), "16 a 5 only_candidate");
  // Another owner may have a source under another name, even with the same rows.
  Post post;
  post.by = By("engines", 2);
  Receipt(registry.Import("wood", {{kTreeFile, Csv({{.us = "4"}})}}, post));
}

TEST(OwnersRace, of_two_owners_that_import_a_new_source_at_once_one_has_it) {
  for (int round = 0; round < 3; ++round) {
    Registry registry;
    const std::vector<std::string> owners = {"kernels", "engines"};
    std::vector<std::string> refusals(owners.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < owners.size(); ++i) {
      threads.emplace_back([&, i] {
        refusals[i] = Refusal(ImportBy(registry, By(owners[i]), {{.us = std::to_string(i + 5)}}));
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::sort(refusals.begin(), refusals.end());
    EXPECT_EQ(refusals, (std::vector<std::string>{"", "not_owner"}));
    EXPECT_EQ(registry.Count("run"), 1);
    EXPECT_EQ(QueryText(registry.url, "SELECT s.owner = r.owner FROM source s JOIN run r ON true"),
              "t");
  }
}

TEST_F(Owners, an_admins_import_is_not_taken_back_by_who_had_the_source_before) {
  Receipt(ImportBy(registry, By("kernels"), {{.us = "9"}}));
  const auto run = Receipt(ImportBy(registry, By("operators", 2, true), {{.us = "5"}}))["run"];
  EXPECT_EQ(server::RevertRun(registry.pool, run, By("kernels")).error().code, "not_owner");
  EXPECT_TRUE(server::RevertRun(registry.pool, run, By("operators")).ok());
}

// A host may take over a spool with another key of the owner, and repeat an answered batch.
TEST_F(Owners, an_idempotency_key_is_known_by_every_key_of_its_owner_and_by_no_other) {
  const auto send = [&](const server::Writer& by) {
    return registry.Send(Csv({{}}), {.idempotency_key = "k", .by = by});
  };
  const auto first = send(By("kernels", 1));
  EXPECT_EQ(send(By("kernels", 2)).receipt, first.receipt);
  EXPECT_EQ(registry.Count("batch"), 1);
  EXPECT_FALSE(send(By("engines", 3)).replayed);
  EXPECT_EQ(registry.Count("batch"), 2);
}

TEST_F(Owners, an_import_that_withdraws_more_than_a_tenth_says_what_would_go) {
  Receipt(ImportBy(registry, By("kernels"), Shapes(1, 30)));
  const std::string winners = registry.Winners();
  const Post careful{.idempotency_key = "k", .allow_shrink = false};
  const auto refused = ImportBy(registry, By("kernels"), Shapes(5, 30), careful);
  ASSERT_EQ(Refusal(refused), "would_shrink");
  EXPECT_THAT(
      refused.refusal->error.detail,
      HasSubstr("source 'tree' has 30 shape keys and would lose 4 of them, more than a tenth"));
  EXPECT_EQ(registry.Winners(), winners);
  EXPECT_EQ(registry.Count("batch"), 1);
  // The hub refuses a dry run, too. The idempotency key stays unused.
  EXPECT_EQ(Refusal(ImportBy(registry, By("kernels"), Shapes(5, 30),
                             {.dry_run = true, .allow_shrink = false})),
            "would_shrink");
  Receipt(ImportBy(registry, By("kernels"), Shapes(4, 30), careful));
  // A repeated import gets its first receipt. The hub does not judge it again.
  Receipt(ImportBy(registry, By("kernels"), Shapes(4, 40)));
  EXPECT_TRUE(ImportBy(registry, By("kernels"), Shapes(4, 30), careful).replayed);
}

TEST_F(Owners, what_goes_is_counted_by_keys_that_nothing_is_left_of) {
  const Post careful{.allow_shrink = false};
  const auto import = [&](const std::vector<Line>& lines) {
    return Refusal(ImportBy(registry, By("kernels"), lines, careful));
  };
  EXPECT_EQ(import(Shapes(1, 10)), "");
  auto retuned = Shapes(1, 10);
  for (Line& line : retuned) line.us = "3", line.kernel = "b";
  EXPECT_EQ(import(retuned), "") << "other rows of the same keys";
  EXPECT_EQ(import(Shapes(2, 12)), "") << "a tenth of the keys disappears";
  EXPECT_EQ(import(Shapes(4, 40)), "would_shrink") << "two of eleven keys disappear";
  auto wrong = Shapes(2, 12);
  for (Line& line : wrong) line.error = "0.9";
  EXPECT_EQ(import(wrong), "would_shrink") << "the hub could serve none of these rows";
  // The hub compares with the import in force, not with the reverted one.
  const auto more = Receipt(ImportBy(registry, By("kernels"), Shapes(2, 60)));
  ASSERT_TRUE(server::RevertRun(registry.pool, more["run"], By("kernels"), false, true).ok());
  EXPECT_EQ(import(Shapes(2, 11)), "");
  EXPECT_EQ(import(Shapes(1, 1)), "would_shrink");
  EXPECT_EQ(Refusal(ImportBy(registry, By("kernels"), Shapes(1, 1))), "");
  EXPECT_EQ(registry.Winners(), "1 a 10.0 nothing_measured");
}

TEST_F(Owners, twenty_of_the_keys_that_would_go_are_named_in_the_order_of_the_table) {
  Receipt(ImportBy(registry, By("kernels"), Shapes(1, 60)));
  const auto refused = ImportBy(registry, By("kernels"), Shapes(50, 60), {.allow_shrink = false});
  ASSERT_EQ(Refusal(refused), "would_shrink");
  const auto members = nlohmann::json::parse("{" + refused.refusal->members + "}");
  EXPECT_EQ(members.at("going"), 49);
  ASSERT_EQ(members.at("keys").size(), 20u);
  EXPECT_EQ(members.at("keys")[19], "a8w8_blockscale gfx942:304 M=20, N=1536, K=7168");
}

TEST_F(KeyLimits, rows_beyond_them_are_refused_before_one_is_written) {
  const auto send = [&](const server::KeyLimits& limits, const Line& line) {
    const auto answer = registry.Send(Csv({{}, line}), {.by = Limited(limits)});
    return answer.refusal ? answer.refusal->error.code + ": " + answer.refusal->error.detail : "";
  };
  EXPECT_EQ(send(Only({"a8w8", "fmoe"}, {}, {}), {.m = 32}),
            "key_limited: families: the key may write only for a8w8, fmoe, but this request is for "
            "a8w8_blockscale");
  EXPECT_EQ(send(Only({}, {"gfx942:304"}, {}), {.m = 32, .cu_num = 80}),
            "key_limited: targets: the key may write only for gfx942:304, but this request is for "
            "gfx942:80");
  EXPECT_EQ(send(Only({}, {"gfx942"}, {}), {.m = 32, .gfx = "gfx950", .cu_num = 256}),
            "key_limited: targets: the key may write only for gfx942, but this request is for "
            "gfx950:256");
  EXPECT_EQ(send(Only({}, {}, {"tree"}), {.m = 32}),
            "key_limited: sources: the key may write only for tree, but this request is for rows "
            "that have no source");
  EXPECT_EQ(registry.Count("batch"), 0);
  EXPECT_EQ(registry.Count("run"), 0);
  EXPECT_EQ(send(Only({"a8w8_blockscale"}, {"gfx950", "gfx942"}, {}), {.m = 32, .cu_num = 80}), "");
  EXPECT_EQ(registry.Count("measurement"), 2);
}

TEST_F(KeyLimits, an_import_is_judged_by_its_source_its_rows_and_what_it_withdraws) {
  const Line mi300a{.m = 16, .cu_num = 228};
  Receipt(ImportBy(registry, By("kernels"), {{}, mi300a}));
  const auto import = [&](const server::KeyLimits& limits, const std::vector<Line>& lines) {
    return Refusal(ImportBy(registry, Limited(limits), lines));
  };
  EXPECT_EQ(import(Only({}, {}, {"wood"}), {{}, mi300a}), "key_limited");
  EXPECT_EQ(import(Only({}, {"gfx942:304"}, {}), {{}, mi300a}), "key_limited")
      << "the hub does not read a repeated import's rows, but still applies the limits";
  EXPECT_EQ(import(Only({}, {"gfx942:304"}, {}), {{.us = "5"}}), "key_limited")
      << "the import would withdraw a row of another target";
  EXPECT_EQ(registry.Count("run"), 1);
  EXPECT_EQ(import(Only({}, {"gfx942"}, {"tree"}), {{.us = "5"}}), "");
  EXPECT_EQ(registry.Winners(), "16 a 5 only_candidate");
}

// A wrong row excludes its candidate. Without that row, another source's row would win again.
TEST_F(KeyLimits, an_import_withdraws_no_wrong_row_beyond_them) {
  const Line mi300a{.m = 16, .cu_num = 228};
  Receipt(registry.Send(Csv({mi300a}), {.by = By("kernels")}));
  Line wrong = mi300a;
  wrong.error = "0.9";
  Receipt(ImportBy(registry, By("kernels"), {{}, wrong}));
  const std::string winners = registry.Winners();
  EXPECT_EQ(winners, "16 a 10.0 nothing_measured");
  EXPECT_EQ(Refusal(ImportBy(registry, Limited(Only({}, {"gfx942:304"}, {})), {{.us = "5"}})),
            "key_limited");
  EXPECT_EQ(registry.Winners(), winners);
  EXPECT_EQ(Refusal(ImportBy(registry, Limited(Only({}, {"gfx942"}, {})), {{.us = "5"}})), "");
  EXPECT_THAT(registry.Winners(), HasSubstr("228"));
}

TEST_F(KeyLimits, a_run_is_reverted_within_them) {
  const auto run = Receipt(registry.Send(Csv({{}, {.cu_num = 80}}), {.by = By("kernels")}))["run"];
  for (const server::KeyLimits& limits :
       {Only({"a8w8"}, {}, {}), Only({}, {"gfx942:304"}, {}), Only({}, {}, {"tree"})}) {
    EXPECT_EQ(server::RevertRun(registry.pool, run, Limited(limits)).error().code, "key_limited");
  }
  EXPECT_TRUE(server::RevertRun(registry.pool, run, Limited(Only({}, {"gfx942"}, {}))).ok());
}

// The second import has only rows with 304 CUs. Its revert would restore the first import's rows
// with 80 CUs.
TEST_F(KeyLimits, a_revert_brings_nothing_back_beyond_them) {
  Receipt(ImportBy(registry, By("kernels"), {{}, {.cu_num = 80}}));
  const auto second = Receipt(ImportBy(registry, By("kernels"), {{.us = "5"}}))["run"];
  EXPECT_EQ(
      ErrorCode(server::RevertRun(registry.pool, second, Limited(Only({}, {"gfx942:304"}, {})))),
      "key_limited");
  EXPECT_EQ(registry.Winners(), "16 a 5 nothing_measured");
  EXPECT_TRUE(server::RevertRun(registry.pool, second, Limited(Only({}, {"gfx942"}, {}))).ok());
}

}  // namespace
}  // namespace tunehub::test
