// The agent imports an engine's tree. The hub returns all of its files except those set aside.
#include <algorithm>
#include <map>

#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

class ReaderImportTest : public HubTest {
 protected:
  static Finished Import(const std::string& reader, const std::string& folder,
                         std::vector<std::string> more = {}) {
    // Each test's tree replaces the tree of the test before.
    std::vector<std::string> arguments = {"import", folder,   "--reader",
                                          reader,   "--json", "--allow-shrink"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunAgent(std::move(arguments), {{"TUNEHUB_KEY", AdminKey()}});
  }
};

// A file with a GEMM's name and unusual members belongs to the family of whole files.
TEST_F(ReaderImportTest, aiters_nested_files_come_back_by_their_names) {
  const std::string gemm = "gfx950/triton/gemm/gemm_a8w8/";
  const std::map<std::string, std::string> files = {
      {gemm + "DEFAULT.json", R"({"any": {"x": 1}})"},
      {gemm + "GEMM-A8W8-N=1-K=2-CU=64.json", R"({"M_BOUNDS": [2], "M_LEQ_2": {"x": 2}})"},
      {gemm + "GEMM-A8W8-N=1-K=2.json", R"({"any": {"x": 1, "packed": {"y": 2}}})"},
      {"gfx950/gluon/attention/mha/mha.json",
       R"({"fwd": {"pe": [")" + std::string(5000, 'x') + R"("]}})"}};
  for (const auto& [path, bytes] : files) Write(path, bytes);
  const Finished done = Import("aiter", dir_.path().string());
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  const auto report = nlohmann::json::parse(done.out);
  EXPECT_EQ(report.at("layouts"), nlohmann::json({{"triton/gemm", 2}}));
  for (const auto& [path, bytes] : files) {
    const RawAnswer answer = Good(Open().Get("/files/aiter/" + path));
    EXPECT_EQ(nlohmann::json::parse(answer.body), nlohmann::json::parse(bytes)) << path;
  }
  EXPECT_EQ(Open().Get("/files/aiter/" + gemm + "GEMM-A8W8-N=1-K=3.json").status, 404);
  EXPECT_EQ(Open().Get("/files/aiter/" + gemm + "DEFAULT.json?family=triton_file").status, 404);
}

TEST_F(ReaderImportTest, what_is_kept_aside_is_listed_and_not_sent) {
  Write("moe/E=5,N=64,device_name=Toy_A.json", R"({"1": {"x": 1}, "4": {"x": 2}})");
  Write("moe/E=5,N=65,device_name=Toy_A.json", R"({"1": {"x": 1}, "any": {"x": 2}})");
  Write("moe/E=5,N=66,device_name=Toy_A,block_shape=[8, 8].json", R"({"1": {"x": 1}})");
  const Finished done = Import("vllm", dir_.path().string());
  EXPECT_EQ(done.status, 1) << done.err;
  const auto report = nlohmann::json::parse(done.out);
  std::map<std::string, std::string> codes;
  for (const auto& it : report.at("findings")) {
    codes[it.at("file")] += it.at("code").get<std::string>() + (it.at("aside") ? "!" : "");
  }
  EXPECT_EQ(codes,
            (std::map<std::string, std::string>{
                {"moe/E=5,N=64,device_name=Toy_A.json", "unknown_device"},
                {"moe/E=5,N=65,device_name=Toy_A.json", "bad_m!"},
                {"moe/E=5,N=66,device_name=Toy_A,block_shape=[8, 8].json", "unreachable_name!"}}));
  const RawAnswer rows = Open().Get("/tuned/triton_fused_moe?device=Toy_A");
  EXPECT_EQ(std::count(rows.body.begin(), rows.body.end(), '\n'), 3) << rows.body;
}

TEST_F(ReaderImportTest, a_checkout_is_read_where_its_engine_keeps_the_files) {
  const std::string moe = "python/sglang/srt/layers/moe/moe_runner/triton_utils/configs/";
  const std::string gemm = "python/sglang/kernels/ops/quantization/configs/";
  Write(moe + "triton_3_4_0/E=6,N=64,device_name=Toy_B.json", R"({"1": {"x": 1}})");
  Write(gemm + "N=6,K=64,device_name=Toy_B.json", R"({"1": {"x": 1}})");
  Write("test/E=7,N=64,device_name=Toy_B.json", R"({"1": {"x": 1}})");
  const auto report = nlohmann::json::parse(Import("sglang", dir_.path().string()).out);
  EXPECT_EQ(report.at("files"), 2) << report.dump(1);
  EXPECT_EQ(report.at("files_aside"), 0);
  EXPECT_THAT(Open().Get("/tuned/triton_fused_moe?device=Toy_B").body,
              testing::Not(testing::HasSubstr("E=7")));
  // The given folder may itself be part of the files' names.
  const auto one = nlohmann::json::parse(
      Import("sglang", (dir_.path() / moe / "triton_3_4_0").string(), {"--source", "one"}).out);
  EXPECT_EQ(one.at("files_aside"), 0) << one.dump(1);
}

}  // namespace
}  // namespace tunehub::test
