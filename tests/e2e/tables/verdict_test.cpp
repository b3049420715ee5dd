// GET /verdict agrees with GET /bundle: with a build, without one, and for an old revision.
#include <map>

#include "core/base/hash.h"
#include "tests/e2e/hub_fixture.h"
#include "tests/support/archive.h"

namespace tunehub::test {
namespace {

using testing::StartsWith;

// 1280 x 5120 is one of the products of qwen3-32b at TP 8.
const std::string kAsk = "gfx=gfx942&cu_num=304&model=qwen3-32b&tp=8&dtype=fp8_block";

std::string AskedRow(int m, const std::string& kernel, const std::string& us = "9.0") {
  return "gfx942,304," + std::to_string(m) + ",1280,5120,ck,8,0," + us + "," + kernel +
         ",2.61,1304.22,0.0\n";
}

class VerdictTest : public HubTest {
 protected:
  static void SetUpTestSuite() {
    HubTest::SetUpTestSuite();
    // The build has only kOtherKernel. M = 1 has a row of each kernel. M = 2 has a row that the
    // build cannot run, M = 4 a row that it can run, and M = 8 an unmeasured row.
    const std::string rows = AskedRow(1, kKernel, "8.0") + AskedRow(1, kOtherKernel, "9.0") +
                             AskedRow(2, kKernel) + AskedRow(4, kOtherKernel) +
                             AskedRow(8, kOtherKernel, "0");
    ASSERT_EQ(Submitter().Post(kResults, kHeader + rows).status, 200);
    build_ = JsonOf(Good(PutBuild("wheel", BuildOf(kOtherKernel)), 201)).at("build");
  }
  static nlohmann::json Ask(const std::string& more) {
    return JsonOf(Good(Open().Get("/verdict?" + kAsk + more)));
  }
  // Each family's rows and digest must equal the bundle's.
  static void ExpectAsBundle(const nlohmann::json& verdict, const std::string& member) {
    const RawAnswer bundle = Good(Open().Get(verdict.at(member).get<std::string>()));
    auto files = Unpacked(bundle.body);
    std::size_t tables = 0;
    for (const auto& it : verdict.at("families")) {
      const auto file = files.find("aiter/configs/" + it.at("file").get<std::string>());
      EXPECT_EQ(file == files.end(), it.at("rows") == 0) << it;
      if (file == files.end()) continue;
      ++tables;
      const auto lines = std::count(file->second.begin(), file->second.end(), '\n');
      EXPECT_EQ(it.at("rows"), lines - 1) << it;
      EXPECT_EQ(it.at("sha256"), core::Sha256Hex(file->second)) << it;
    }
    EXPECT_EQ(tables + 4, files.size());  // SHA256SUMS and its signature, env.sh, tunehub.lock
  }
  // The items of a list. Its total must equal the count in /verdict.
  static nlohmann::json ListOf(const std::string& name, const std::string& more) {
    const auto json = Ask(more + "&limit=200&list=" + name);
    EXPECT_EQ(json.at("list").at("total"), json.at("counts").at(name)) << name;
    EXPECT_EQ(json.at("list").at("name"), name);
    return json.at("list").at("items");
  }

  static inline std::string build_;
};

TEST_F(VerdictTest, without_a_build_says_what_is_missing_and_that_nobody_knows_the_kernels) {
  const auto json = Ask("&family=a8w8_blockscale");
  EXPECT_EQ(json.at("verdict"), "not_safe");
  EXPECT_THAT(json.at("sentence"), StartsWith("Not safe: of "));
  EXPECT_THAT(json.at("sentence"), HasSubstr("names no build"));
  EXPECT_EQ(json.at("build"), nullptr);
  const auto& counts = json.at("counts");
  EXPECT_EQ(counts.at("rows"), 4);
  EXPECT_EQ(counts.at("left_out"), 0);
  // The counts must equal those of GET /coverage.
  const auto coverage = JsonOf(Open().Get("/coverage?" + kAsk + "&family=a8w8_blockscale"));
  const auto& totals = coverage.at("families")[0].at("totals");
  EXPECT_EQ(counts.at("asked"), totals.at("shapes"));
  EXPECT_EQ(counts.at("missing"), totals.at("missing"));
  EXPECT_EQ(counts.at("unmeasured"), totals.at("unmeasured"));
  EXPECT_GT(counts.at("unmeasured"), 0);
  EXPECT_THAT(ListOf("missing", "")[0].at("why"), HasSubstr("neither this shape nor another M"));
}

TEST_F(VerdictTest, is_of_the_tables_that_the_bundle_has) {
  ExpectAsBundle(Ask(""), "address");
  ExpectAsBundle(Ask(""), "pinned");
  ExpectAsBundle(Ask("&build=wheel"), "address");
}

TEST_F(VerdictTest, of_a_build_lists_what_was_left_out_and_what_stands_in_its_place) {
  const std::string of = "&build=wheel";
  const auto json = Ask(of);
  EXPECT_EQ(json.at("build"), build_);
  const RawAnswer bundle = Open().Get(json.at("address").get<std::string>());
  const auto& counts = json.at("counts");
  EXPECT_EQ(std::to_string(counts.at("substituted").get<int>()),
            bundle.Header("tunehub-build-substituted"));
  EXPECT_EQ(std::to_string(counts.at("left_out").get<int>()),
            bundle.Header("tunehub-build-unfilled"));
  const int rebuild = std::stoi(bundle.Header("tunehub-build-after-rebuild")) +
                      std::stoi(bundle.Header("tunehub-build-raises-until-rebuild"));
  EXPECT_EQ(counts.at("needs_rebuild"), rebuild);
  EXPECT_EQ(counts.at("substituted"), 1);
  EXPECT_EQ(counts.at("left_out"), 1);
  const auto left = ListOf("left_out", of);
  EXPECT_EQ(left[0].at("family"), "a8w8_blockscale");
  EXPECT_EQ(left[0].at("row").at("M"), 2);
  EXPECT_THAT(left[0].at("why"), HasSubstr(kKernel));
  const auto instead = ListOf("substituted", of);
  EXPECT_EQ(instead[0].at("row").at("kernelName"), kOtherKernel);
  EXPECT_EQ(instead[0].at("instead_of").at("kernelName"), kKernel);
  // The row that was left out makes its shape missing, but only for this build.
  std::string why;
  for (const auto& it : ListOf("missing", of)) {
    const auto& shape = it.at("shape");
    if (shape.at("M") == 2 && shape.at("N") == 1280 && shape.at("K") == 5120) why = it.at("why");
  }
  EXPECT_THAT(why, HasSubstr("left out"));
  for (const char* name : {"unmeasured", "needs_rebuild", "borrowed"}) ListOf(name, of);
}

TEST_F(VerdictTest, of_a_pin_lacks_what_stands_in_the_place_of_other_rows) {
  const auto now = Ask("&build=wheel");
  EXPECT_EQ(now.at("pinned_lacks"), 1);
  const auto pinned = Ask("&build=" + build_ + "&revision=" + now.at("pin").get<std::string>());
  EXPECT_EQ(pinned.at("address"), now.at("pinned"));
  EXPECT_EQ(pinned.at("counts").at("substituted"), 0);
  EXPECT_EQ(pinned.at("counts").at("left_out"), 2);
  ExpectAsBundle(pinned, "address");
}

// For each judged table: the number of shapes that a model needs.
std::map<std::string, int> Judged(const nlohmann::json& verdict) {
  std::map<std::string, int> asked;
  for (const auto& it : verdict.at("families")) {
    if (it.at("judged").get<bool>()) {
      asked[it.at("family")] = it.at("asked");
    } else {
      EXPECT_EQ(it.at("asked"), 0) << it;
    }
  }
  return asked;
}

TEST_F(VerdictTest, judges_the_tables_that_the_engine_reads_and_says_why) {
  const auto vllm = Ask("");
  EXPECT_EQ(vllm.at("engine"), "vllm");
  const auto judged = Judged(vllm);
  ASSERT_EQ(judged.size(), 1u) << vllm.at("families");
  EXPECT_EQ(judged.begin()->first, "a8w8_blockscale");
  EXPECT_EQ(vllm.at("counts").at("asked"), judged.begin()->second);
  for (const auto& it : vllm.at("families")) {
    if (it.at("family") == "a8w8_blockscale") {
      EXPECT_EQ(it.at("why"),
                "vLLM reads this table for dense matrix products stored as fp8_block");
    }
    if (it.at("family") == "a8w8") {
      EXPECT_EQ(it.at("stored_as"), nlohmann::json::array({"int8"}));
    }
  }
  // SGLang reads the bf16 table for unquantized layers. If that table lacks a row, it is not safe.
  const auto sglang = Judged(Ask("&engine=sglang"));
  EXPECT_EQ(sglang.at("a8w8_blockscale"), judged.at("a8w8_blockscale"));
  EXPECT_GT(sglang.at("bf16"), 0);
  EXPECT_EQ(sglang.count("a8w8_blockscale_bpreshuffle"), 0u);
  const auto any = Judged(Ask("&engine=any"));
  EXPECT_EQ(any.at("a8w8_blockscale_bpreshuffle"), judged.at("a8w8_blockscale"));
  // If the request names a table, the hub judges this table, too.
  EXPECT_GT(Judged(Ask("&family=a8w8_blockscale_bpreshuffle")).at("a8w8_blockscale_bpreshuffle"),
            0);
}

// Only this test uses gfx942:228. It adds a row for each shape that is missing on that target.
TEST_F(VerdictTest, is_safe_only_where_each_shape_of_a_table_that_is_read_has_a_measured_row) {
  const std::string ask = "gfx=gfx942&cu_num=228&model=qwen3-32b&tp=8&dtype=fp8_block";
  const auto verdict = [&](const std::string& more) {
    return JsonOf(Open().Get("/verdict?" + ask + "&build=wheel" + more)).at("verdict");
  };
  EXPECT_EQ(verdict(""), "not_safe");
  const auto missing =
      Open().Get("/coverage?" + ask + "&family=a8w8_blockscale&format=csv&state=missing").body;
  std::string rows, first;
  for (std::size_t at = missing.find('\n') + 1; at < missing.size();) {
    const std::size_t end = missing.find('\n', at);
    const std::string line = missing.substr(at, end - at);
    at = end + 1;
    const std::size_t k = line.find(',', line.find(',') + 1) + 1;
    const std::string shape = line.substr(0, line.find(',', k));
    rows += "gfx942,228," + shape + ",ck,8,0,900000.0," + kOtherKernel + ",0.0,0.0,0.0\n";
    if (first.empty()) first = shape;
  }
  ASSERT_FALSE(first.empty()) << missing;
  ASSERT_EQ(Submitter().Post(kResults, kHeader + rows).status, 200);
  EXPECT_EQ(verdict(""), "safe");
  EXPECT_EQ(verdict("&engine=sglang"), "not_safe");  // bf16 has no tuned row
  EXPECT_EQ(verdict("&engine=any"), "not_safe");
  // A build without the kernel can use none of these rows.
  ASSERT_EQ(PutBuild("other", BuildOf(kKernel)).status, 201);
  EXPECT_EQ(JsonOf(Open().Get("/verdict?" + ask + "&build=other")).at("verdict"), "not_safe");
  const auto none = JsonOf(Open().Get("/verdict?" + ask));
  EXPECT_EQ(none.at("verdict"), "nobody_checked");
}

TEST_F(VerdictTest, of_a_model_that_no_table_of_the_engine_takes_says_so) {
  const auto json = JsonOf(Open().Get("/verdict?gfx=gfx942&cu_num=304&model=qwen3-32b&tp=8"));
  EXPECT_EQ(json.at("verdict"), "nothing_asked");
  EXPECT_THAT(json.at("sentence"), HasSubstr("a table that vLLM reads"));
  const auto sglang =
      JsonOf(Open().Get("/verdict?gfx=gfx942&cu_num=304&model=qwen3-32b&tp=8&engine=sglang"));
  EXPECT_EQ(sglang.at("verdict"), "not_safe");
  EXPECT_EQ(sglang.at("counts").at("asked"), sglang.at("counts").at("missing"));
}

TEST_F(VerdictTest, pages_its_lists) {
  const auto first = Ask("&list=missing&limit=2"), second = Ask("&list=missing&limit=1&after=1");
  ASSERT_EQ(first.at("list").at("items").size(), 2u);
  EXPECT_EQ(first.at("list").at("items")[1], second.at("list").at("items")[0]);
  EXPECT_EQ(Ask("&list=missing&after=999999").at("list").at("items").size(), 0u);
}

TEST_F(VerdictTest, refuses_what_it_cannot_judge) {
  const auto verdict = [](const std::string& query) {
    return Verdict(Open().Get("/verdict" + query));
  };
  EXPECT_EQ(verdict("?model=qwen3-32b"), "400 bad_parameter");
  EXPECT_EQ(verdict("?gfx=gfx942"), "400 bad_parameter");
  EXPECT_EQ(verdict("?gfx=gfx942&model=gpt-9"), "404 unknown_model");
  EXPECT_EQ(verdict("?" + kAsk + "&build=nobody"), "404 unknown_build");
  EXPECT_EQ(verdict("?" + kAsk + "&build=wheel&revision=1"), "400 bad_parameter");
  EXPECT_EQ(verdict("?" + kAsk + "&revision=999"), "404 unknown_revision");
  EXPECT_EQ(verdict("?" + kAsk + "&list=colours"), "400 bad_parameter");
  EXPECT_EQ(verdict("?" + kAsk + "&family=triton_fused_moe"), "400 bad_parameter");
  EXPECT_EQ(verdict("?" + kAsk + "&engine=tgi"), "400 bad_parameter");
  EXPECT_EQ(verdict("?" + kAsk + "&colour=red"), "400 unknown_parameter");
}

TEST_F(VerdictTest, a_key_is_told_what_it_is) {
  const auto own = JsonOf(Submitter().Get("/keys/self"));
  EXPECT_EQ(own.at("admin"), false);
  EXPECT_EQ(JsonOf(Admin().Get("/keys/self")).at("admin"), true);
  EXPECT_EQ(Verdict(Open().Get("/keys/self")), "401 no_key");
}

}  // namespace
}  // namespace tunehub::test
