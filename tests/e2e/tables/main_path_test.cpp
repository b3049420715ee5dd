// The main path: tunehub-agent imports a small tree, and the hub serves the merged tables.
#include <set>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/gzip.h"

namespace tunehub::test {
namespace {

const std::string kFmoeHeader =
    "cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,"
    "use_g1u1,doweight_stage1,block_m,ksplit,us1,kernelName1,err1,us2,kernelName2,err2,us,"
    "run_1stage,tflops,bw,_tag\n";
const std::string kFmoeRow =
    "80,16,4096,1536,128,8,ActivationType.Silu,torch.bfloat16,torch.float8_e4m3fnuz,"
    "torch.float8_e4m3fnuz,QuantType.per_Token,1,0,32,0,60.0,stage1,0.0%,40.0,stage2,0.0%,100.0,0,"
    "48.3,5000.0,\n";

class MainPathTest : public HubTest {
 protected:
  // Two files of one family with a common shape key, an older MoE file without gfx, and an untuned
  // file.
  static void SetUpTestSuite() {
    HubTest::SetUpTestSuite();
    tree_ = std::make_unique<TempDir>();
    tree_->Write("aiter/configs/a8w8_blockscale_tuned_gemm.csv",
                 kHeader + Row(2, "6.0") + Row(1, "5.0") + Row(1, "7.0", "gfx950", "256"));
    tree_->Write(
        "aiter/configs/model_configs/a8w8_blockscale_tuned_gemm_x.csv",
        kHeader + Row(1, "4.5") + NeverTimed(2) + Row(16, "0") + Row(16, "9.0", "gfx942", "304"));
    tree_->Write("aiter/configs/tuned_fmoe.csv", kFmoeHeader + kFmoeRow);
    tree_->Write("aiter/configs/a8w8_blockscale_untuned_gemm.csv", "M,N,K\n1,2,3\n");
    const Finished imported = Agent({"import", tree_->path().string(), "--source", "small"});
    if (imported.status != 0) throw std::runtime_error(imported.out + imported.err);
    first_revision_ = JsonOf(Open().Get("/revisions")).at("revisions")[0].at("revision");
  }
  static void TearDownTestSuite() {
    tree_.reset();
    HubTest::TearDownTestSuite();
  }
  // A row of another kernel for a measured shape key. AITER would use its 0 us as the fastest time.
  static std::string NeverTimed(int m) { return With(Row(m, "0.0"), kOtherKernel); }
  static Finished Agent(std::vector<std::string> arguments) {
    return RunAgent(std::move(arguments), {{"TUNEHUB_SPOOL", *tree_ / "spool"}});
  }
  static std::string Revision() { return "&revision=" + std::to_string(first_revision_); }
  static std::string Table(const std::string& query) {
    return Open().Get("/tuned/a8w8_blockscale?" + query + Revision()).body;
  }

  static std::unique_ptr<TempDir> tree_;
  static int first_revision_;
};

std::unique_ptr<TempDir> MainPathTest::tree_;
int MainPathTest::first_revision_ = 0;

// The first command of the README. It names no revision.
TEST_F(MainPathTest, a_table_of_one_gfx_has_each_key_once_with_its_fastest_row) {
  const RawAnswer answer = Open().Get("/tuned/a8w8_blockscale?gfx=gfx942");
  EXPECT_EQ(answer.body, kHeader + Row(1, "4.5") + Row(2, "6.0") + Row(16, "0") +
                             Row(16, "9.0", "gfx942", "304"));
  EXPECT_THAT(answer.Header("content-type"), HasSubstr("text/csv"));
  EXPECT_NE(answer.Header("x-request-id"), "");
  EXPECT_EQ(answer.Header("tunehub-revision"), std::to_string(first_revision_));
}

TEST_F(MainPathTest, targets_choose_rows) {
  const std::string gfx950 = kHeader + Row(1, "7.0", "gfx950", "256");
  const std::string mi300 = kHeader + Row(16, "9.0", "gfx942", "304");
  EXPECT_EQ(Table("gfx=gfx950"), gfx950);
  EXPECT_EQ(Table("gfx=gfx950:sramecc%2B:xnack-"), gfx950);
  EXPECT_EQ(Table("gfx=gfx942&cu_num=304"), mi300);
  EXPECT_EQ(Table("target=gfx942:304"), mi300);
  EXPECT_EQ(Table("gpu_archs=gfx942"), mi300);  // AITER assumes 304 CUs for gfx942
  EXPECT_EQ(Table("gpu_archs=gfx942;gfx950"), mi300 + Row(1, "7.0", "gfx950", "256"));
  EXPECT_EQ(Table("gfx=gfx942,gfx950"), Table("gfx=gfx950&gfx=gfx942"));
  EXPECT_EQ(Table("gpu_archs=gfx942&cu_num=80"), Table("target=gfx942:80"));
}

TEST_F(MainPathTest, columns_choose_rows_and_measured_leaves_out_what_was_never_timed) {
  EXPECT_EQ(Table("gfx=gfx942&cu_num=80&M=2"), kHeader + Row(2, "6.0"));
  EXPECT_EQ(Table("gfx=gfx942&cu_num=80&M=1&M=2"), kHeader + Row(1, "4.5") + Row(2, "6.0"));
  EXPECT_EQ(Table("target=gfx942:80&measured=only"), kHeader + Row(1, "4.5") + Row(2, "6.0"));
  EXPECT_EQ(Open().Get("/tuned/a8w8_blockscale?gfx=gfx942&libtype=ck&M=2").body,
            kHeader + Row(2, "6.0"));
  EXPECT_EQ(Verdict(Open().Get("/tuned/a8w8_blockscale?gfx=gfx942&libtype=cktile")), "404 no_rows");
}

TEST_F(MainPathTest, an_empty_answer_must_be_asked_for_and_missing_targets_are_named) {
  EXPECT_EQ(Verdict(Open().Get("/tuned/a4w4_blockscale?gfx=gfx942")), "404 no_rows");
  const RawAnswer empty = Good(Open().Get("/tuned/a4w4_blockscale?gfx=gfx942&allow_empty=1"));
  EXPECT_EQ(empty.body, "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n");
  const RawAnswer partly = Good(Open().Get("/tuned/a8w8_blockscale?gfx=gfx942,gfx1250"));
  EXPECT_EQ(partly.Header("tunehub-missing-targets"), "gfx1250");
}

TEST_F(MainPathTest, legacy_columns_leave_gfx_out_where_that_is_unambiguous) {
  std::string expected = kHeader + Row(1, "4.5");
  for (std::size_t at = 0; (at = expected.find("gfx", at)) != std::string::npos;) {
    expected.erase(at, expected.find(',', at) + 1 - at);
  }
  EXPECT_EQ(Table("target=gfx942:80&M=1&columns=legacy"), expected);
  const std::string moe = Open().Get("/tuned/fmoe?gfx=gfx942").body;
  EXPECT_THAT(moe, testing::StartsWith("gfx,cu_num,token,"));
  EXPECT_THAT(moe, HasSubstr("\ngfx942,80,16,4096,"));
  ASSERT_EQ(Verdict(Submitter().Post(kResults, kHeader + Row(1, "7.0", "gfx942", "256"))), "200");
  EXPECT_EQ(Verdict(Open().Get("/tuned/a8w8_blockscale?columns=legacy")), "400 legacy_ambiguous");
}

TEST_F(MainPathTest, head_etag_and_encodings_are_of_one_table) {
  const RawAnswer plain = Open().Get(kTable);
  const RawAnswer head = Open().Head(kTable);
  EXPECT_EQ(head.Header("content-length"), std::to_string(plain.body.size()));
  EXPECT_EQ(head.Header("etag"), plain.Header("etag"));
  const RawAnswer gzip = Open().Get(kTable, {{"Accept-Encoding", "gzip"}});
  const RawAnswer zstd = Open().Get(kTable, {{"Accept-Encoding", "gzip;q=0.5, zstd"}});
  EXPECT_EQ(gzip.Header("content-encoding"), "gzip");
  EXPECT_EQ(zstd.Header("content-encoding"), "zstd");
  EXPECT_EQ(Gunzip(gzip.body), plain.body);
  EXPECT_EQ(Unzstd(zstd.body), plain.body);
  EXPECT_NE(gzip.Header("etag"), plain.Header("etag"));
  EXPECT_NE(gzip.Header("etag"), zstd.Header("etag"));
  for (const RawAnswer& it : {plain, gzip, zstd}) {
    const Headers accept = {{"If-None-Match", "\"other\", " + it.Header("etag")},
                            {"Accept-Encoding", it.Header("content-encoding")}};
    const RawAnswer same = Open().Get(kTable, accept);
    EXPECT_EQ(same.status, 304);
    EXPECT_EQ(same.body, "");
    EXPECT_EQ(same.Header("etag"), it.Header("etag"));
    EXPECT_EQ(same.Header("vary"), "Accept-Encoding");
  }
}

TEST_F(MainPathTest, a_revision_keeps_its_bytes_through_imports_and_reverts) {
  const std::string newest = "/tuned/a8w8_blockscale?target=gfx942:80";
  const std::string target = newest + "&revision=" + Open().Get(newest).Header("tunehub-pin");
  const RawAnswer before = Open().Get(target);
  EXPECT_THAT(before.Header("cache-control"), HasSubstr("immutable"));
  const auto receipt = JsonOf(Submitter().Post(kResults, kHeader + Row(1, "1.0") + Row(4, "8.0")));
  EXPECT_EQ(receipt.at("won"), 2);
  EXPECT_THAT(Open().Get("/tuned/a8w8_blockscale?target=gfx942:80").body, HasSubstr(Row(1, "1.0")));
  EXPECT_EQ(Open().Get(target).body, before.body);

  const HttpClient admin = Admin();
  const std::string run = "/runs/" + receipt.at("run").dump();
  // A dry run has the same answer and changes nothing.
  const auto dry = JsonOf(admin.Post(run + "/revert?dry_run=1", ""));
  EXPECT_EQ(dry.at("changed"), 2);
  EXPECT_EQ(dry.at("families"),
            nlohmann::json::parse(R"([{"family":"a8w8_blockscale","changed":2,"emptied":1}])"));
  EXPECT_EQ(dry.at("batch"), nullptr);
  EXPECT_EQ(dry.at("revision"), receipt.at("revision"));
  EXPECT_EQ(JsonOf(Open().Get(run)).at("reverted"), nullptr);
  EXPECT_THAT(Open().Get(newest).body, HasSubstr(Row(1, "1.0")));
  const RawAnswer reverted = Good(admin.Post(run + "/revert", ""));
  EXPECT_EQ(JsonOf(reverted).at("changed"), 2);
  EXPECT_EQ(Open().Get("/tuned/a8w8_blockscale?target=gfx942:80").body, before.body);
  EXPECT_EQ(Open().Get(target).body, before.body);
  EXPECT_EQ(Verdict(admin.Post(run + "/revert", "")), "409 already_reverted");
  const auto detail = JsonOf(Open().Get(run));
  EXPECT_NE(detail.at("reverted"), nullptr);
  EXPECT_EQ(detail.at("batches").back().at("receipt").at("changed"), 2);
  const auto shape =
      JsonOf(Open().Get("/shapes/a8w8_blockscale?gfx=gfx942&cu_num=80&M=1&N=2048&K=3072"));
  std::set<bool> taken_back;
  for (const auto& it : shape.at("measurements")) {
    if (it.at("run") == receipt.at("run")) taken_back.insert(it.at("reverted").get<bool>());
  }
  EXPECT_EQ(taken_back, std::set<bool>{true});
  const std::string between = "&revision=" + receipt.at("revision").dump();
  EXPECT_THAT(Open().Get("/tuned/a8w8_blockscale?target=gfx942:80" + between).body,
              HasSubstr(Row(1, "1.0")));
}

TEST_F(MainPathTest, measurements_have_the_interval_of_their_samples) {
  const auto row = [](const std::string& kernel, const std::string& more) {
    return R"({"gfx":"gfx942","cu_num":80,"M":7,"N":2048,"K":3072,"libtype":"ck","kernelId":8,)"
           R"("splitK":2,"errRatio":0,"us":900,"kernelName":")" +
           kernel + "\"" + more + "}";
  };
  const std::string samples = R"(,"samples":[890,895,900,900,900,905,910])";
  Good(Submitter().Post(kResults,
                        R"({"rows":[)" + row(kKernel, samples) + "," +
                            row(kOtherKernel, samples + R"(,"clock":"slowed")") + "," +
                            row("plain", "") + "]}",
                        {{"Content-Type", "application/json"}}));
  const auto shape =
      JsonOf(Open().Get("/shapes/a8w8_blockscale?gfx=gfx942&cu_num=80&M=7&N=2048&K=3072"));
  const auto of = [&](const std::string& kernel) {
    for (const auto& it : shape.at("measurements")) {
      if (it.at("candidate").at("kernelName") == kernel) return it;
    }
    return Json();
  };
  const Json steady = of(kKernel), unsteady = of(kOtherKernel), plain = of("plain");
  EXPECT_LT(steady.at("low"), 900);
  EXPECT_GT(steady.at("high"), 900);
  EXPECT_EQ(steady.at("compared_by"), Json({{"us", 900.0},
                                            {"low", steady.at("low")},
                                            {"high", steady.at("high")},
                                            {"steady", true}}));
  EXPECT_EQ(unsteady.at("low"), nullptr);
  EXPECT_EQ(unsteady.at("compared_by").at("low"), nullptr);
  EXPECT_EQ(unsteady.at("compared_by").at("steady"), false);
  EXPECT_EQ(plain.at("high"), nullptr);
}

}  // namespace
}  // namespace tunehub::test
