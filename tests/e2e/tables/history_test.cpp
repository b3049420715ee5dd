// The routes that do not serve tables: index, families, targets, runs, revisions, bundle.
#include "core/base/encoding.h"
#include "core/base/hash.h"
#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

class HistoryTest : public HubTest {
 protected:
  static void SetUpTestSuite() {
    HubTest::SetUpTestSuite();
    for (int m = 1; m <= 5; ++m) {
      Good(Submitter().Post(kResults, kHeader + Row(m, "6.0")));
    }
  }
  // The items of the list `name` on all pages. Link: rel=next names the next page.
  static std::vector<nlohmann::json> Pages(std::string target, const std::string& name) {
    std::vector<nlohmann::json> items;
    while (!target.empty()) {
      const RawAnswer page = Open().Get(target);
      EXPECT_EQ(Verdict(page), "200") << target;
      const auto json = JsonOf(page);
      for (const auto& item : json.at(name)) items.push_back(item);
      const std::string link = page.Header("link");
      target = page.NextPage();
      EXPECT_TRUE(link.empty() || link.ends_with(">; rel=\"next\"")) << link;
    }
    return items;
  }
};

TEST_F(HistoryTest, revisions_page_from_the_newest_without_a_gap) {
  const auto all = Pages("/revisions?limit=2", "revisions");
  ASSERT_EQ(all.size(), 5U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].at("revision"), all.size() - i);
    EXPECT_EQ(all[i].at("kind"), "results");
    EXPECT_EQ(all[i].at("cause"), "results a8w8_blockscale");
    EXPECT_EQ(all[i].at("families")[0].at("family"), "a8w8_blockscale");
    EXPECT_EQ(all[i].at("families")[0].at("changed"), 1);
  }
}

TEST_F(HistoryTest, runs_page_from_the_newest_and_name_their_batches) {
  const auto all = Pages("/runs?limit=2", "runs");
  ASSERT_GE(all.size(), 5U);
  const RawAnswer one = Open().Get("/runs/" + all.back().at("id").dump());
  const auto receipt = JsonOf(one).at("batches")[0].at("receipt");
  EXPECT_EQ(receipt.at("revision"), 1);
  EXPECT_EQ(receipt.at("accepted"), 1);
}

TEST_F(HistoryTest, a_run_of_known_provenance_is_made_once_and_takes_results) {
  const std::string body =
      R"({"started":"2026-01-31T12:00:00Z","finished":"2026-01-31T13:00:00+01:00",)"
      R"("host":"node1","gfx":"gfx942"})";
  const RawAnswer made = Good(Submitter().Post("/runs", body), 201);
  EXPECT_EQ(made.Header("location"), "/runs/" + JsonOf(made).at("id").dump());
  const RawAnswer again = Submitter().Post("/runs", body);
  EXPECT_EQ(Verdict(again), "200");
  EXPECT_EQ(JsonOf(again).at("id"), JsonOf(made).at("id"));
  const std::string target = kResults + "?run=" + JsonOf(made).at("id").dump();
  EXPECT_EQ(JsonOf(Submitter().Post(target, kHeader + Row(50, "90.0"))).at("stored"), 1);
  EXPECT_EQ(JsonOf(Submitter().Post(target, kHeader + Row(50, "90.0"))).at("unchanged"), 1);
  const auto other = JsonOf(Submitter().Post(target, kHeader + Row(50, "91.0")));
  EXPECT_EQ(other.at("rejected")[0].at("code"), "already_measured");
  EXPECT_EQ(Open().Get(kTable + "&M=50").body, kHeader + Row(50, "90.0"));
  for (const char* wrong :
       {"", "{", "[]", R"({"started":"yesterday"})", R"({"colour":"red"})", R"({"provider":"amd"})",
        R"({"host":"a\u0000b"})", R"({"arguments":[[["-x"]]]})", R"({"gpu":{"name":"x"}})",
        R"({"started":"2026-01-31T12:00:00Z","finished":"2026-01-31T12:59:59+01:00"})"}) {
    EXPECT_EQ(Submitter().Post("/runs", wrong).status, 422) << wrong;
  }
}

TEST_F(HistoryTest, the_index_counts_the_families_and_targets_that_have_rows) {
  const auto index = JsonOf(Open().Get("/tuned"));
  EXPECT_EQ(index.at("families").size(), ShippedFamilies().all().size());
  const auto families = JsonOf(Open().Get("/families")).at("families");
  EXPECT_EQ(families.size(), ShippedFamilies().all().size());
  const auto targets = JsonOf(Open().Get("/targets")).at("targets");
  ASSERT_EQ(targets.size(), 1U);
  EXPECT_EQ(targets[0].at("gfx"), "gfx942");
  EXPECT_EQ(targets[0].at("cu_num"), 80);
}

TEST_F(HistoryTest, a_bundle_is_laid_out_as_aiters_tree_and_checks_itself) {
  const RawAnswer answer = Good(Open().Get("/bundle?gfx=gfx942&revision=3"));
  EXPECT_EQ(answer.Header("tunehub-revision"), "3");
  const auto sha256 = core::Sha256(answer.body);
  const std::string digest(sha256.begin(), sha256.end());
  EXPECT_EQ(answer.Header("repr-digest"), "sha-256=:" + core::Base64(digest) + ":");
  EXPECT_EQ(Open()
                .Get("/bundle?gfx=gfx942&revision=3", {{"If-None-Match", answer.Header("etag")}})
                .status,
            304);
  Write("b.tar.gz", answer.body);
  const std::string folder = dir_.path().string(),
                    show = "cat \"$AITER_CONFIG_GEMM_A8W8_BLOCKSCALE\"";
  const auto run = [&](const char* shell, const std::string& commands) {
    const Finished done = RunToEnd({shell, {"-c", "set -eu; " + commands}});
    return done.status == 0 ? done.out : done.err;
  };
  const std::string table = kHeader + Row(1, "6.0") + Row(2, "6.0") + Row(3, "6.0");
  const std::string unpack =
      "cd " + folder + "; tar xzf b.tar.gz; sha256sum -c --quiet SHA256SUMS; ";
  // Only bash tells a sourced file its folder.
  EXPECT_EQ(run("/bin/sh", unpack + ". ./env.sh; cd /; " + show), table);
  EXPECT_EQ(run("/bin/bash", "cd /; . " + folder + "/env.sh; " + show), table);
  EXPECT_EQ(run("/bin/sh", "cd /; TUNEHUB_BUNDLE=" + folder + "; . " + folder + "/env.sh; " + show),
            table);
  EXPECT_THAT(run("/bin/sh", "cd /; . " + folder + "/env.sh"), HasSubstr("set TUNEHUB_BUNDLE to"));
}

}  // namespace
}  // namespace tunehub::test
