// An engine's tree into a hub by the agent, and out again as rows that make the same files.
#include <algorithm>
#include <chrono>
#include <map>

#include "core/readers/tree_reader.h"
#include "tests/e2e/hub_fixture.h"
#include "tests/support/program.h"
#include "tests/support/readers.h"
#include "tests/support/shipped.h"
#include "tests/support/temp_dir.h"

namespace tunehub::test {
namespace {

class ReaderImportTest : public HubTest {
 protected:
  static Finished Import(const std::string& reader, const std::string& folder,
                         std::vector<std::string> more = {}) {
    // Each test's tree takes the place of another one's.
    std::vector<std::string> arguments = {"import", folder,   "--reader",
                                          reader,   "--json", "--allow-shrink"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunAgent(std::move(arguments), {{"TUNEHUB_KEY", AdminKey()}});
  }

  // What /tuned serves of an engine, as a reading of its tree.
  static core::TreeReading Served(const core::Reader& reader) {
    core::TreeReading reading;
    for (const core::ReaderStore& store : reader.stores) {
      const RawAnswer answer = Good(
          Open().Get("/tuned/" + store.family->name + "?allow_empty=1&engine=" + reader.engine));
      reading.tables.push_back({store.family, answer.body, 0, 0});
    }
    return reading;
  }
};

TEST_F(ReaderImportTest, every_real_tree_comes_back_as_the_files_that_its_reading_makes) {
  for (const char* const name : {"vllm", "sglang", "aiter"}) {
    const core::Reader& reader = ShippedReader(name);
    const auto entries = RealFiles(name);
    if (entries.empty()) {
      GTEST_SKIP() << "NOT TESTED: no files in " << RealTree(name) << " (set TUNEHUB_DATA)";
    }
    const auto reading = core::ReadTree(reader, ShippedTargets(), entries);
    const auto begin = std::chrono::steady_clock::now();
    const Finished done = Import(name, RealTree(name).string());
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const auto report = nlohmann::json::parse(done.out);
    const auto& receipt = report.at("receipt");
    EXPECT_EQ(report.at("files_aside"), reading.files_aside) << name;
    EXPECT_EQ(receipt.value("rejected", 0), 0) << receipt.dump(1).substr(0, 2000);
    EXPECT_EQ(Written(reader, Served(reader)), Written(reader, reading)) << name;
    auto again = nlohmann::json::parse(Import(name, RealTree(name).string()).out);
    EXPECT_EQ(again.at("receipt").at("unchanged"), receipt.at("rows")) << name;
    EXPECT_EQ(again.at("receipt").at("stored"), 0);
    again["receipt"] = receipt;
    EXPECT_EQ(again, report) << name << ": what was found is said again";
    std::printf("%s: %s rows in %.2f s, by the agent from its tree\n", name,
                receipt.at("rows").dump().c_str(), seconds);
  }
}

// A GEMM's name with what no GEMM has: it is of the family of whole files, and found by its name.
TEST_F(ReaderImportTest, aiters_nested_files_come_back_by_their_names) {
  const TempDir dir;
  const std::string gemm = "gfx950/triton/gemm/gemm_a8w8/";
  const std::map<std::string, std::string> files = {
      {gemm + "DEFAULT.json", R"({"any": {"x": 1}})"},
      {gemm + "GEMM-A8W8-N=1-K=2-CU=64.json", R"({"M_BOUNDS": [2], "M_LEQ_2": {"x": 2}})"},
      {gemm + "GEMM-A8W8-N=1-K=2.json", R"({"any": {"x": 1, "packed": {"y": 2}}})"},
      {"gfx950/gluon/attention/mha/mha.json",
       R"({"fwd": {"pe": [")" + std::string(5000, 'x') + R"("]}})"}};
  for (const auto& [path, bytes] : files) dir.Write(path, bytes);
  const Finished done = Import("aiter", dir.path().string());
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  const auto report = nlohmann::json::parse(done.out);
  EXPECT_EQ(report.at("layouts"), nlohmann::json({{"triton/gemm", 2}}));
  for (const auto& [path, bytes] : files) {
    const RawAnswer answer = Open().Get("/files/aiter/" + path);
    ASSERT_EQ(Verdict(answer), "200") << path;
    EXPECT_EQ(nlohmann::json::parse(answer.body), nlohmann::json::parse(bytes)) << path;
  }
  EXPECT_EQ(Open().Get("/files/aiter/" + gemm + "GEMM-A8W8-N=1-K=3.json").status, 404);
  EXPECT_EQ(Open().Get("/files/aiter/" + gemm + "DEFAULT.json?family=triton_file").status, 404);
}

TEST_F(ReaderImportTest, what_is_kept_aside_is_listed_and_not_sent) {
  const TempDir dir;
  dir.Write("moe/E=5,N=64,device_name=Toy_A.json", R"({"1": {"x": 1}, "4": {"x": 2}})");
  dir.Write("moe/E=5,N=65,device_name=Toy_A.json", R"({"1": {"x": 1}, "any": {"x": 2}})");
  dir.Write("moe/E=5,N=66,device_name=Toy_A,block_shape=[8, 8].json", R"({"1": {"x": 1}})");
  const Finished done = Import("vllm", dir.path().string());
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
  const TempDir dir;
  const std::string moe = "python/sglang/srt/layers/moe/moe_runner/triton_utils/configs/";
  const std::string gemm = "python/sglang/kernels/ops/quantization/configs/";
  dir.Write(moe + "triton_3_4_0/E=6,N=64,device_name=Toy_B.json", R"({"1": {"x": 1}})");
  dir.Write(gemm + "N=6,K=64,device_name=Toy_B.json", R"({"1": {"x": 1}})");
  dir.Write("test/E=7,N=64,device_name=Toy_B.json", R"({"1": {"x": 1}})");
  const auto report = nlohmann::json::parse(Import("sglang", dir.path().string()).out);
  EXPECT_EQ(report.at("files"), 2) << report.dump(1);
  EXPECT_EQ(report.at("files_aside"), 0);
  EXPECT_THAT(Open().Get("/tuned/triton_fused_moe?device=Toy_B").body,
              testing::Not(testing::HasSubstr("E=7")));
  // A folder that is a part of the name may itself be given.
  const auto one = nlohmann::json::parse(
      Import("sglang", (dir.path() / moe / "triton_3_4_0").string(), {"--source", "one"}).out);
  EXPECT_EQ(one.at("files_aside"), 0) << one.dump(1);
}

}  // namespace
}  // namespace tunehub::test
