// tests/support/aiter_tune_standin.py replaces AITER's tune scripts, so no test needs an AMD GPU.
#include "agent/engines/aiter_tuner.h"

#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/support/aiter_root.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/support/words.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;
using core::Family;
using test::ReadText;
using test::TempFolder;
using ::testing::HasSubstr;
using tunehub::test::ShippedFamily;
using tunehub::test::ShippedTargets;
using tunehub::test::Words;
using Shapes = std::vector<std::vector<std::string>>;

// The families of AITER's "operators tuning" workflow, and bf16.
const std::vector<std::string> kFamilies = Words(
    "batched_a8w8 batched_bf16 a8w8 a8w8_blockscale a8w8_blockscale_bpreshuffle "
    "a8w8_bpreshuffle a4w4_blockscale fmoe bf16");

class Mode {
 public:
  explicit Mode(const char* mode) { ::setenv("STANDIN_MODE", mode, 1); }
  ~Mode() { ::unsetenv("STANDIN_MODE"); }
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;
};

Shapes ShapesOf(const std::string& family) {
  Shapes shapes;
  for (const char* m : {"1", "16", "32", "64", "128", "256"}) {
    std::vector<std::string> shape = {m, "1280", "8192"};
    if (family.starts_with("batched")) shape.insert(shape.begin(), "16");
    if (family == "a8w8" || family == "a8w8_bpreshuffle") shape.emplace_back("torch.int8");
    if (family == "bf16") {
      shape.insert(shape.end(), {"False", "torch.bfloat16", "torch.bfloat16", "False", "False"});
    }
    if (family == "fmoe") {
      shape = Words(std::string(m) +
                    " 4096 192 128 8 ActivationType.Silu torch.bfloat16 torch.float8_e4m3fnuz "
                    "torch.float8_e4m3fnuz QuantType.per_Token 1 0");
    }
    shapes.push_back(shape);
  }
  return shapes;
}

class AiterTunerTest : public testing::Test {
 protected:
  AiterTunerTest() {
    tunehub::test::MakeAiterRoot(root_);
    folder_.Write("aiter_root/aiter/configs/a8w8_tuned_gemm.csv", "gfx,cu_num,M\n");
    folder_.Write("aiter_root/aiter/configs/model_configs/x_tuned_fmoe.csv", "token\n");
    folder_.Write("aiter_root/.git/HEAD", "x");
  }
  // Returns every file with its bytes and the time of its last change.
  std::map<std::string, std::string> Snapshot() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(root_)) {
      const auto changed = fs::last_write_time(entry.path()).time_since_epoch().count();
      files[entry.path().string()] =
          std::to_string(changed) + (entry.is_regular_file() ? ReadText(entry.path()) : "");
    }
    return files;
  }
  AiterTuner Open(const AiterOptions& changes = {}) {
    AiterOptions options = changes;
    options.root = root_;
    options.work = folder_ / "work";
    options.logs = folder_ / "tune_logs";
    options.jit = folder_ / "jit";
    return Must(AiterTuner::Open(options, ShippedTargets()));
  }
  AiterPlan Plan(const AiterTuner& tuner, const std::string& family) {
    return Must(tuner.Plan(ShippedFamily(family), ShapesOf(family)));
  }
  AiterRun Tuned(const std::string& family, const char* mode, const AiterOptions& options = {}) {
    const Mode set(mode);
    const AiterTuner tuner = Open(options);
    return Must(tuner.Run(Plan(tuner, family), Recording()));
  }
  AiterObserver Recording() {
    AiterObserver observer;
    observer.progress = [this](const AiterProgress& progress) { progress_.push_back(progress); };
    observer.note = [this](const std::string& note) { notes_.push_back(note); };
    return observer;
  }
  std::string Logs() const { return tunehub::test::TextsBelow(folder_ / "tune_logs"); }

  // Returns the only folder of compiled modules.
  fs::path KeptJit() const { return fs::directory_iterator(folder_ / "jit")->path(); }

  TempFolder folder_;
  const fs::path root_ = folder_.path() / "aiter_root";
  std::vector<AiterProgress> progress_;
  std::vector<std::string> notes_;
};

std::size_t Rows(const std::string& csv) {
  return static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')) - (csv.empty() ? 0 : 1);
}

TEST_F(AiterTunerTest, a_tree_with_gradlib_alone_tunes_bf16) {
  fs::remove_all(root_ / "csrc");
  fs::remove_all(root_ / "aiter");
  folder_.Write("aiter_root/gradlib/gradlib/gemm_tuner.py", "");
  AiterOptions options;
  options.verbose = true;
  const AiterTuner tuner = Open(options);
  const AiterPlan plan = Plan(tuner, "bf16");
  EXPECT_THAT(plan.tune.arguments.at(1), HasSubstr("/gradlib/gradlib/gemm_tuner.py"));
  EXPECT_THAT(plan.tune.arguments, testing::Contains("-v"));
  EXPECT_EQ(plan.err_ratio, 0.05) << "this script's own default, not that of csrc's script";
  EXPECT_FALSE(plan.tune.environment.contains("AITER_ROOT_DIR"))
      << "the tuner uses Python's own package";
  EXPECT_EQ(tuner.Plan(ShippedFamily("a8w8"), ShapesOf("a8w8")).error().code, "unsupported_family");
}

TEST_F(AiterTunerTest, the_installed_aiter_is_as_it_was) {
  const auto before = Snapshot();
  const auto copies = [&] {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "work")) {
      if (entry.path().filename() == "profile_fmoe.csv") ++count;
    }
    return count;
  };
  {
    const Mode set("ok");
    const AiterTuner tuner = Open();
    for (const std::string& family : kFamilies) {
      ASSERT_TRUE(tuner.Run(Plan(tuner, family), Recording()).ok()) << family;
    }
    EXPECT_EQ(copies(), 1U) << "the stand-in wrote into the copy of the package";
  }
  EXPECT_EQ(copies(), 0U) << "the tuner removes its copy";
  EXPECT_EQ(Snapshot(), before);
}

TEST_F(AiterTunerTest, candidates_above_the_error_ratio_are_kept_as_evidence_and_never_win) {
  const AiterRun run = Tuned("a8w8_blockscale", "ok");
  EXPECT_EQ(run.report.candidates, 18U) << "three timed candidates for each of six shapes";
  EXPECT_EQ(run.report.rejected, 6U);
  EXPECT_EQ(run.report.failed, 12U) << "one unsupported and one timed out per shape";
  EXPECT_THAT(run.candidates_csv, HasSubstr("kernel_2,1,2,0.9"));
  EXPECT_THAT(run.tuned_csv, HasSubstr(",10.25,kernel_1,"));
  EXPECT_THAT(run.tuned_csv, testing::Not(HasSubstr("kernel_2")));
}

TEST_F(AiterTunerTest, the_error_ratio_of_the_run_decides) {
  AiterOptions options;
  options.err_ratio = 0.95;
  const AiterRun run = Tuned("a8w8_blockscale", "ok", options);
  EXPECT_EQ(run.report.rejected, 0U);
  const AiterTuner tuner = Open();
  EXPECT_EQ(Plan(tuner, "fmoe").err_ratio, 0.1);
  EXPECT_EQ(Plan(tuner, "bf16").err_ratio, 1.0);
  EXPECT_EQ(Plan(tuner, "a8w8").err_ratio, 0.05);
}

TEST_F(AiterTunerTest, rows_of_one_stage_of_a_moe_are_evidence_only) {
  const AiterRun run = Tuned("fmoe", "ok");
  EXPECT_EQ(run.report.stage_rows, 30U);
  EXPECT_EQ(run.report.candidates, 6U) << "only the tuned rows";
  EXPECT_EQ(run.report.failed, 0U);
}

TEST_F(AiterTunerTest, a_crash_is_tried_once_more_and_goes_on_where_it_was) {
  AiterOptions options;
  options.all = true;
  const AiterRun run = Tuned("a8w8_blockscale", "crash_once", options);
  EXPECT_EQ(run.report.outcome, ScriptOutcome::kComplete);
  EXPECT_EQ(run.report.starts, 2);
  EXPECT_EQ(Rows(run.tuned_csv), 6U);
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_THAT(notes_[0], HasSubstr("signal 11"));
  const std::string logs = Logs(), first = "arguments [", all = "'--all'";
  const std::size_t second = logs.find(first, logs.find(first) + 1);
  EXPECT_LT(second, logs.npos);
  EXPECT_LT(logs.find(all), second);
  EXPECT_EQ(logs.find(all, second), logs.npos) << "the second run does not repeat finished shapes";
}

bool Lives(const std::string& word) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream in(entry.path() / "cmdline");  // fails for entries that are no processes
    const std::string line{std::istreambuf_iterator<char>(in), {}};
    if (line.find("time.sleep") != std::string::npos && line.find(word) != std::string::npos) {
      return true;
    }
  }
  return false;
}

struct Ending {
  const char* mode;
  ScriptOutcome outcome;
  const char* ended;
  int starts;
  std::size_t tuned;
  std::chrono::seconds silence{3600}, limit{0};
};
// The script writes its results after each batch of four shapes.
const Ending kEndings[] = {
    {"partial", ScriptOutcome::kPartial, "exit code 1", 1, 5},
    {"crash", ScriptOutcome::kCrashed, "signal 11", 2, 6},
    {"child_hang", ScriptOutcome::kTimedOut, "a timeout, because it printed nothing for too long",
     1, 4, std::chrono::seconds(5)},  // longer than Python's start
    {"silent", ScriptOutcome::kTimedOut, "a timeout", 1, 0, std::chrono::seconds(3600),
     std::chrono::seconds(1)},
    {"nothing", ScriptOutcome::kPartial, "exit code 0", 1, 0},
};

TEST_F(AiterTunerTest, however_a_script_ends_it_has_ended_and_what_it_had_written_is_read) {
  for (const Ending& it : kEndings) {
    SCOPED_TRACE(it.mode);
    AiterOptions options;
    options.silence = it.silence;
    options.limit = it.limit;
    const AiterRun run = Tuned("a8w8_blockscale", it.mode, options);
    EXPECT_EQ(run.report.outcome, it.outcome);
    EXPECT_EQ(run.report.ended, it.ended);
    EXPECT_EQ(run.report.starts, it.starts);
    EXPECT_EQ(run.report.tuned, it.tuned);
    EXPECT_EQ(Rows(run.tuned_csv), it.tuned);
    EXPECT_EQ(run.report.missing.size(), 6 - it.tuned);
    EXPECT_FALSE(Lives(folder_.path().string())) << "the tuner also ended the script's children";
    if (it.mode == std::string("partial")) {
      EXPECT_EQ(run.report.missing, (Shapes{{"1", "1280", "8192"}}));
      EXPECT_EQ(ToJson(run.report)["outcome"], "partial");
    }
    if (it.mode == std::string("nothing")) {
      EXPECT_EQ(run.tuned_csv + run.candidates_csv, "");
    }
  }
}

TEST_F(AiterTunerTest, a_table_that_is_none_is_an_error) {
  const Mode mode("garbage");
  const AiterTuner tuner = Open();
  EXPECT_EQ(ErrorCode(tuner.Run(Plan(tuner, "a8w8"))), "bad_aiter_table");
}

TEST_F(AiterTunerTest, a_stop_ends_it_and_keeps_what_was_written) {
  const Mode mode("hang");
  const AiterTuner tuner = Open();
  bool stop = false;
  AiterObserver observer;
  observer.progress = [&](const AiterProgress&) { stop = true; };
  observer.stop = [&] { return stop; };
  const auto run = Must(tuner.Run(Plan(tuner, "a8w8"), observer));
  EXPECT_EQ(run.report.outcome, ScriptOutcome::kEnded);
  EXPECT_EQ(run.report.tuned, 4U);
}

TEST_F(AiterTunerTest, progress_is_told_while_it_runs_and_all_output_is_in_a_log) {
  AiterOptions options;
  options.devices = {2, 5};
  options.batch = 1;
  Tuned("a8w8_bpreshuffle", "ok", options);
  ASSERT_FALSE(progress_.empty());
  EXPECT_EQ(progress_.back().batches_done, 6);
  EXPECT_EQ(progress_.back().batches, 6);
  EXPECT_EQ(progress_.back().percent, 100);
  EXPECT_THAT(progress_.back().last, HasSubstr("kernelId=1"));
  const std::string logs = Logs();
  EXPECT_THAT(logs, testing::StartsWith("a8w8_bpreshuffle_tuning_"));
  EXPECT_THAT(logs, HasSubstr("devices 0,1 of 2,5"));
  EXPECT_THAT(logs, HasSubstr("'--mp', '2'"));
  EXPECT_THAT(logs, HasSubstr("'--batch', '1'"));
}

TEST_F(AiterTunerTest, options_go_to_the_scripts_that_have_them) {
  AiterOptions options;
  options.libtype = "ck";
  options.split_k = true;
  options.warmup = 2;
  options.iters = 7;
  options.task_timeout_s = 60;
  options.err_ratio = 0.02;
  const AiterTuner tuner = Open(options);
  EXPECT_THAT(Plan(tuner, "a8w8_blockscale_bpreshuffle").tune.arguments,
              testing::IsSupersetOf({"--preshuffle", "--libtype", "ck", "-k", "--warmup", "2"}));
  EXPECT_THAT(Plan(tuner, "fmoe").tune.arguments, testing::Not(testing::Contains("--libtype")));
}

// The common flags, and each script's own flags, as on a command line.
struct ScriptFlags {
  const char *family, *own;
};
const ScriptFlags kScriptFlags[] = {
    {"a8w8_blockscale", "--libtype both --preshuffle --blockPerCu 1 2"},
    {"a8w8_bpreshuffle", "--libtype ck,flydsl --blockPerCu 4"},
    {"bf16", "--libtype asm,opus --indtype bf16 --outdtype f32 --all_bias --with-hipblaslt"},
    {"fmoe", "--last --mxfp4-flydsl --grouped-gemm"},
    {"batched_a8w8_blockscale_mxscale", "--batch_g 2,8 --M 16 --N 1024 -k 4096"},
    {"a8w8", ""},
    {"a4w4_blockscale", ""},
    {"batched_a8w8", ""},
    {"batched_bf16", ""},
};
const std::string kCommonFlags =
    "-v --verbose --mp 2 --shape_grouped --sort True --batch 8 --all --warmup 3 --iters 50 "
    "--timeout 9 --compare --compare --update_improved --min_improvement_pct 1.5 ";
// Flags that only some scripts accept. A script ends at a wrong value as it does at an unknown
// flag.
const char* const kFlagsOfSome[] = {"--libtype ck",   "--preshuffle",   "--blockPerCu 1",
                                    "--indtype bf16", "--all_bias",     "--with-hipblaslt",
                                    "--last",         "--mxfp4-flydsl", "--grouped-gemm",
                                    "--batch_g 2",    "--case x"};

TEST_F(AiterTunerTest, every_flag_of_every_script_is_reached_and_what_a_script_lacks_it_refuses) {
  const Mode mode("parse");
  const auto ends = [&](const std::string& family, const std::vector<std::string>& flags) {
    AiterOptions options;
    options.extra = flags;
    const AiterTuner tuner = Open(options);
    auto plan =
        Must(tuner.Plan(ShippedFamily(family),
                        {std::vector<std::string>(ShippedFamily(family).untuned_columns.size())}));
    const auto run = tuner.Run(plan, Recording());
    return run.ok() ? run->report.ended : run.error().detail;
  };
  for (const ScriptFlags& script : kScriptFlags) {
    EXPECT_EQ(ends(script.family, Words(kCommonFlags + script.own)), "exit code 0")
        << script.family;
    const std::vector<std::string> own = Words(script.own);
    std::string unknown;  // argparse names all unknown flags
    for (const std::string flag : kFlagsOfSome) {
      if (std::ranges::count(own, Words(flag).front()) == 0) unknown += " " + flag;
    }
    EXPECT_EQ(ends(script.family, Words(unknown)), "exit code 2") << script.family;
    EXPECT_THAT(notes_.back(), HasSubstr("unrecognized arguments:" + unknown));
  }
}

TEST_F(AiterTunerTest, our_own_options_are_flags_that_the_scripts_have) {
  const Mode mode("parse");
  AiterOptions options;
  options.libtype = "all";
  options.split_k = options.all = true;
  options.warmup = options.iters = options.task_timeout_s = 7;
  options.err_ratio = options.min_improvement_pct = 0.5;
  options.devices = {3};
  const AiterTuner tuner = Open(options);
  for (const ScriptFlags& script : kScriptFlags) {
    const Family& family = ShippedFamily(script.family);
    std::vector<std::string> cells;
    for (const std::string& name : family.untuned_columns) {
      const core::Column& column = family.columns[family.Find(name)];
      cells.push_back(column.type == core::Type::kEnum ? column.values.front() : "1");
    }
    const auto plan = Must(tuner.Plan(family, {cells}));
    const auto run = Must(tuner.Run(plan, Recording()));
    EXPECT_EQ(run.report.ended, "exit code 0") << script.family << ": " << notes_.back();
    EXPECT_EQ(plan.tune.environment.at("ROCR_VISIBLE_DEVICES"), "3");
    EXPECT_EQ(plan.tune.environment.at("HIP_VISIBLE_DEVICES"), "0");
  }
}

TEST_F(AiterTunerTest, what_aiter_compiled_and_what_is_installed_is_there_for_the_next_run) {
  const std::string module = "module_gemm_a8w8_tune.so", installed = "module_gemm_a8w8.so";
  folder_.Write("aiter_root/aiter/jit/" + installed, "installed");
  const auto before = Snapshot();
  Tuned("a8w8", "ok");
  EXPECT_THAT(Logs(), HasSubstr("compiled " + module));
  Tuned("a8w8", "ok");
  EXPECT_THAT(Logs(), HasSubstr("found " + module));
  const fs::path jit = KeptJit();
  EXPECT_EQ(ReadText(jit / installed), "installed");
  EXPECT_EQ(ReadText(jit / module), "compiled here");
  EXPECT_EQ(Snapshot(), before);
}

TEST_F(AiterTunerTest, the_newer_of_an_installed_and_a_kept_module_stays) {
  const std::string file = folder_.Write("aiter_root/aiter/jit/module_x.so", "old");
  const auto built = fs::last_write_time(file);
  Open();
  const fs::path kept = KeptJit() / "module_x.so";
  std::ofstream(kept) << "compiled here";
  fs::last_write_time(kept, built + std::chrono::hours(1));
  Open();
  EXPECT_EQ(ReadText(kept), "compiled here");
  std::ofstream(file) << "rebuilt";
  fs::last_write_time(file, built + std::chrono::hours(2));
  Open();
  EXPECT_EQ(ReadText(kept), "rebuilt");
}

TEST_F(AiterTunerTest, another_aiter_or_rocm_compiles_elsewhere_and_other_tables_do_not) {
  const auto folders = [&] {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& it : fs::directory_iterator(folder_ / "jit")) ++count;
    return count;
  };
  Open();
  folder_.Write("aiter_root/aiter/configs/a8w8_tuned_gemm.csv", "gfx,cu_num,M,N\n");
  folder_.Write("aiter_root/aiter/jit/build/module_x/srcs/x.cpp", "");
  Open();
  EXPECT_EQ(folders(), 1U);
  folder_.Write("aiter_root/csrc/ck_gemm_a8w8/gemm_a8w8.cu", "new");
  Open();
  EXPECT_EQ(folders(), 2U);
  folder_.Write("rocm/.info/version", "7.9.9-1\n");
  ::setenv("ROCM_PATH", (folder_ / "rocm").c_str(), 1);
  Open();
  ::unsetenv("ROCM_PATH");
  EXPECT_EQ(folders(), 3U);
}

TEST_F(AiterTunerTest, the_lock_of_a_build_that_was_killed_goes_unless_another_uses_the_folder) {
  Open();
  const fs::path lock = KeptJit() / "build/lock_module_x";
  fs::create_directories(lock.parent_path());
  std::ofstream(lock) << "";
  {
    const AiterTuner other = Open();
    EXPECT_FALSE(fs::exists(lock));
    std::ofstream(lock) << "";
    Open();
    EXPECT_TRUE(fs::exists(lock)) << "another tuner may own the lock";
  }
  Open();
  EXPECT_FALSE(fs::exists(lock));
}

TEST_F(AiterTunerTest, a_cell_that_a_script_would_run_is_refused_right_before_it_is_written) {
  const AiterTuner tuner = Open();
  for (const std::string cell : {"torch.int8\n1", "__import__('os').system('id')", "torch.x()"}) {
    const auto plan = tuner.Plan(ShippedFamily("a8w8"), {{"1", "1280", "8192", cell}});
    ASSERT_FALSE(plan.ok()) << cell;
    EXPECT_THAT(plan.error().detail, HasSubstr("q_dtype_w: '"));
  }
  EXPECT_EQ(tuner.Plan(ShippedFamily("a8w8"), {{"exit()", "2", "3", "torch.int8"}}).error().code,
            "not_an_integer");
}

TEST_F(AiterTunerTest, the_benches_report_each_shape_before_and_after) {
  const AiterTuner tuner = Open();
  const AiterPlan plan = Plan(tuner, "a8w8");
  const auto before = Must(tuner.Bench(plan, AiterStep::kBenchBefore));
  ASSERT_EQ(before.timings.size(), 6U);
  EXPECT_EQ(before.timings[1].us, 101.0);
  EXPECT_EQ(before.timings[1].keys.at("M"), "16");
  EXPECT_EQ(before.report.tuned, 6U);
  EXPECT_THAT(before.csv, testing::StartsWith("M,N,K,q_dtype_w,us,status\n"
                                              "1,1280,8192,torch.int8,100.000000,OK\n"));
  const auto run = tuner.Run(plan);
  const std::string tuned = folder_.Write("new.csv", run->tuned_csv);
  EXPECT_EQ(Must(tuner.Bench(plan, AiterStep::kBenchAfter, tuned)).timings[1].us, 10.25);
  EXPECT_THAT(Logs(), testing::AllOf(HasSubstr("a8w8_bench_before_"), HasSubstr("a8w8_tuning_"),
                                     HasSubstr("a8w8_bench_after_")));
}

TEST_F(AiterTunerTest, a_shape_that_did_not_run_says_why) {
  const Mode mode("partial");
  const AiterTuner tuner = Open();
  const auto bench = Must(tuner.Bench(Plan(tuner, "a8w8"), AiterStep::kBenchBefore));
  EXPECT_EQ(bench.timings[0].status, "ERROR");
  EXPECT_EQ(bench.timings[0].us, std::nullopt);
  EXPECT_EQ(bench.timings[0].reason, "This GEMM is not supported!");
  EXPECT_EQ(bench.report.missing.size(), 1U);
  const Mode silent("nothing");
  EXPECT_EQ(tuner.Bench(Plan(tuner, "a8w8"), AiterStep::kBenchBefore).error().code, "no_report");
}

TEST_F(AiterTunerTest, what_cannot_be_planned_is_said) {
  const AiterTuner tuner = Open();
  EXPECT_EQ(tuner.Plan(ShippedFamily("chunk_gdn_h"), {{"x"}}).error().code, "unsupported_family");
  EXPECT_EQ(tuner.Plan(ShippedFamily("fhmoe"), {{"x"}}).error().code, "unsupported_family");
  EXPECT_EQ(tuner.Plan(ShippedFamily("a8w8"), {}).error().code, "no_shapes");
  fs::remove_all(root_ / "csrc" / "ck_gemm_a8w8");
  EXPECT_THAT(tuner.Plan(ShippedFamily("a8w8"), ShapesOf("a8w8")).error().detail,
              HasSubstr("has no csrc/ck_gemm_a8w8/gemm_a8w8_tune.py, which tunes a8w8"));
}

TEST(AiterTunerWithout, without_aiter_there_is_one_sentence) {
  const TempFolder folder;
  for (const char* variable : {"AITER_ROOT_DIR", "AITER_PATH"}) ::unsetenv(variable);
  AiterOptions options;
  options.work = folder / "work";
  options.logs = folder / "logs";
  options.jit = folder / "jit";
  EXPECT_THAT(ErrorText(AiterTuner::Open(options, ShippedTargets())),
              testing::StartsWith("no_aiter: AITER is not installed here: "));
  options.root = folder.path();
  EXPECT_THAT(AiterTuner::Open(options, ShippedTargets()).error().detail,
              HasSubstr("expected aiter/configs or gradlib/gradlib"));
  options.root.clear();
  options.python = "/no/such/python";
  EXPECT_EQ(AiterTuner::Open(options, ShippedTargets()).error().code, "no_aiter");
}

}  // namespace
}  // namespace tunehub::agent
