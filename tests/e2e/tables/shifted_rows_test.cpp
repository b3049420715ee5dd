// Rows that lack one field, in a tree that AITER takes: served as its lookup reads them.
#include <filesystem>

#include "build_info.h"
#include "tests/e2e/hub_fixture.h"
#include "tests/support/shipped.h"
#include "tests/support/temp_dir.h"

namespace tunehub::test {
namespace {

const std::string kUntuned =
    "token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,use_g1u1,"
    "doweight_stage1";
const std::string kFmoeCsvHeader =
    "gfx,cu_num," + kUntuned +
    ",block_m,ksplit,us1,kernelName1,err1,us2,kernelName2,err2,us,run_1stage,xbf16,flat,tflops,bw,"
    "_tag\n";

// `flat` with its comma, or nothing.
std::string FmoeRow(int token, const std::string& flat) {
  return "gfx950,256," + std::to_string(token) +
         ",7168,512,384,6,ActivationType.Silu,torch.bfloat16,torch.float8_e4m3fn,"
         "torch.float4_e2m1fn_x2,QuantType.per_1x32,1,0,64,0,22722.85,flydsl_moe1_t64,0.0%,"
         "11743.55,opus_moe2_sbm64,0.0%,34466.4,0,0," +
         flat + "49.07,12274.59,\n";
}

class ShiftedRows : public HubTest {
 protected:
  void SetUp() override {
    configs_ = dir_.path() / "configs";
    Write("configs/untuned_fmoe.csv", kUntuned + std::string("\n"));
    Write("configs/tuned_fmoe.csv", kFmoeCsvHeader + FmoeRow(64, "0,"));
    std::string rows;
    for (const int token : {128, 512, 1024, 2048, 4096, 8192, 16384, 32768})
      rows += FmoeRow(token, "");
    Write("configs/model_configs/dsv4_tuned_fmoe.csv", kFmoeCsvHeader + rows);
    const Finished imported = RunAgent({"import", configs_.string(), "--json"});
    ASSERT_LE(imported.status, 1) << imported.out << imported.err;
    receipt_ = nlohmann::json::parse(imported.out);
    Write("receipt.json", imported.out);
    for (const auto& family : AiterFamilies())
      Write(family->name + ".csv", Open().Get("/tuned/" + family->name + "?allow_empty=1").body);
  }
  Finished Compare(const std::string& script, const std::string& last) const {
    return RunToEnd({"/usr/bin/python3",
                     {TUNEHUB_SOURCE_DIR "/tests/e2e/tables/" + script, configs_.string(),
                      ShippedFamilyFolder().string(), dir_.path().string(), last},
                     {}});
  }

  std::filesystem::path configs_;
  nlohmann::json receipt_;
};

TEST_F(ShiftedRows, that_lack_flat_are_served_and_flagged) {
  const std::string served = ReadText(dir_.path() / "fmoe.csv");
  EXPECT_EQ(std::count(served.begin(), served.end(), '\n'), 1 + 9);
  EXPECT_THAT(served, HasSubstr(FmoeRow(512, "0,")));
  int realigned = 0;
  for (const auto& file : receipt_.at("files")) {
    for (const auto& warning : file.at("warnings")) {
      if (warning.at("code") != "realigned") continue;
      EXPECT_EQ(warning.at("column"), "flat");
      ++realigned;
    }
  }
  EXPECT_EQ(realigned, 8);
  const Finished merged = Compare("aiter_merge.py", dir_ / "receipt.json");
  EXPECT_EQ(merged.status, 0) << merged.out;
  EXPECT_THAT(merged.out, HasSubstr("\"same, with the field put in that the row lacks\": 8"));
  const Finished looked_up = Compare("aiter_lookup.py", server_->url());
  EXPECT_EQ(looked_up.status, 0) << looked_up.out << looked_up.err;
}

}  // namespace
}  // namespace tunehub::test
