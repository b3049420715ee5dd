// tunehub-agent pull: conditional requests, atomic writes, and equal bytes by a lock file.
#include <fstream>
#include <nlohmann/json.hpp>

#include "agent/hub/lock_file.h"
#include "core/base/hash.h"
#include "tests/support/result.h"
#include "tests/unit/agent/transfer/pull_support.h"

namespace tunehub::agent::test {
namespace {

using testing::SizeIs;

const std::string kToken7 = "0f3a5c2e9b7d4186a1c0e8f2d4b69753",
                  kToken9 = "f0c5a3e1d7b9426881c3a0e8f2d4b697";

Answer Csv(const std::string& body, const std::string& revision, const std::string& etag = "\"e\"",
           const std::string& token = kToken7) {
  return {200,
          {{"content-type", "text/csv; charset=utf-8"},
           {"etag", etag},
           {"tunehub-pin", revision + "-" + token}},
          body};
}

class AgentPull : public PullTest {
 protected:
  AgentPull() {
    options_.family = "fmoe";
    options_.gfx = "gfx942";
    options_.output = folder_ / "out.csv";
  }
  std::string Output() const { return ReadText(options_.output); }
  void PullWithLock() {
    options_.lock = folder_ / "tunehub.lock";
    hub_.answers = {Csv("h\n1\n", "7"), Csv("h\n1\n", "7")};
    EXPECT_EQ(Run(), kGood) << console_.err.str();
  }
};

TEST_F(AgentPull, writes_what_the_hub_serves) {
  options_.query = {"q_dtype_w=torch.int8", "gpu=a b;c"};
  hub_.answers = {Csv("h\n1\n2\n", "7")};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(hub_.requests[0].target, "/tuned/fmoe?gfx=gfx942&gpu=a%20b%3Bc&q_dtype_w=torch.int8");
  EXPECT_EQ(Output(), "h\n1\n2\n");
  EXPECT_EQ(console_.out.str(), options_.output + ": 2 rows of fmoe, revision 7\n");
}

TEST_F(AgentPull, asks_with_the_etag_and_keeps_the_file_where_nothing_changed) {
  hub_.answers = {Csv("h\n1\n", "7", "\"abc\""), {304, {{"tunehub-pin", "8-" + kToken7}}, ""}};
  EXPECT_EQ(Run(), kGood);
  EXPECT_EQ(Run(), kGood);
  EXPECT_EQ(HeaderOf(hub_.requests[0], "If-None-Match"), "");
  EXPECT_EQ(HeaderOf(hub_.requests[1], "If-None-Match"), "\"abc\"");
  EXPECT_EQ(Output(), "h\n1\n");
  EXPECT_THAT(console_.out.str(), HasSubstr("unchanged"));
}

TEST_F(AgentPull, fetches_again_where_the_file_or_the_request_is_another) {
  hub_.answers = {Csv("h\n1\n", "7"), Csv("h\n1\n", "7"), Csv("h\n2\n", "7")};
  EXPECT_EQ(Run(), kGood);
  std::ofstream(options_.output) << "edited";
  EXPECT_EQ(Run(), kGood);
  EXPECT_EQ(HeaderOf(hub_.requests[1], "If-None-Match"), "");
  EXPECT_EQ(Output(), "h\n1\n");
  options_.gfx = "gfx950";
  EXPECT_EQ(Run(), kGood);
  EXPECT_EQ(HeaderOf(hub_.requests[2], "If-None-Match"), "");
}

TEST_F(AgentPull, keeps_the_file_where_the_hub_has_no_rows_or_answers_a_page) {
  folder_.Write("out.csv", "as it was");
  hub_.answers = {{404, {}, R"({"status":404,"code":"no_rows","detail":"no rows for gfx1"})"},
                  {200, {{"content-type", "text/html"}}, "<html>log in</html>"},
                  {200, {{"content-type", "text/plain"}}, "maintenance"}};
  options_.retry.tries = 1;
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("404 no_rows: no rows for gfx1"));
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("something between this agent and the hub"));
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("expected text/csv"));
  EXPECT_EQ(Output(), "as it was");
}

TEST_F(AgentPull, says_which_targets_have_no_rows) {
  Answer answer = Csv("h\n1\n", "7");
  answer.headers["tunehub-missing-targets"] = "gfx950:256";
  hub_.answers = {answer};
  EXPECT_EQ(Run(), kGood);
  EXPECT_THAT(console_.err.str(), HasSubstr("no rows for gfx950:256"));
}

TEST_F(AgentPull, the_first_pull_with_a_lock_pins_what_the_revision_gives) {
  PullWithLock();
  EXPECT_EQ(hub_.requests[1].target, "/tuned/fmoe?gfx=gfx942&revision=7-" + kToken7);
  const auto lock = nlohmann::json::parse(ReadText(options_.lock));
  EXPECT_EQ(lock["hub"], "http://hub:8080");
  EXPECT_EQ(lock["tables"], nlohmann::json::array({{{"family", "fmoe"},
                                                    {"query", "gfx=gfx942"},
                                                    {"revision", 7},
                                                    {"token", kToken7},
                                                    {"sha256", core::Sha256Hex("h\n1\n")},
                                                    {"file", options_.output}}}));
}

TEST_F(AgentPull, what_another_pull_pins_meanwhile_stays_pinned) {
  options_.lock = folder_ / "tunehub.lock";
  LockFile other;
  other.tables = {{"a8w8", "", "gfx=gfx942", {7, kToken7}, "abc", "a8w8.csv"}};
  hub_.answers = {Csv("h\n1\n", "7"), Csv("h\n1\n", "7")};
  hub_.on_request = [&](const Request&) { ASSERT_TRUE(other.Save(options_.lock).ok()); };
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  const auto lock = LockFile::Load(options_.lock);
  ASSERT_EQ(lock->tables.size(), 2U);
  EXPECT_EQ(lock->tables[0].family, "a8w8");
  EXPECT_EQ(lock->tables[1].family, "fmoe");
}

TEST_F(AgentPull, a_later_pull_asks_for_the_pinned_revision_and_refuses_other_bytes) {
  PullWithLock();
  const std::string lock = ReadText(options_.lock);
  std::filesystem::remove(options_.output);
  hub_.answers = {Csv("h\n1\n", "9")};
  EXPECT_EQ(Run(), kGood);
  EXPECT_EQ(hub_.requests[2].target, "/tuned/fmoe?gfx=gfx942&revision=7-" + kToken7);
  EXPECT_EQ(Output(), "h\n1\n");
  EXPECT_THAT(console_.err.str(), testing::EndsWith("signs no answers\n"));

  std::filesystem::remove(options_.output);
  hub_.answers = {Csv("h\nforged\n", "7")};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("lock_mismatch"));
  EXPECT_FALSE(std::filesystem::exists(options_.output));
  EXPECT_EQ(ReadText(options_.lock), lock);
}

TEST_F(AgentPull, a_pin_that_is_gone_is_not_replaced_by_itself) {
  PullWithLock();
  const std::string lock = ReadText(options_.lock);
  hub_.answers = {{410, {}, R"({"status":410,"code":"revision_gone","detail":"7 is no more"})"}};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("410 revision_gone: 7 is no more. " + options_.lock +
                                            " pins it; --update-lock pins the newest"));
  EXPECT_EQ(ReadText(options_.lock), lock);
  options_.update_lock = true;
  hub_.answers = {Csv("h\n2\n", "7", "\"e\"", kToken9), Csv("h\n2\n", "7", "\"e\"", kToken9)};
  EXPECT_EQ(Run(), kGood);
  EXPECT_EQ(LockFile::Load(options_.lock)->tables[0].revision, (core::Pin{7, kToken9}));
}

TEST_F(AgentPull, a_revision_that_an_export_lacks_is_said_to_be_pinned) {
  PullWithLock();
  hub_.answers = {{404, {}, R"({"status":404,"code":"unknown_revision","detail":"no 7"})"}};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("--update-lock pins the newest"));
}

TEST_F(AgentPull, a_revision_is_a_whole_number_that_fits) {
  options_.lock = folder_ / "tunehub.lock";
  for (const char* number : {"1.7", "18446744073709551615", "-1", "\"7\"", "1e3"}) {
    folder_.Write("tunehub.lock",
                  R"({"hub":"h","tables":[{"family":"fmoe","query":"gfx=gfx942","revision":)" +
                      std::string(number) + R"(,"token":")" + kToken7 +
                      R"(","sha256":"a","file":"b"}]})");
    EXPECT_EQ(Run(), kFailed) << number;
    EXPECT_THAT(console_.err.str(), HasSubstr("bad_lock")) << number;
  }
}

TEST_F(AgentPull, a_lock_without_a_token_is_refused) {
  for (const std::string token :
       {R"(,"token":"xyz")", R"(,"token":7)", R"(,"token":"\n")", R"(,"token":"")", ""}) {
    options_.lock = folder_.Write(
        "tunehub.lock", R"({"tables":[{"family":"fmoe","query":"gfx=gfx942","revision":7)" + token +
                            R"(,"sha256":"","file":"a"}]})");
    EXPECT_EQ(Run(), kFailed);
    EXPECT_THAT(console_.err.str(), HasSubstr("bad_lock"));
  }
  EXPECT_THAT(hub_.requests, testing::IsEmpty());
}

TEST_F(AgentPull, update_lock_moves_on) {
  PullWithLock();
  options_.update_lock = true;
  hub_.answers = {Csv("h\n2\n", "9", "\"n\""), Csv("h\n2\n", "9", "\"n\"")};
  EXPECT_EQ(Run(), kGood);
  const auto lock = Must(LockFile::Load(options_.lock));
  ASSERT_THAT(lock.tables, SizeIs(1));
  EXPECT_EQ(lock.tables[0].revision.number, 9);
  EXPECT_EQ(Output(), "h\n2\n");
}

TEST_F(AgentPull, reads_the_lock_of_a_bundle) {
  options_.gfx = "gfx942,gfx950";
  options_.lock = folder_.Write(
      "tunehub.lock",
      R"({"revision":7,"tables":[{"family":"fmoe","query":"gfx=gfx942,gfx950","revision":7,)"
      R"("token":")" +
          kToken7 + R"(","sha256":")" + core::Sha256Hex("h\n1\n") +
          R"(","file":"aiter/configs/tuned_fmoe.csv"}]})");
  hub_.answers = {Csv("h\n1\n", "7")};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(hub_.requests[0].target, "/tuned/fmoe?gfx=gfx942%2Cgfx950&revision=7-" + kToken7);
}

TEST_F(AgentPull, a_damaged_lock_is_no_lock) {
  options_.lock = folder_.Write("tunehub.lock", "{\"hub\": 3}");
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("bad_lock"));
  EXPECT_THAT(hub_.requests, testing::IsEmpty());
}

TEST_F(AgentPull, a_tree_is_scanned_and_the_table_is_for_what_it_can_run) {
  folder_.Write(
      "tree/aiter/jit/build/module_gemm_a8w8_blockscale/blob/gemm_a8w8_blockscale_lookup.h",
      "{\"a8w8_blockscale_1x128x128_1\", a8w8_blockscale_1x128x128_1<D, E>},\n");
  options_.build.folder = folder_ / "tree";
  Answer answer = Csv("h\n1\n", "7");
  answer.headers["tunehub-build"] = "aiter@abc";
  answer.headers["tunehub-build-substituted"] = "2";
  answer.headers["tunehub-build-unfilled"] = "0";
  hub_.answers = {{200, {}, R"({"build":"aiter@abc"})"}, answer};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(hub_.requests[0].target, "/builds/aiter");
  EXPECT_EQ(HeaderOf(hub_.requests[0], "Content-Type"), "text/csv");
  EXPECT_THAT(hub_.requests[0].body,
              HasSubstr("gemm_a8w8_blockscale,,,a8w8_blockscale_1x128x128_1\n"));
  EXPECT_EQ(hub_.requests[1].target, "/tuned/fmoe?build=aiter%40abc&gfx=gfx942");
  EXPECT_THAT(console_.err.str(), HasSubstr("2 rows have a slower kernel, because aiter@abc"));
}

TEST_F(AgentPull, a_build_that_the_hub_refuses_is_not_pulled_without) {
  folder_.Write("tree/aiter/jit/gemm_a8w8_lookup.h", "{3, a8w8_rowwise_1<D, E>},\n");
  options_.build.folder = folder_ / "tree";
  hub_.answers = {{403, {}, R"({"status":403,"code":"wrong_scope","detail":"the key lacks it"})"}};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(hub_.requests, SizeIs(1));
  EXPECT_THAT(console_.err.str(), HasSubstr("403 wrong_scope"));
}

TEST_F(AgentPull, a_build_is_asked_for_by_name) {
  options_.build.name = "wheel@abc";
  hub_.answers = {Csv("h\n1\n", "7")};
  EXPECT_EQ(Run(), kGood);
  EXPECT_EQ(hub_.requests[0].target, "/tuned/fmoe?build=wheel%40abc&gfx=gfx942");
  options_.query = {"build=other"};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("--aiter or --build already gives the build"));
}

// A revision cannot reproduce the hub's substitutes, so the lock pins the revision's own rows.
TEST_F(AgentPull, a_lock_of_a_build_pins_the_revisions_own_rows) {
  options_.lock = folder_ / "tunehub.lock";
  options_.build.name = "wheel@abc";
  hub_.answers = {Csv("h\n1\n2\n", "7"), Csv("h\n1\n", "7")};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(hub_.requests[1].target,
            "/tuned/fmoe?build=wheel%40abc&gfx=gfx942&revision=7-" + kToken7);
  EXPECT_EQ(Output(), "h\n1\n");
}

}  // namespace
}  // namespace tunehub::agent::test
