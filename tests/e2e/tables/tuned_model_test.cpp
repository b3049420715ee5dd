// From a real server: tables for one model, pruned tables, tables that must be complete, and rows
// that a compiled table cannot distinguish.
#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

class TunedModel : public HubTest {
 protected:
  static std::string GemmRow(int m, int n, int k, const std::string& us = "90000.5") {
    return "gfx942,304," + std::to_string(m) + "," + std::to_string(n) + "," + std::to_string(k) +
           ",ck,8,0," + us + "," + kKernel + ",2.61,1304.22,0.0\n";
  }
  static void Store(const std::string& rows, const std::string& path = kResults) {
    Good(Submitter().Post(path, rows));
  }
};

const std::string kTarget = "/tuned/a8w8_blockscale?target=gfx942:304";
const std::string kOfModel = kTarget + "&model=qwen3-vl-32b&tp=8";

TEST_F(TunedModel, holds_the_rows_of_its_products_alone) {
  Store(kHeader + GemmRow(16, 1280, 5120) + GemmRow(17, 1280, 5120) + GemmRow(16, 2048, 3072));
  const RawAnswer answer = Good(Open().Get(kOfModel));
  EXPECT_EQ(answer.body, kHeader + GemmRow(16, 1280, 5120) + GemmRow(17, 1280, 5120));
  EXPECT_EQ(Open().Get(kOfModel).body, answer.body) << "the second answer comes from the cache";
  const auto other = Open().Get(kTarget + "&model=qwen3-vl-32b&tp=4");
  EXPECT_EQ(Verdict(other), "404 no_rows");
  EXPECT_THAT(other.body, HasSubstr("qwen3-vl-32b uses at tp 4"));
  EXPECT_EQ(Open().Get(kTarget + "&model=qwen3-vl-32b&tp=4&allow_empty=1").body, kHeader);
  EXPECT_EQ(Verdict(Open().Get(kTarget + "&model=gpt&tp=4")), "404 unknown_model");
  EXPECT_EQ(Verdict(Open().Get(kTarget + "&model=qwen3-vl-32b&tp=7")), "422 bad_tp");
  EXPECT_EQ(Verdict(Open().Get("/tuned/a8w8_blockscale?gfx=gfx90a&model=qwen3-vl-32b&tp=8")),
            "404 no_rows");
}

TEST_F(TunedModel, is_refused_where_it_requires_more_than_there_is) {
  const auto refused = Open().Get(kOfModel + "&require=padded");
  EXPECT_EQ(Verdict(refused), "409 not_covered");
  const Json json = JsonOf(refused);
  EXPECT_EQ(json.at("missing_count"), 4 * 188 - 5)
      << "M = 1, 2, 4, 8 and 16 of one product are covered";
  EXPECT_EQ(json.at("missing").size(), 747U);
  EXPECT_EQ(json.at("missing").at(0).at("state"), "missing");
  EXPECT_EQ(json.at("missing").at(0).at("target"), "gfx942:304");
  EXPECT_EQ(Verdict(Open().Get(kOfModel + "&require=padded")), "409 not_covered") << "cached";
  // The coarse grid has the powers of two, but for large N only up to 8192.
  std::string rows = kHeader;
  for (const auto& [n, k] : {std::pair{1280, 5120}, {5120, 1024}, {6400, 5120}, {5120, 3200}}) {
    for (int m = 16; m <= 16384; m *= 2)
      rows += GemmRow(m, n, k, n == 1280 && m == 64 ? "0" : "90000.5");
  }
  Store(rows);
  EXPECT_EQ(JsonOf(Open().Get(kOfModel + "&require=padded")).at("missing").at(0).at("state"),
            "unmeasured")
      << "a row without a time covers nothing";
  Store(kHeader + GemmRow(64, 1280, 5120));
  EXPECT_EQ(Verdict(Open().Get(kOfModel + "&require=padded")), "200");
  EXPECT_EQ(Verdict(Open().Get(kOfModel + "&require=exact")), "409 not_covered");
  EXPECT_EQ(Verdict(Open().Get("/tuned/a8w8_blockscale?target=gfx942:304;gfx942:80"
                               "&model=qwen3-vl-32b&tp=8&require=padded")),
            "409 not_covered")
      << "the other target has no row";
  Store(kHeader + GemmRow(64, 1280, 5120, "0"));
  EXPECT_EQ(Verdict(Open().Get(kOfModel + "&require=padded")), "200") << "a measured row stays";
}

TEST_F(TunedModel, is_pruned_of_what_the_padded_lookup_finds_anyway) {
  const auto whole = Open().Get(kOfModel);
  const RawAnswer pruned = Good(Open().Get(kOfModel + "&prune=padded"));
  EXPECT_EQ(pruned.Header("tunehub-pruned-rows"), "4")
      << "M=17 is padded to 32, and 16384 to 8192 if N is above 4096";
  EXPECT_EQ(whole.Header("tunehub-pruned-rows"), "");
  const auto revision = pruned.Header("tunehub-revision");
  const auto past = Open().Get(kTarget + "&prune=padded&revision=" + revision);
  EXPECT_EQ(past.body, Open().Get(kTarget + "&prune=padded").body);
  EXPECT_THAT(whole.body, HasSubstr("gfx942,304,17,"));
  EXPECT_THAT(pruned.body, testing::Not(HasSubstr("gfx942,304,17,")));
  EXPECT_THAT(pruned.body, HasSubstr("gfx942,304,16384,1280,"));
  EXPECT_THAT(pruned.body, testing::Not(HasSubstr("gfx942,304,16384,6400,")));
}

TEST_F(TunedModel, int8_and_fp8_rows_of_one_shape_are_warned_about) {
  const std::string header =
      "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
  const auto row = [](const std::string& m, const std::string& dtype) {
    return "gfx950,256," + m + ",1280,8192,torch." + dtype + ",1,0,900.5,a8w8_rowwise_k,0,0,0.0\n";
  };
  const auto warnings = [&](const std::string& rows) {
    std::string text;
    const Json receipt = JsonOf(Submitter().Post("/results/a8w8", header + rows));
    for (const Json& it : receipt.at("warnings")) {
      if (it.at("code") != "compiled_twin") continue;
      text += std::to_string(it.at("row").get<int>()) + " " + it.at("detail").get<std::string>();
    }
    return text;
  };
  EXPECT_EQ(warnings(row("16", "int8") + row("32", "int8")), "");
  EXPECT_EQ(warnings(row("16", "float8_e4m3fn")),
            "2 this shape has rows of torch.int8 and torch.float8_e4m3fn, which a compiled table "
            "cannot distinguish; the table keeps the last row, of torch.float8_e4m3fn")
      << "the other row is served already";
  EXPECT_THAT(warnings(row("64", "float8_e4m3fn") + row("64", "int8")), HasSubstr("3 this shape"))
      << "both rows are in one batch";
}

}  // namespace
}  // namespace tunehub::test
