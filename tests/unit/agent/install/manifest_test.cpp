// tunehub-agent manifest lists the kernels that a tree can run. The test makes trees in the formats
// of AITER's code generators, with invented kernels.
#include <fmt/core.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "agent/aiter/build_scan.h"
#include "agent/install/commands.h"
#include "agent/tables/commands.h"
#include "tests/support/code_object.h"
#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using tunehub::test::CodeObject;

// Returns a literal that may contain zero bytes.
template <std::size_t kSize>
std::string Bytes(const char (&text)[kSize]) {
  return {text, kSize - 1};
}

TEST(CodeObject, its_kernels_are_the_symbols_with_a_descriptor) {
  const std::string file =
      CodeObject({"_ZN5aiter1bE", "_ZN5aiter1bE.kd", "_ZN5aiter1aE.kd", "__hip_cuid_1", ".kd"});
  EXPECT_THAT(*KernelsOfCodeObject(file), ElementsAre("_ZN5aiter1aE", "_ZN5aiter1bE"));
}

TEST(CodeObject, what_is_none_is_refused_wherever_it_ends) {
  const std::string file = CodeObject({"_ZN5aiter1aE.kd"});
  EXPECT_EQ(KernelsOfCodeObject("text").error().code, "bad_code_object");
  for (std::size_t size = 0; size < file.size(); ++size) {
    const auto kernels = KernelsOfCodeObject(std::string_view(file).substr(0, size));
    EXPECT_FALSE(kernels.ok()) << size;
  }
  for (std::size_t i = 16; i < file.size(); ++i) {  // for any byte value, no read leaves the file
    std::string broken = file;
    broken[i] = '\xFF';
    (void)KernelsOfCodeObject(broken).ok();
  }
}

constexpr const char* kNameKeyed =
    "#pragma once\n#ifdef USE_ROCM\n\n#define GENERATE_LOOKUP_TABLE(DTYPE, ETYPE)      \\\n"
    "   {                                       \\\n"
    "       {\"toy_256x16x64\",                                  \\\n"
    "        toy_256x16x64<DTYPE, ETYPE>},                       \\\n"
    "       {\"toy_256x32x64\",                                  \\\n"
    "        toy_256x32x64<DTYPE, ETYPE>},                       \\\n   }\n\n#endif\n";
constexpr const char* kShapeKeyed =
    "       {{\"gfx942\", 304, 16, 1280, 8192},          \\\n"
    "        toy_256x16x64<DTYPE, ETYPE>},                       \\\n";
constexpr const char* kIdKeyed =
    "       {12,                                         \\\n"
    "        toy_256x16x64<DTYPE, ETYPE>},                       \\\n";

TEST(KernelNames, are_read_from_lookup_headers_and_libraries) {
  const std::vector<std::string> prefixes = {"toy_"};
  EXPECT_THAT(KernelsOfHeader(kNameKeyed, prefixes),
              ElementsAre(NamedKernel{{}, "toy_256x16x64"}, NamedKernel{{}, "toy_256x32x64"}));
  EXPECT_THAT(KernelsOfHeader(kShapeKeyed, prefixes),
              ElementsAre(NamedKernel{{}, "toy_256x16x64", "gfx942", "304x16x1280x8192"}));
  EXPECT_THAT(KernelsOfHeader(kIdKeyed, prefixes), ElementsAre(NamedKernel{12, "toy_256x16x64"}));
  EXPECT_THAT(KernelsOfHeader(kNameKeyed, {"other_"}), IsEmpty());
  const std::string bytes = Bytes(
      "\x7F"
      "ELF\0toy_256x16\0_Z10toy_256x32ILi3EEvv\0mytoy_256x48\0toy_\0toy_error\0"
      "__CLANG_OFFLOAD_BUNDLE__hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+");
  EXPECT_THAT(KernelsOfLibrary(bytes, {"toy_"}), ElementsAre("toy_256x16", "toy_256x32"));
  EXPECT_THAT(TargetsOfLibrary(bytes), ElementsAre("gfx942"));
}

constexpr const char* kList = R"(
from dataclasses import dataclass
from chip_info import get_gfx
import torch
import no_such_library

@dataclass
class Kernel:
    m: int
    n: int

    @property
    def name(self):
        return "PREFIX" + "x".join(map(str, [256, self.m, self.n]))

kernels_list = {
    0: Kernel(16, 64),
    1: Kernel(32, 64),
}
if get_gfx().startswith("gfx95"):
    kernels_list[2] = Kernel(64, 64)
default_kernels_dict = {-1: Kernel(8, 8)}
)";

std::string List(const std::string& prefix) {
  std::string text = kList;
  return text.replace(text.find("PREFIX"), 6, prefix);
}

TEST(CandidateList, is_read_by_python_for_an_architecture) {
  const TempFolder folder;
  const std::string file = folder.Write("toy_common.py", List("toy_"));
  const auto kernels = Must(ReadCandidateList(file, "gfx942"));
  EXPECT_THAT(kernels,
              ElementsAre(NamedKernel{0, "toy_256x16x64"}, NamedKernel{1, "toy_256x32x64"}));
  EXPECT_EQ(ReadCandidateList(file, "gfx950")->size(), 3u);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "__pycache__"));
}

TEST(CandidateList, that_python_cannot_read_is_an_error_with_its_last_words) {
  const TempFolder folder;
  const std::string file = folder.Write("toy_common.py", "kernels_list = {0: 1 / 0}\n");
  const auto kernels = ReadCandidateList(file, "gfx942");
  EXPECT_EQ(ErrorCode(kernels), "candidates_unreadable");
  EXPECT_THAT(kernels.error().detail, HasSubstr("ZeroDivisionError"));
}

class AgentManifest : public CommandTest {
 protected:
  void MakeSources() {
    folder_.Write("csrc/ck_gemm_a8w8/gemm_a8w8_common.py", List("a8w8_rowwise_"));
    folder_.Write("csrc/ck_gemm_a8w8_blockscale/gemm_a8w8_blockscale_cktile_instance.py",
                  List("a8w8_blockscale_cktile_"));
    folder_.Write("hsa/gfx950/toy/toy.co", CodeObject({"_ZN5aiter1aE.kd"}));
    folder_.Write("aiter/ops/flydsl/__init__.py", "");
    folder_.Write("aiter/_version.py", "__version__ = version = '0.1.14'\n");
  }
  std::string Scan(std::optional<core::BuildKind> kind = {}) {
    const auto scan =
        ScanBuild(configuration_, {.folder = folder_.path(), .kind = kind, .gfxs = {}});
    if (!scan.ok()) return scan.error().code;
    for (const std::string& unread : scan->unread) unread_ += unread + "\n";
    std::string text = scan->manifest.Text();
    // The line "# rocm:" depends on this host's ROCm.
    const std::size_t rocm = text.find("# rocm:");
    if (rocm != std::string::npos) text.erase(rocm, text.find('\n', rocm) + 1 - rocm);
    return text;
  }

  std::string unread_;
};

TEST_F(AgentManifest, a_checkout_is_what_its_lists_may_compile_and_what_lies_there_ready) {
  MakeSources();
  EXPECT_EQ(Scan(),
            "# kind: buildable\n# aiter: 0.1.14\nmodule,gfx,kernelId,kernelName\n"
            "asm,gfx950,,_ZN5aiter1aE\n"
            "flydsl,,,*\n"
            "gemm_a8w8,,0,a8w8_rowwise_256x16x64\n"
            "gemm_a8w8,,1,a8w8_rowwise_256x32x64\n"
            "gemm_a8w8,gfx950,2,a8w8_rowwise_256x64x64\n"
            "gemm_a8w8_blockscale_bpreshuffle_cktile,,,a8w8_blockscale_cktile_256x16x64\n"
            "gemm_a8w8_blockscale_bpreshuffle_cktile,,,a8w8_blockscale_cktile_256x32x64\n"
            "gemm_a8w8_blockscale_bpreshuffle_cktile,gfx950,,a8w8_blockscale_cktile_256x64x64\n"
            "gemm_a8w8_blockscale_cktile,,,a8w8_blockscale_cktile_256x16x64\n"
            "gemm_a8w8_blockscale_cktile,,,a8w8_blockscale_cktile_256x32x64\n"
            "gemm_a8w8_blockscale_cktile,gfx950,,a8w8_blockscale_cktile_256x64x64\n");
  EXPECT_EQ(unread_, "");
}

TEST_F(AgentManifest, a_built_tree_is_what_its_libraries_have_beside_what_its_lists_may_compile) {
  MakeSources();
  folder_.Write("aiter/jit/module_gemm_a8w8.so",
                Bytes("\0_Z25a8w8_rowwise_256x32x64_abILi3EE\0amdgcn-amd-amdhsa--gfx942"));
  folder_.Write("aiter/jit/build/module_gemm_a8w8_blockscale/blob/gemm_a8w8_blockscale_lookup.h",
                "{\"a8w8_blockscale_1x128x128_1\", \\\n a8w8_blockscale_1x128x128_1<D, E>}, \\\n");
  const std::string tree = Scan();
  EXPECT_THAT(tree, StartsWith("# kind: tree\n# aiter: 0.1.14\n"
                               "module,gfx,kernelId,kernelName,built,shape\n"
                               "asm,gfx950,,_ZN5aiter1aE,1,\n"
                               "flydsl,,,*,1,\n"
                               "gemm_a8w8,,0,a8w8_rowwise_256x16x64,,\n"));
  EXPECT_THAT(tree, HasSubstr("\ngemm_a8w8,gfx942,,a8w8_rowwise_256x32x64_ab,1,\n"));
  EXPECT_THAT(tree, HasSubstr("\ngemm_a8w8_blockscale,,,a8w8_blockscale_1x128x128_1,1,\n"));
  EXPECT_EQ(Scan(core::BuildKind::kCompiled),
            "# kind: compiled\n# aiter: 0.1.14\nmodule,gfx,kernelId,kernelName\n"
            "asm,gfx950,,_ZN5aiter1aE\n"
            "flydsl,,,*\n"
            "gemm_a8w8,gfx942,,a8w8_rowwise_256x32x64_ab\n"
            "gemm_a8w8_blockscale,,,a8w8_blockscale_1x128x128_1\n");
  EXPECT_THAT(Scan(core::BuildKind::kBuildable), HasSubstr("a8w8_rowwise_256x16x64"));
}

TEST_F(AgentManifest, a_lookup_header_tells_the_shapes_of_a_table_and_the_names_of_a_registry) {
  MakeSources();
  folder_.Write("aiter/jit/build/module_gemm_a8w8/blob/gemm_a8w8_lookup.h",
                "{{\"gfx942\", 304, 16, 1280, 8192}, \\\n a8w8_rowwise_256x32x64<D, E>}, \\\n");
  folder_.Write("aiter/jit/build/module_gemm_a8w8_blockscale/blob/gemm_a8w8_blockscale_lookup.h",
                "{\"a8w8_blockscale_1x128x128_1\", \\\n a8w8_blockscale_1x128x128_1<D, E>}, \\\n");
  folder_.Write("aiter/jit/module_gemm_a8w8.so", Bytes("\0a8w8_rowwise_256x32x64\0"
                                                       "amdgcn-amd-amdhsa--gfx942"));
  const std::string library =
      folder_.Write("aiter/jit/module_gemm_a8w8_blockscale.so",
                    Bytes("\0a8w8_blockscale_1x128x128_1\0_Z27a8w8_blockscale_1x128x128_7I\0"
                          "amdgcn-amd-amdhsa--gfx942"));
  std::string tree = Scan();
  EXPECT_THAT(tree, HasSubstr("gemm_a8w8,gfx942,,a8w8_rowwise_256x32x64,1,304x16x1280x8192\n"));
  EXPECT_THAT(tree, HasSubstr("gemm_a8w8_blockscale,gfx942,,a8w8_blockscale_1x128x128_1,1,\n"));
  EXPECT_THAT(tree, Not(HasSubstr("a8w8_blockscale_1x128x128_7")))
      << "the default kernel has no entry by name";
  // A header newer than its library comes from an unfinished build.
  const auto early = std::filesystem::last_write_time(library) - std::chrono::hours(1);
  std::filesystem::last_write_time(library, early);
  EXPECT_THAT(Scan(), HasSubstr("a8w8_blockscale_1x128x128_7"));
}

TEST_F(AgentManifest, a_module_that_was_built_without_a_named_kernel_is_built) {
  MakeSources();
  folder_.Write("aiter/jit/build/module_gemm_a8w8_blockscale/blob/gemm_a8w8_blockscale_lookup.h",
                "#define GENERATE_LOOKUP_TABLE(DTYPE, ETYPE) {}\n");
  folder_.Write("aiter/jit/module_gemm_a8w8.so", Bytes("\0amdgcn-amd-amdhsa--gfx942"));
  const std::string tree = Scan();
  EXPECT_THAT(tree, HasSubstr("gemm_a8w8_blockscale,,,-,1,\n"));
  EXPECT_THAT(tree, HasSubstr("gemm_a8w8,,,-,1,\n"));
}

TEST_F(AgentManifest, what_a_tuner_built_is_not_what_inference_has) {
  MakeSources();
  folder_.Write("aiter/jit/module_gemm_a8w8_tune.so", Bytes("\0a8w8_rowwise_256x32x64\0"));
  folder_.Write("aiter/jit/build/module_gemm_a8w8_tune/blob/gemm_a8w8_lookup.h",
                "{12, \\\n a8w8_rowwise_256x32x64<D, E>}, \\\n");
  EXPECT_THAT(Scan(), StartsWith("# kind: buildable\n"));
}

TEST_F(AgentManifest, what_a_tree_has_nothing_of_is_named_with_its_place) {
  folder_.Write("csrc/ck_gemm_a8w8/gemm_a8w8_common.py", List("a8w8_rowwise_"));
  const auto scan =
      Must(ScanBuild(configuration_, {.folder = folder_.path(), .kind = {}, .gfxs = {}}));
  std::map<std::string, std::string> places;
  for (const AbsentModule& absent : scan.absent) places[absent.module] = absent.place;
  EXPECT_EQ(places["asm"], "hsa/");
  EXPECT_EQ(places["flydsl"], "aiter/ops/flydsl");
  EXPECT_EQ(places["moe_opus"], "csrc/opus_moe/opus_moe_common.py");
  EXPECT_FALSE(places.contains("gemm_a8w8"));
}

TEST_F(AgentManifest, an_installed_package_keeps_its_sources_aside) {
  folder_.Write("aiter_meta/csrc/ck_gemm_a8w8/gemm_a8w8_common.py", List("a8w8_rowwise_"));
  folder_.Write("aiter_meta/hsa/gfx942/a.co", CodeObject({"_ZN5aiter1aE.kd"}));
  folder_.Write("aiter/configs/a8w8_tuned_gemm.csv", "");
  const std::string whole = Scan();
  EXPECT_THAT(whole, HasSubstr("gemm_a8w8,,0,a8w8_rowwise_256x16x64"));
  EXPECT_THAT(whole, HasSubstr("asm,gfx942,,_ZN5aiter1aE"));
  for (const char* inside : {"aiter", "aiter/", "aiter/configs"}) {
    const auto scan =
        ScanBuild(configuration_, {.folder = folder_.path() / inside, .kind = {}, .gfxs = {}});
    ASSERT_TRUE(scan.ok()) << inside;
    EXPECT_EQ(scan->manifest.kernels().size(), 4u) << inside;
  }
}

TEST_F(AgentManifest, what_cannot_be_read_is_said_and_left_out) {
  MakeSources();
  folder_.Write("hsa/gfx950/toy/broken.co", "no ELF");
  folder_.Write("csrc/ck_gemm_a8w8/gemm_a8w8_common.py", "raise SystemError('out of order')\n");
  const std::string manifest = Scan();
  EXPECT_THAT(manifest, testing::Not(HasSubstr("a8w8_rowwise")));
  EXPECT_THAT(unread_, HasSubstr("broken.co: expected a code object, but"));
  EXPECT_THAT(unread_, HasSubstr("out of order"));
}

TEST_F(AgentManifest, a_tree_without_a_kernel_is_no_build) {
  folder_.Write("aiter/configs/a8w8_tuned_gemm.csv", "");
  EXPECT_EQ(Scan(), "no_kernels");
}

TEST_F(AgentManifest, is_sent_under_the_trees_version) {
  MakeSources();
  hub_.answers = {{201, {}, R"({"build":"aiter-0.1.14@abc"})"}};
  ManifestOptions options;
  options.scan.folder = folder_.path();
  options.put = "";
  options.json = true;
  EXPECT_EQ(MakeManifest(configuration_, options, &hub_, pauses_.pauses, console_.console), kGood)
      << console_.err.str();
  EXPECT_EQ(hub_.requests[0].method, "PUT");
  EXPECT_EQ(hub_.requests[0].target, "/builds/aiter-0.1.14");
  EXPECT_THAT(hub_.requests[0].body, HasSubstr("asm,gfx950,,_ZN5aiter1aE\n"));
  const auto report = nlohmann::json::parse(console_.out.str());
  EXPECT_EQ(report["build"], "aiter-0.1.14@abc");
  EXPECT_EQ(report["modules"]["gemm_a8w8"], 3);
}

TEST_F(AgentManifest, has_a_name_of_its_own_where_the_trees_is_taken_by_another_build) {
  MakeSources();
  ManifestOptions options;
  options.scan.folder = folder_.path();
  options.put = "";
  for (const char* code : {"not_owner", "would_shrink"}) {
    hub_.requests.clear();
    hub_.answers = {{409, {}, fmt::format(R"({{"code":"{}"}})", code)},
                    {201, {}, R"({"build":"own@abc"})"}};
    EXPECT_EQ(MakeManifest(configuration_, options, &hub_, pauses_.pauses, console_.console), kGood)
        << console_.err.str();
    ASSERT_EQ(hub_.requests.size(), 2u);
    EXPECT_THAT(hub_.requests[1].target, testing::MatchesRegex("/builds/aiter-0.1.14-[0-9a-f]+"));
  }
  hub_.answers = {{409, {}, R"({"code":"would_shrink"})"}};
  options.put = "named";
  EXPECT_NE(MakeManifest(configuration_, options, &hub_, pauses_.pauses, console_.console), kGood);
}

TEST_F(AgentManifest, check_lists_the_rows_of_any_table_that_a_build_cannot_run) {
  const std::string manifest =
      folder_.Write("wheel.csv",
                    "# kind: compiled\nmodule,gfx,kernelId,kernelName\n"
                    "gemm_a8w8_blockscale,gfx942,,a8w8_blockscale_1x128x128_x\n");
  const std::string table = folder_.Write(
      "t.csv", kBlockscaleHeader + BlockscaleRow(16, "5.5", "a8w8_blockscale_1x128x128_x") +
                   BlockscaleRow(32, "6.5", "a8w8_blockscale_1x128x128_y"));
  CheckOptions options;
  options.paths = {table};
  options.family = "a8w8_blockscale";
  options.build = manifest;
  EXPECT_EQ(Check(configuration_, options, console_.console), kFinding);
  EXPECT_THAT(
      console_.out.str(),
      HasSubstr("t.csv:3: the module gemm_a8w8_blockscale has no a8w8_blockscale_1x128x128_y for "
                "gfx942"));
  EXPECT_THAT(console_.out.str(), HasSubstr("; 1 rows that the build cannot run"));
  options.build = "";
  EXPECT_EQ(Check(configuration_, options, console_.console), kGood);
  options.build = table;
  EXPECT_EQ(Check(configuration_, options, console_.console), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("t.csv: "));
}

}  // namespace
}  // namespace tunehub::agent::test
