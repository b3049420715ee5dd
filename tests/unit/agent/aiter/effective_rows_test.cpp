// Installs tables into a stand-in for an AITER tree. Counts the rows that are effective now or
// after a rebuild. AITER's own table tests must pass on the result.
#include <map>

#include "agent/aiter/build_scan.h"
#include "agent/install/commands.h"
#include "core/builds/manifest.h"
#include "core/table/merge.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"
#include "tests/support/aiter_table_rules.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/support/standin_tree.h"
#include "tests/unit/agent/agent_support.h"
#include "tests/unit/agent/bundle_support.h"

namespace tunehub::agent::test {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using Targets = std::vector<std::pair<std::string, int>>;
using Tables = std::map<std::string, core::TunedTable>;  // by family
// Row counts by state. Each state except "effective" names the module: "after_rebuild gemm_a8w8".
using Counts = std::map<std::string, std::size_t>;

const Targets kMi300 = {{"gfx942", 304}}, kMi350 = {{"gfx950", 256}},
              kBoth = {{"gfx942", 304}, {"gfx950", 256}};

core::TunedTable Read(const core::Family& family, const std::string& csv) {
  auto table = core::ReadTunedTable(family, tunehub::test::ShippedTargets(), csv,
                                    {.error_limit = {}, .identify = nullptr, .warnings = false});
  if (!table.ok()) throw std::runtime_error(family.name + ": " + table.error().detail);
  return *std::move(table);
}

bool IsServed(const core::Row& row, const Targets& targets, bool measured_only) {
  if (!core::Competes(row.standing)) return false;
  if (measured_only && row.standing == core::Standing::kUnmeasured) return false;
  return std::ranges::any_of(targets, [&](const auto& target) {
    return target.first == row.gfx && (row.cu_num == 0 || target.second == row.cu_num);
  });
}

std::map<std::string, std::string> Served(const Tables& tables, const Targets& targets,
                                          bool measured_only) {
  std::map<std::string, std::string> served;
  for (const auto& [name, table] : tables) {
    const core::Family& family = tunehub::test::ShippedFamily(name);
    std::vector<std::string_view> lines;
    for (const core::Row& row : table.rows) {
      if (IsServed(row, targets, measured_only)) lines.push_back(row.line);
    }
    if (!lines.empty()) served[family.file] = core::WriteTable(family, lines);
  }
  return served;
}

class EffectiveRows : public testing::Test {
 protected:
  // The scan makes Python read each list once per architecture.
  core::Manifest Scan(const Targets& targets) {
    ScanOptions options{.folder = folder_.path(), .kind = {}, .gfxs = {}};
    for (const auto& [gfx, cu_num] : targets) options.gfxs.push_back(gfx);
    auto scan = Must(ScanBuild(configuration_, options));
    EXPECT_THAT(scan.unread, IsEmpty());
    return std::move(scan.manifest);
  }

  static Counts Count(const Tables& tables, const core::Manifest& manifest,
                      const Targets& targets) {
    Counts counts;
    std::string scratch;
    for (const auto& [name, table] : tables) {
      const core::BuildFit fit(tunehub::test::ShippedFamily(name), manifest);
      for (const core::Row& row : table.rows) {
        if (!IsServed(row, targets, true)) continue;
        const core::RowVerdict verdict = fit.Judge(core::SplitLine(row.line, scratch));
        std::string what(Name(verdict.state));
        if (verdict.state != core::RowState::kEffective && verdict.module != nullptr) {
          what += " " + verdict.module->name;
        }
        ++counts[what];
      }
    }
    return counts;
  }

  // Installs the tables for these targets into a new tree. Returns the tree's configs folder.
  fs::path Install(const Tables& tables, const Targets& targets, bool measured_only) {
    installed_ = std::make_unique<TempFolder>();
    for (const auto& [name, table] : tables) {
      installed_->Write("aiter/configs/" + tunehub::test::ShippedFamily(name).file,
                        tunehub::test::ShippedFamily(name).Header(false) + "\n");
    }
    InstallOptions options;
    options.folder = installed_->path();
    options.measured_only = measured_only;
    FakeHub hub;
    hub.answers = {BundleOf(Served(tables, targets, measured_only))};
    RecordingConsole console;
    RecordedPauses pauses;
    EXPECT_EQ(agent::Install(configuration_, options, hub, pauses.pauses, console.console), kGood)
        << console.err.str();
    return installed_->path() / "aiter" / "configs";
  }

  const Configuration configuration_ = RealConfiguration();
  TempFolder folder_;
  std::unique_ptr<TempFolder> installed_;
  tunehub::test::StandinTree tree_{folder_.path()};
};

std::string A8w8(const std::string& gfx, const std::string& cu_num, int m, const std::string& id,
                 const std::string& us = "9.5") {
  return gfx + "," + cu_num + "," + std::to_string(m) + ",1280,8192,torch.int8," + id + ",0," + us +
         ",a8w8_rowwise_" + id + ",1.0,1.0,0.0\n";
}
constexpr const char* kA8w8Header =
    "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";

std::string Blockscale(const std::string& gfx, const std::string& cu_num, int m,
                       const std::string& kernel) {
  return gfx + "," + cu_num + "," + std::to_string(m) +
         ",1280,8192,ck,7,0,9.5,a8w8_blockscale_1x128x128_" + kernel + ",1.0,1.0,0.0\n";
}

TEST_F(EffectiveRows, a_table_for_each_architecture_is_counted_by_what_its_rows_wait_for) {
  const core::Family& a8w8 = tunehub::test::ShippedFamily("a8w8");
  const core::Family& blockscale = tunehub::test::ShippedFamily("a8w8_blockscale");
  const std::string built = kA8w8Header + A8w8("gfx942", "304", 16, "3"),
                    built_names = kBlockscaleHeader + Blockscale("gfx942", "304", 16, "a");
  Tables tables;
  tables["a8w8"] = Read(a8w8, built + A8w8("gfx942", "304", 32, "3") +
                                  A8w8("gfx942", "304", 48, "4") + A8w8("gfx950", "256", 16, "3"));
  tables["a8w8_blockscale"] = Read(blockscale, built_names + Blockscale("gfx942", "304", 32, "a") +
                                                   Blockscale("gfx942", "304", 48, "b") +
                                                   Blockscale("gfx950", "256", 16, "b"));
  for (const auto& [name, table] : tables) {
    tree_.List(tunehub::test::ShippedFamily(name), table);
  }
  tree_.Write();
  EXPECT_EQ(Count(tables, Scan(kMi300), kMi300), (Counts{{"effective", 6}}))
      << "the module is built at the first call";
  tree_.Build(a8w8, Read(a8w8, built), "gfx942", 304);
  tree_.Build(blockscale, Read(blockscale, built_names), "gfx942", 304);
  tree_.Write();
  EXPECT_EQ(Count(tables, Scan(kMi300), kMi300),
            (Counts{{"effective", 3},
                    {"after_rebuild gemm_a8w8", 2},
                    {"raises_until_rebuild gemm_a8w8_blockscale", 1}}));
  EXPECT_EQ(
      Count(tables, Scan(kMi350), kMi350),
      (Counts{{"after_rebuild gemm_a8w8", 1}, {"raises_until_rebuild gemm_a8w8_blockscale", 1}}));
}

TEST_F(EffectiveRows, aiters_tests_pass_on_what_an_install_leaves) {
  const core::Family& a8w8 = tunehub::test::ShippedFamily("a8w8");
  Tables tables;
  tables["a8w8"] =
      Read(a8w8, kA8w8Header + A8w8("gfx942", "304", 16, "3") +
                     A8w8("gfx942", "304", 32, "3", "0") + A8w8("gfx950", "256", 16, "4", "0.0"));
  tree_.List(a8w8, tables["a8w8"]);
  folder_.Write("aiter/configs/" + a8w8.file, Served(tables, kBoth, false).at(a8w8.file));
  EXPECT_EQ(tunehub::test::TableTestFailures(folder_.path() / "aiter/configs"),
            std::vector<std::string>{"a8w8: 2 rows with us <= 0"})
      << "the tables as the hub serves them";
  for (const bool measured_only : {false, true}) {
    const fs::path configs = Install(tables, kBoth, measured_only);
    EXPECT_THAT(tunehub::test::TableTestFailures(configs), IsEmpty());
    EXPECT_THAT(tunehub::test::CodegenFailures(configs, tree_, kBoth), IsEmpty());
    EXPECT_EQ(Read(a8w8, tunehub::test::ReadText(configs / a8w8.file)).rows.size(),
              measured_only ? 1u : 3u);
  }
}

// AITER's own tables. The tree was built from only the default files, without model_configs/.
class EffectiveRealRows : public EffectiveRows {
 protected:
  void SetUp() override {
    if (tunehub::test::RealTunedFiles().empty()) GTEST_SKIP() << tunehub::test::NoRealTables();
    for (const auto& family : tunehub::test::AiterFamilies()) {
      const Tables::mapped_type all = Merge(*family, true);
      if (all.rows.empty()) continue;
      tree_.List(*family, all);
      default_[family->name] = Merge(*family, false);
      tables_[family->name] = all;
    }
  }

  static core::TunedTable Merge(const core::Family& family, bool models) {
    std::vector<std::string> texts;
    std::vector<core::SourceFile> sources;
    for (const fs::path& file : tunehub::test::RealTunedFiles()) {
      const std::string name = file.filename();
      if (name.find(family.token) == std::string::npos || (!models && name != family.file))
        continue;
      texts.push_back(tunehub::test::ReadText(file));
    }
    for (const std::string& text : texts) sources.push_back({"file", text});
    const auto merged = Must(core::MergeTables(family, tunehub::test::ShippedTargets(), sources));
    return Read(family, merged.Csv());
  }

  Tables tables_, default_;
};

TEST_F(EffectiveRealRows, of_each_architecture_are_counted_and_installed) {
  for (const Targets& targets : {kMi300, kMi350, kBoth}) {
    tree_ = tunehub::test::StandinTree(folder_.path());
    for (const auto& [name, table] : tables_) {
      const core::Family& family = tunehub::test::ShippedFamily(name);
      tree_.List(family, table);
      for (const auto& [gfx, cu_num] : targets) tree_.Build(family, default_[name], gfx, cu_num);
    }
    fs::remove_all(folder_.path() / "aiter");
    tree_.Write();
    const Counts counts = Count(tables_, Scan(targets), targets);
    std::size_t rows = 0, impossible = 0;
    for (const auto& [what, count] : counts) {
      rows += count;
      impossible += what.starts_with("impossible") ? count : 0;
    }
    EXPECT_GT(rows, 1000u);
    EXPECT_EQ(impossible, 0u) << "the tree lists every kernel";
    for (const bool measured_only : {false, true}) {
      const fs::path configs = Install(tables_, targets, measured_only);
      EXPECT_THAT(tunehub::test::TableTestFailures(configs), IsEmpty());
      EXPECT_THAT(tunehub::test::CodegenFailures(configs, tree_, targets), IsEmpty());
    }
  }
}

}  // namespace
}  // namespace tunehub::agent::test
