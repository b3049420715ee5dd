// `discover`: the host's devices, the program's kernels, and the installed AITER.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/aiter_root.h"
#include "tests/support/program.h"
#include "tests/support/temp_dir.h"

namespace tunehub::test {
namespace {

using Json = nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;

TEST(Discover, lists_the_cpu_and_the_chips_that_there_are_kernels_for) {
  const auto text = RunToEnd({AgentBinary(), {"discover"}});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out,
              ContainsRegex("\ncpu: .*, cpu-x86-64-v[234] with [0-9]+ cores, [0-9]+ GiB\n"));
  EXPECT_THAT(text.out, HasSubstr("\nkernels for: x86-64-v2, x86-64-v3, x86-64-v4; "));

  const auto json = RunToEnd({AgentBinary(), {"discover", "--json"}});
  ASSERT_EQ(json.status, 0) << json.err;
  const Json host = Json::parse(json.out);
  const auto cpu = RunToEnd({AgentBinary(), {"discover", "--kind", "cpu", "--json"}});
  EXPECT_EQ(host.at("devices").back(), Json::parse(cpu.out));
  EXPECT_EQ(host.at("kernels").size(), 3U);  // for CPU, AMD and NVIDIA
  // The output lists a GPU, or states why there is none.
  EXPECT_EQ(host.at("no_gpu").get<std::string>().empty(), host.at("devices").size() > 1);
}

// Makes a Python environment like ROCm's. Its package cannot be imported.
std::string PythonFolder(const TempDir& dir, const std::string& hip) {
  dir.Write("python/torch/__init__.py", "raise ImportError('nobody imports it')\n");
  dir.Write("python/torch/version.py", "hip = " + hip + "\n");
  dir.Write("python/torch-2.8.0.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: torch\nVersion: 2.8.0\n");
  return dir / "python";
}

TEST(Discover, says_what_there_is_of_aiter_and_why_a_variant_cannot_run) {
  const TempDir dir;
  MakeAiterRoot(dir.path() / "aiter");
  std::filesystem::remove_all(dir.path() / "aiter/csrc/ck_gemm_a8w8");
  const auto seen = [&](const std::string& hip, const std::string& aiter) {
    const auto found =
        RunToEnd({AgentBinary(),
                  {"discover", "--aiter", aiter, "--json"},
                  {{"PYTHONPATH", PythonFolder(dir, hip)}, {"ROCM_PATH", dir.path().string()}}});
    EXPECT_EQ(found.status, 0) << found.err;
    return Json::parse(found.out).at("aiter");
  };
  const auto why = [](const Json& aiter, const std::string& variant) {
    for (const Json& it : aiter.at("variants")) {
      if (it.at("variant") == variant) return it.at("why_not").get<std::string>();
    }
    return std::string("no such variant");
  };
  const std::string root = dir / "aiter";
  const Json rocm = seen("'6.4.1'", root);
  EXPECT_EQ(rocm.at("path"), root);
  EXPECT_EQ(rocm.at("commit"), nullptr) << "the folder is not a git checkout";
  EXPECT_EQ(rocm.at("rocm"), nullptr);
  EXPECT_EQ(rocm.at("pytorch"), "2.8.0");
  EXPECT_EQ(why(rocm, "a8w8"), "this AITER does not have the script");
  const std::string moe = why(rocm, "moe_2stages");
  EXPECT_TRUE(moe.empty() || moe == "this host has no AMD GPU") << moe;
  EXPECT_EQ(why(rocm, "chunk_gdn_h"), "its cases have no shapes");
  EXPECT_EQ(why(seen("None", root), "moe_2stages"), "PyTorch is not built for ROCm");
  const Json none = seen("None", dir.path().string());
  EXPECT_EQ(none.at("path"), nullptr);
  EXPECT_THAT(none.at("no_aiter").get<std::string>(), HasSubstr("is not a folder of AITER"));
  EXPECT_EQ(why(none, "bf16"), "AITER was not found");
}

TEST(Discover, what_was_not_seen_is_unknown) {
  const auto text = RunToEnd({AgentBinary(),
                              {"discover", "--aiter", "/nowhere"},
                              {{"PATH", "/nowhere"}, {"ROCM_PATH", "/nowhere"}}});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("\nno AITER: /nowhere is not a folder of AITER ("));
  EXPECT_THAT(text.out, HasSubstr("\nROCm: unknown\nPython: unknown (unknown), PyTorch unknown, "
                                  "Triton unknown\n"));
  EXPECT_THAT(
      text.out,
      HasSubstr(
          "\nbf16 (csrc/gemm_a16w16/gemm_a16w16_tune.py): cannot run: AITER was not found\n"));
}

}  // namespace
}  // namespace tunehub::test
