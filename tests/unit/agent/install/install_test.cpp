// tunehub-agent install: the tree after an install, and the undo from every step.
#include <map>
#include <nlohmann/json.hpp>

#include "agent/install/commands.h"
#include "agent/install/installer.h"
#include "core/base/archive.h"
#include "core/base/hash.h"
#include "tests/support/code_object.h"
#include "tests/support/hostile_names.h"
#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"
#include "tests/unit/agent/bundle_support.h"

namespace tunehub::agent::test {
namespace {

namespace fs = std::filesystem;

constexpr char kDefault[] = "a8w8_blockscale_tuned_gemm.csv";
constexpr char kModel[] = "model_configs/m_a8w8_blockscale_tuned_gemm.csv";
constexpr char kInstallOther[] = "tuned_fmoe.csv";
constexpr char kMxscale[] = "batched_gemm_a8w8_blockscale_mxscale_tuned.csv";
constexpr char kMxscaleTable[] =
    "gfx,b,m,n,k,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
    "gfx950,8,16,128,256,opus,1,0,5.5,opus_x,1.0,1.0,0.0\n";

class AgentInstall : public CommandTest {
 protected:
  AgentInstall() {
    Put(kDefault, kBlockscaleHeader + BlockscaleRow(16, "4.5"));
    Put(kModel, kBlockscaleHeader + BlockscaleRow(32, "6.5"));
    Put(kInstallOther, "left alone");
    Put("a8w8_blockscale_untuned_gemm.csv", "M,N,K\n");
    options_.folder = folder_.path();
    options_.hub = "http://hub";
    before_ = Tree();
  }

  void Put(const std::string& name, const std::string& bytes) {
    folder_.Write("aiter/configs/" + name, bytes);
  }

  // Returns every file of the folder, including hidden files.
  std::map<std::string, std::string> Tree() const { return tunehub::test::FilesBelow(Configs()); }
  fs::path Configs() const { return folder_.path() / "aiter" / "configs"; }

  // Returns the files that AITER sees.
  std::map<std::string, std::string> Visible() const {
    std::map<std::string, std::string> files;
    for (const auto& [name, bytes] : Tree()) {
      if (!name.starts_with(".tunehub-backup")) files[name] = bytes;
    }
    return files;
  }

  int Run() {
    console_.Clear();
    return options_.undo
               ? UndoInstall(configuration_, options_, console_.console)
               : Install(configuration_, options_, hub_, pauses_.pauses, console_.console);
  }
  int Undo() {
    options_.undo = true;
    const int code = Run();
    options_.undo = false;
    return code;
  }

  const std::string served_ =
      kBlockscaleHeader + BlockscaleRow(16, "4.25") + BlockscaleRow(32, "6.5");
  const Answer whole_ = BundleOf({{kDefault, served_}, {kMxscale, kMxscaleTable}});
  InstallOptions options_;
  std::map<std::string, std::string> before_;
};

TEST_F(AgentInstall, replaces_the_default_file_moves_model_files_aside_and_gives_every_byte_back) {
  const std::string pin = "7-0123456789abcdef0123456789abcdef";
  hub_.answers = {whole_};
  hub_.answers[0].headers["tunehub-pin"] = pin;
  ASSERT_EQ(Run(), kGood) << console_.err.str();
  auto expected = before_;
  expected[kDefault] = served_;
  expected[kMxscale] = kMxscaleTable;
  expected.erase(kModel);
  EXPECT_EQ(Visible(), expected);
  EXPECT_THAT(console_.out.str(), HasSubstr("2 rows, 1 model files moved aside\n"));
  EXPECT_THAT(console_.out.str(), HasSubstr("installed revision 7"));
  EXPECT_THAT(Tree().at(".tunehub-backup/manifest.json"), HasSubstr(R"("pin": ")" + pin + "\""));
  EXPECT_EQ(Undo(), kGood) << console_.err.str();
  EXPECT_EQ(Tree(), before_);
  EXPECT_EQ(Undo(), kGood);
  EXPECT_THAT(console_.out.str(), HasSubstr("nothing is installed"));
}

TEST_F(AgentInstall, refuses_while_the_tree_has_keys_that_the_hub_lacks) {
  const auto bundle = BundleOf({{kDefault, kBlockscaleHeader + BlockscaleRow(16, "4.25")}});
  hub_.answers = {bundle, bundle};
  EXPECT_EQ(Run(), kFinding);
  EXPECT_THAT(console_.err.str(), HasSubstr("the hub lacks 1 rows"));
  EXPECT_THAT(console_.err.str(),
              HasSubstr(std::string(kModel) + ":2: gfx=gfx942 cu_num=304 M=32 N=1280 K=8192"));
  EXPECT_EQ(Tree(), before_);
  options_.force = true;
  EXPECT_EQ(Run(), kGood);
  EXPECT_EQ(Undo(), kGood);
  EXPECT_EQ(Tree(), before_);
}

TEST_F(AgentInstall, a_file_that_cannot_be_compared_is_a_loss_too) {
  Put(kModel, "no,such,header\n");
  hub_.answers = {BundleOf({{kDefault, served_}})};
  EXPECT_EQ(Run(), kFinding);
  EXPECT_THAT(console_.err.str(), HasSubstr(std::string(kModel) + ": "));
}

TEST_F(AgentInstall, rows_of_targets_that_were_not_asked_for_may_go) {
  Put(kModel, kBlockscaleHeader + std::string("gfx950,256,32,1,1,ck,7,0,5,k,1,1,0\n"));
  options_.gpu_archs = "gfx942:sramecc+";
  hub_.answers = {BundleOf({{kDefault, served_}})};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(hub_.requests[0].target, "/bundle?gpu_archs=gfx942%3Asramecc%2B");
  EXPECT_THAT(console_.out.str(), HasSubstr("left behind: 1 rows of other targets"));
}

TEST_F(AgentInstall, native_is_the_gpu_of_the_host_that_installs) {
  Put(kModel, kBlockscaleHeader + std::string("gfx942,304,32,1,1,ck,7,0,5,k,1,1,0\n"));
  const TempFolder host;
  options_.device_root = host.path().string();
  options_.gpu_archs = "native";
  const core::Status none = ResolveNative(options_);
  EXPECT_EQ(none.error().code, "no_device");
  EXPECT_THAT(none.error().detail, HasSubstr("--gpu-archs native: "));
  host.Write("sys/class/kfd/kfd/topology/nodes/1/properties",
             "simd_count 320\nsimd_per_cu 4\ngfx_target_version 90402\n");
  ASSERT_TRUE(ResolveNative(options_).ok());
  hub_.answers = {BundleOf({{kDefault, served_}})};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(hub_.requests[0].target, "/bundle?gfx=gfx942&cu_num=80");
  EXPECT_THAT(console_.out.str(), HasSubstr("left behind: 2 rows of other targets"))
      << "MI300X is another GPU with the same gfx";
}

TEST_F(AgentInstall, a_second_install_still_leads_back_to_the_first_tree) {
  const std::string newer = kBlockscaleHeader + BlockscaleRow(16, "4") + BlockscaleRow(32, "6");
  hub_.answers = {BundleOf({{kDefault, served_}}), BundleOf({{kDefault, newer}})};
  ASSERT_EQ(Run(), kGood);
  ASSERT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(Visible()[kDefault], newer);
  EXPECT_EQ(Undo(), kGood);
  EXPECT_EQ(Tree(), before_);
}

TEST_F(AgentInstall, does_not_overwrite_what_was_changed_since) {
  hub_.answers = {BundleOf({{kDefault, served_}})};
  ASSERT_EQ(Run(), kGood);
  Put(kDefault, "edited");
  EXPECT_EQ(Undo(), kFinding);
  EXPECT_THAT(console_.err.str(), HasSubstr("was changed after the install"));
  EXPECT_EQ(Visible()[kDefault], "edited");
  options_.force = true;
  EXPECT_EQ(Undo(), kGood);
  EXPECT_EQ(Tree(), before_);
}

TEST_F(AgentInstall, refuses_a_bundle_whose_sums_do_not_hold) {
  Answer answer = BundleOf({{kDefault, served_}});
  answer.body = core::WriteTarGz(
      {{std::string("aiter/configs/") + kDefault, served_},
       {"SHA256SUMS", core::Sha256Hex("other") + "  aiter/configs/" + kDefault + "\n"}});
  hub_.answers = {answer};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("bad_bundle"));
  EXPECT_EQ(Tree(), before_);
}

TEST_F(AgentInstall, refuses_a_bundle_that_leaves_the_folder) {
  hub_.answers = {{200, {}, core::WriteTarGz({{"../../etc/passwd", "x"}})}};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("would be outside of the folder"));
  for (const std::string& name : tunehub::test::HostileFileNames()) {
    hub_.answers = {BundleOf({{kDefault, served_}, {name, "x"}})};
    EXPECT_EQ(Run(), kFailed) << name;
    EXPECT_THAT(console_.err.str(), HasSubstr("bad_archive")) << name;
  }
  EXPECT_EQ(Tree(), before_);
}

TEST_F(AgentInstall, refuses_a_bundle_with_a_cell_that_a_script_would_evaluate) {
  hub_.answers = {BundleOf({{"a8w8_tuned_gemm.csv",
                             "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName\n"
                             "gfx942,304,1,2,3,__import__('os'),1,0,4.5,a8w8_k\n"}})};
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(),
              HasSubstr("a8w8_tuned_gemm.csv:2: q_dtype_w: '__import__('os')'"));
  EXPECT_EQ(Tree(), before_);
}

// The reader stops at a row's first fault and does not check the row's later cells.
TEST_F(AgentInstall, RefusesATableThatNoHubWrites) {
  struct Table {
    std::string name, bytes, fault;
  };
  const std::string gemm = "a8w8_tuned_gemm.csv", fmoe = "tuned_fmoe.csv",
                    header = "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName",
                    row = "gfx942,304,1,2,3,torch.int8,1,0,4.5,", expression = "__import__('os')";
  const std::string moe_header =
      "gfx,cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,"
      "use_g1u1,doweight_stage1,block_m,ksplit,us1,kernelName1,err1,us2,kernelName2,err2,us,"
      "run_1stage,xbf16,flat,tflops,bw,_tag\n";
  const std::string moe_key =
      "gfx942,304,16,4096,1024,8,2,ActivationType.Silu,torch.bfloat16,torch.int8,torch.int8,"
      "QuantType.per_Token,1,0,32,0,1.0,";
  for (const Table& table : {
           Table{gemm, header + "\ngfx942,304,x,2,3," + expression + ",1,0,4.5,k\n",
                 ":2: M: 'x': expected an integer (not_an_integer)"},
           {gemm, header + "\n" + row + "k,x\n",
            ":2: has 11 fields, but the header has 10 (ragged_row)"},
           {gemm, header + "\n" + row + R"("k""; system(""id"");")" + "\n", "(bad_text)"},
           {gemm, header + "\n" + row + "FAILED: " + expression + "\n",
            ":2: failed: the tuner named the kernel"},
           {gemm, header + ",evil\n" + row + "k," + expression + "\n", ":1: evil: "},
           {fmoe, moe_header + moe_key + '"' + expression + "\",0%,2.0,k,0%,z,0,0,0,1,\n",
            ":2: shifted_columns"},
       }) {
    hub_.answers = {BundleOf({{table.name, table.bytes}})};
    options_.force = true;
    EXPECT_EQ(Run(), kFailed) << table.bytes;
    EXPECT_THAT(console_.err.str(), HasSubstr("(bad_bundle)"));
    EXPECT_THAT(console_.err.str(), HasSubstr(table.name + ":"));
    EXPECT_THAT(console_.err.str(), HasSubstr(table.fault));
    EXPECT_EQ(Tree(), before_);
  }
}

TEST_F(AgentInstall, a_header_that_is_no_revision_is_left_out_and_takes_nothing_away) {
  hub_.answers = {BundleOf({{kDefault, served_}}), BundleOf({{kDefault, served_}})};
  hub_.answers[1].headers["tunehub-revision"] = "5\xff";
  hub_.answers[1].headers["tunehub-pin"] = "\x1b[2J";
  ASSERT_EQ(Run(), kGood);
  const auto installed = Visible();
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(Visible(), installed);
  EXPECT_THAT(Tree().at(".tunehub-backup/manifest.json"), HasSubstr(R"("revision": "")"));
  EXPECT_EQ(Undo(), kGood) << console_.err.str();
  EXPECT_EQ(Tree(), before_);
}

TEST_F(AgentInstall, one_install_at_a_time) {
  const Installer other(Configs());
  const auto lock = Must(other.Lock());
  EXPECT_EQ(Run(), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("busy"));
}

struct Killed {};

// Runs `run` and kills it after that step. Returns false if `run` has fewer steps.
template <typename Function>
bool DiesAtStep(InstallOptions& options, int step, Function run) {
  int steps = 0;
  options.after_step = [&] {
    if (++steps == step) throw Killed();
  };
  bool died = false;
  try {
    EXPECT_EQ(run(), kGood);
  } catch (const Killed&) {
    died = true;
  }
  options.after_step = nullptr;
  return died;
}

TEST_F(AgentInstall, a_crash_at_any_step_leaves_a_tree_that_undo_restores_and_an_install_finishes) {
  int step = 1;
  for (;; ++step) {
    hub_.answers = {whole_};
    if (!DiesAtStep(options_, step, [&] { return Run(); })) break;
    EXPECT_TRUE(Visible().contains(kDefault)) << "missing after step " << step;
    EXPECT_EQ(Undo(), kGood) << console_.err.str();
    EXPECT_EQ(Visible(), before_) << "after step " << step;
    hub_.answers = {whole_};
    ASSERT_TRUE(DiesAtStep(options_, step, [&] { return Run(); }));
    hub_.answers = {whole_};
    ASSERT_EQ(Run(), kGood) << console_.err.str();
    EXPECT_EQ(Visible()[kDefault], served_);
    ASSERT_EQ(Undo(), kGood);
    ASSERT_EQ(Tree(), before_) << "after step " << step;
  }
  EXPECT_GE(step, 6);
}

// Between link and rename, a default file has two names. If a file stayed in the backup without a
// manifest, the next install would stop at that file.
TEST_F(AgentInstall, a_crash_of_the_way_back_after_a_crash_leaves_no_orphan) {
  const auto bundle = BundleOf({{kDefault, served_}});
  hub_.answers = {bundle};
  ASSERT_TRUE(DiesAtStep(options_, 3, [&] { return Run(); }));  // steps: staged, journal, link
  int undo_steps = 1;
  while (DiesAtStep(options_, undo_steps, [&] { return Undo(); })) ++undo_steps;
  options_.undo = false;
  for (int step = 1; step < undo_steps; ++step) {
    hub_.answers = {bundle};
    ASSERT_TRUE(DiesAtStep(options_, 3, [&] { return Run(); }));
    ASSERT_TRUE(DiesAtStep(options_, step, [&] { return Undo(); }));
    options_.undo = false;
    hub_.answers = {bundle};
    ASSERT_EQ(Run(), kGood) << console_.err.str();
    ASSERT_EQ(Undo(), kGood);
    ASSERT_EQ(Tree(), before_) << "after step " << step;
  }
}

TEST_F(AgentInstall, an_undo_that_dies_can_be_repeated) {
  for (int step = 1;; ++step) {
    hub_.answers = {whole_};
    ASSERT_EQ(Run(), kGood) << console_.err.str();
    const bool died = DiesAtStep(options_, step, [&] { return Undo(); });
    options_.undo = false;
    hub_.answers = {whole_};
    if (step % 2 == 0) {
      EXPECT_EQ(Run(), kGood) << console_.err.str();
    }
    EXPECT_EQ(Undo(), kGood) << console_.err.str();
    ASSERT_EQ(Tree(), before_) << "after step " << step;
    if (!died) break;
  }
}

// The tree's lookup header lists one kernel, so the agent needs no rows of other kernels.
TEST_F(AgentInstall, the_trees_manifest_is_sent_and_its_useless_rows_are_no_loss) {
  folder_.Write("aiter/jit/gemm_a8w8_blockscale_lookup.h",
                "{\"a8w8_blockscale_1x128x128_1\", a8w8_blockscale_1x128x128_1<D, E>},\n");
  const std::string row = BlockscaleRow(16, "4.5", "a8w8_blockscale_1x128x128_1");
  Put(kDefault, kBlockscaleHeader + row);
  hub_.answers = {{201, {}, R"({"build":"aiter@abc"})"},
                  BundleOf({{kDefault, kBlockscaleHeader + row}})};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(hub_.requests[0].target, "/builds/aiter");
  EXPECT_EQ(hub_.requests[1].target, "/bundle?build=aiter%40abc");
  EXPECT_THAT(console_.out.str(), HasSubstr("left behind: 1 rows whose kernel this tree lacks"));
}

Answer Saying(Answer answer, const std::string& header, const std::string& value) {
  answer.headers[header] = value;
  return answer;
}

TEST_F(AgentInstall, says_how_many_rows_are_effective_and_how_many_after_which_rebuild) {
  folder_.Write("hsa/gfx942/a.co", tunehub::test::CodeObject({"_ZN5aiter1aE.kd"}));
  Answer answer = BundleOf({{kDefault, served_}});
  for (const auto& [header, value] : std::map<std::string, std::string>{
           {"tunehub-build", "aiter@abc"},
           {"tunehub-build-effective", "40"},
           {"tunehub-build-after-rebuild", "7"},
           {"tunehub-build-raises-until-rebuild", "5"},
           {"tunehub-build-impossible", "3"},
           {"tunehub-build-modules",
            "a8w8/gemm_a8w8:after_rebuild=4, batched_a8w8/gemm_a8w8:after_rebuild=3, "
            "a8w8_blockscale/gemm_a8w8_blockscale:raises_until_rebuild=5, bf16/flydsl:impossible="
            "3"}}) {
    answer = Saying(std::move(answer), header, value);
  }
  hub_.answers = {{201, {}, R"({"build":"aiter@abc"})"}, answer};
  options_.json = true;
  ASSERT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_THAT(console_.err.str(),
              HasSubstr("rows in aiter@abc: 40 effective, 7 effective after a rebuild, 5 raise an "
                        "error until a rebuild, 3 impossible\n"));
  EXPECT_THAT(console_.err.str(), HasSubstr("7 rows: without effect, but harmless, until a rebuild "
                                            "of gemm_a8w8: a8w8 4, batched_a8w8 3\n"));
  EXPECT_THAT(console_.err.str(),
              HasSubstr("5 rows: not served, because AITER raises an error until a rebuild of "
                        "gemm_a8w8_blockscale: a8w8_blockscale 5\n"));
  EXPECT_THAT(console_.err.str(),
              HasSubstr("3 rows: not served, because this build cannot run them, in flydsl (this "
                        "tree has no files in aiter/ops/flydsl): bf16 3\n"));
  const auto report = nlohmann::json::parse(console_.out.str());
  EXPECT_EQ(report["build"]["effective"], 40);
  EXPECT_EQ(report["build"]["modules"].size(), 4u);
}

// Every release has code objects. In a tree without code objects, an install would remove every
// tuned row.
TEST_F(AgentInstall, a_tree_without_code_objects_is_named_as_the_cause_and_not_installed_into) {
  folder_.Write("aiter/jit/gemm_a8w8_blockscale_lookup.h",
                "{\"a8w8_blockscale_1x128x128_1\", a8w8_blockscale_1x128x128_1<D, E>},\n");
  Answer answer = Saying(BundleOf({{kDefault, served_}}), "tunehub-build", "aiter@abc");
  answer = Saying(std::move(answer), "tunehub-build-modules",
                  "bf16/asm:impossible=528, fmoe/asm:impossible=2968");
  hub_.answers = {{201, {}, R"({"build":"aiter@abc"})"}, answer};
  EXPECT_EQ(Run(), kFinding);
  EXPECT_THAT(console_.err.str(),
              HasSubstr("3496 rows: not served, because this build cannot run them, in asm (this "
                        "tree has no files in hsa/): bf16 528, fmoe 2968\n"));
  EXPECT_THAT(console_.err.str(),
              HasSubstr("has no code objects in hsa/, which 3496 rows need; nothing was changed"));
  EXPECT_EQ(Tree(), before_);
  options_.force = true;
  hub_.answers = {{200, {}, R"({"build":"aiter@abc"})"}, answer};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_THAT(console_.err.str(), HasSubstr("which 3496 rows need; these rows are left out"));
}

// AITER's test of its tables requires times above 0, although lookups ignore times.
TEST_F(AgentInstall, times_that_nobody_measured_are_written_as_inf) {
  const auto served = [](const std::string& time) {
    return kBlockscaleHeader + BlockscaleRow(16, "4.25") + BlockscaleRow(32, time) +
           BlockscaleRow(48, "inf");
  };
  hub_.answers = {BundleOf({{kDefault, served("0")}, {kMxscale, kMxscaleTable}})};
  ASSERT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(Visible()[kDefault], served("inf"));
  EXPECT_EQ(Visible()[kMxscale], kMxscaleTable);
  EXPECT_THAT(console_.out.str(), HasSubstr("written with time inf: 1 rows"));
  EXPECT_EQ(Undo(), kGood) << console_.err.str();
  EXPECT_EQ(Tree(), before_);
}

TEST_F(AgentInstall, measured_only_leaves_rows_without_a_time_out_and_counts_them) {
  Put(kModel, kBlockscaleHeader + BlockscaleRow(32, "0"));
  options_.measured_only = true;
  hub_.answers = {Saying(BundleOf({{kDefault, kBlockscaleHeader + BlockscaleRow(16, "4.25")}}),
                         "tunehub-unmeasured-left-out", "242")};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(hub_.requests[0].target, "/bundle?measured=only");
  EXPECT_THAT(console_.out.str(), HasSubstr("left behind: 1 rows that nobody has measured"));
  EXPECT_THAT(console_.out.str(), HasSubstr("not fetched: 242 rows that nobody has measured"));
}

TEST_F(AgentInstall, a_tree_without_kernels_gets_rows_for_any_build_and_is_told) {
  hub_.answers = {BundleOf(
      {{kDefault, kBlockscaleHeader + BlockscaleRow(16, "4.5") + BlockscaleRow(32, "6.5")}})};
  EXPECT_EQ(Run(), kGood) << console_.err.str();
  EXPECT_EQ(hub_.requests[0].target, "/bundle");
  EXPECT_THAT(console_.err.str(), HasSubstr("found no kernel"));
}

}  // namespace
}  // namespace tunehub::agent::test
