// A table for a build contains no kernel that the build's manifest lacks.
#include <algorithm>

#include "server/ingest/run_store.h"
#include "server/tables/build_rows.h"
#include "tests/support/registry.h"
#include "tests/support/result.h"

namespace tunehub::test {
namespace {

using Builds = RegistryTest;
using ProvenanceChoice = RegistryTest;

const std::string kA = "a8w8_blockscale_1x128x128_a", kB = "a8w8_blockscale_1x128x128_b",
                  kC = "a8w8_blockscale_1x128x128_c", kTile = "a8w8_blockscale_cktile_t";
constexpr const char* kColumns = "module,gfx,kernelId,kernelName\n";

std::string Kernels(const std::vector<std::string>& names) {
  std::string text = std::string("# kind: compiled\n") + kColumns;
  for (const std::string& name : names) text += "gemm_a8w8_blockscale,gfx942,," + name + "\n";
  return text;
}

std::string PutManifest(Registry& registry, const std::string& manifest,
                        const std::string& name = "wheel") {
  std::vector<core::RowIssue> issues;
  const auto put = registry.tables.builds().Put(name, manifest, {}, issues);
  return put.ok() ? put->record.sha256 : put.error().code;
}

server::Served Serve(Registry& registry, const server::Parameters& parameters,
                     std::string_view name = "a8w8_blockscale") {
  registry.snapshots.Refresh();
  return Must(registry.Get(parameters, name));
}

bool IsState(const std::string& header) {
  return std::ranges::find(server::kStateHeaders, header) != server::kStateHeaders.end();
}

// The answer's headers, except the build's own headers and those that States() returns.
std::string Headers(const server::Served& served) {
  std::string text;
  for (const auto& [name, value] : served.table->headers) {
    if (name == "Tunehub-Build" || name == server::kModulesHeader || IsState(name)) continue;
    text += name + " " + value + "\n";
  }
  return text;
}

// Row counts as "effective / after a rebuild / raising until a rebuild / impossible", and the
// modules.
std::string States(const server::Served& served) {
  std::string text;
  for (const auto& [header, value] : served.table->headers) {
    if (IsState(header)) text += (text.empty() ? "" : " / ") + value;
    if (header == server::kModulesHeader) text += "; " + value;
  }
  return text;
}

nlohmann::json JsonOf(Registry& registry, const std::string& build) {
  return nlohmann::json::parse(
      *Serve(registry, {{"build", build}, {"format", "json"}}).table->body);
}

TEST_F(Builds, a_row_outside_is_replaced_by_the_best_measured_candidate_inside) {
  registry.Send(Csv({{.kernel = kA, .us = "10"},
                     {.kernel = kB, .us = "30"},
                     {.kernel = kC, .us = "20"},
                     {.m = 32, .kernel = kA, .us = "10"},
                     {.m = 32, .kernel = kB, .us = "inf"},
                     {.m = 64, .kernel = kB, .us = "40"}}));
  PutManifest(registry, Kernels({kB, kC}));
  EXPECT_EQ(registry.Table("build=wheel"),
            Csv({{.kernel = kC, .us = "20"}, {.m = 64, .kernel = kB, .us = "40"}}));
  EXPECT_EQ(Headers(Serve(registry, {{"build", "wheel"}})),
            "Tunehub-Build-Substituted 1\nTunehub-Build-Unfilled 1\nTunehub-Build-Renumbered 0\n");
  const auto build = JsonOf(registry, "wheel").at("build");
  ASSERT_EQ(build.at("substituted").size(), 1u);
  EXPECT_EQ(build.at("substituted")[0].at("row").at("kernelName"), kC);
  EXPECT_EQ(build.at("substituted")[0].at("instead_of").at("us"), 10);
  ASSERT_EQ(build.at("unfilled").size(), 1u) << "an unmeasured row is no substitute";
  EXPECT_EQ(build.at("unfilled")[0].at("row").at("M"), 32);
  EXPECT_EQ(build.at("unfilled")[0].at("why"),
            "the module gemm_a8w8_blockscale has no " + kA + " for gfx942");
}

// The database keeps one line of a candidate, maybe of another gfx.
TEST_F(Builds, a_substitute_is_judged_for_the_gfx_of_its_key) {
  registry.Send(Csv({{.kernel = kB, .us = "30"}}));
  registry.Send(Csv({{.kernel = kA, .us = "10", .gfx = "gfx950", .cu_num = 256},
                     {.kernel = kB, .us = "30", .gfx = "gfx950", .cu_num = 256}}));
  PutManifest(registry, Kernels({kB}));
  EXPECT_EQ(registry.Table("build=wheel"), Csv({{.kernel = kB, .us = "30"}}));
  EXPECT_EQ(Headers(Serve(registry, {{"build", "wheel"}})),
            "Tunehub-Build-Substituted 0\nTunehub-Build-Unfilled 1\nTunehub-Build-Renumbered 0\n");
}

TEST_F(Builds, only_asked_for_rows_are_substituted_and_counted) {
  registry.Send(Csv({{.kernel = kA}, {.m = 32, .kernel = kA}, {.m = 64, .kernel = kB}}));
  PutManifest(registry, Kernels({kB}));
  EXPECT_EQ(Headers(Serve(registry, {{"build", "wheel"}, {"M", "32"}, {"allow_empty", "1"}})),
            "Tunehub-Build-Substituted 0\nTunehub-Build-Unfilled 1\nTunehub-Build-Renumbered 0\n");
  EXPECT_EQ(registry.Table("build=wheel&M=32"), "no_rows");
}

TEST_F(Builds, a_name_means_the_manifest_that_was_put_last_and_a_digest_always_the_same) {
  registry.Send(Csv({{.kernel = kA}, {.m = 32, .kernel = kB}}));
  const std::string first = PutManifest(registry, Kernels({kA}));
  EXPECT_EQ(registry.Table("build=wheel"), Csv({{.kernel = kA}}));
  const std::string second = PutManifest(registry, Kernels({kB}));
  EXPECT_EQ(registry.Table("build=wheel"), Csv({{.m = 32, .kernel = kB}}));
  EXPECT_EQ(registry.Table("build=wheel@" + first), Csv({{.kernel = kA}}));
  EXPECT_EQ(PutManifest(registry, Kernels({kA})), first);
  EXPECT_EQ(registry.Table("build=wheel"), Csv({{.kernel = kA}}))
      << "a repeated manifest becomes the newest again";
  EXPECT_EQ(registry.Count("build"), 2);
  EXPECT_EQ(PutManifest(registry, Kernels({kA}), "wheel@" + second), "other_digest");
  EXPECT_EQ(registry.Table("build=wheels"), "unknown_build");
  EXPECT_EQ(registry.Table("build=other@" + first), "unknown_build");
}

TEST_F(Builds, its_answer_follows_candidates_that_make_no_revision) {
  registry.Send(Csv({{.kernel = kA, .us = "10"}}));
  PutManifest(registry, Kernels({kB}));
  EXPECT_EQ(registry.Table("build=wheel"), "no_rows");
  registry.Send(Csv({{.kernel = kB, .us = "30"}}));
  EXPECT_EQ(registry.Revision(), 1);
  EXPECT_EQ(registry.Table("build=wheel"), Csv({{.kernel = kB, .us = "30"}}));
}

// A revision contains only its served rows, so the hub has no candidates for an old revision.
TEST_F(Builds, a_past_revision_has_its_rows_inside_the_build_and_no_substitutes) {
  registry.Send(
      Csv({{.kernel = kA, .us = "10"}, {.kernel = kB, .us = "30"}, {.m = 32, .kernel = kB}}));
  const std::string digest = PutManifest(registry, Kernels({kB}));
  const std::string pinned = "build=wheel@" + digest + "&revision=1";
  EXPECT_EQ(registry.Table(pinned), Csv({{.m = 32, .kernel = kB}}));
  registry.Send(Csv({{.m = 32, .kernel = kA, .us = "1000"}, {.m = 48, .kernel = kB}}));
  EXPECT_EQ(registry.Table(pinned), Csv({{.m = 32, .kernel = kB}}));
}

TEST_F(Builds, a_module_that_goes_by_number_gets_the_builds_own) {
  const std::string header =
      "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
  const auto row = [](const std::string& m, const std::string& id, const std::string& name) {
    return "gfx942,304," + m + ",1536,7168,torch.int8," + id + ",0,100.0," + name + ",9,9,0.0\n";
  };
  registry.Send(header + row("16", "3", "a8w8_rowwise_x") + row("32", "4", "a8w8_rowwise_y"), {},
                "a8w8");
  PutManifest(registry, std::string("# kind: buildable\n") + kColumns +
                            "gemm_a8w8,,12,a8w8_rowwise_x\ngemm_a8w8,,4,a8w8_rowwise_y\n");
  EXPECT_EQ(registry.Table("build=wheel", "a8w8"),
            header + row("16", "12", "a8w8_rowwise_x") + row("32", "4", "a8w8_rowwise_y"));
  EXPECT_EQ(Headers(Serve(registry, {{"build", "wheel"}}, "a8w8")),
            "Tunehub-Build-Substituted 0\nTunehub-Build-Unfilled 0\nTunehub-Build-Renumbered 1\n");
}

// AITER raises an error if its module lacks the row's kernel. That row needs a rebuild.
TEST_F(Builds, each_row_is_counted_by_what_it_does_in_the_build) {
  registry.Send(Csv({{.kernel = kA, .us = "10"},
                     {.m = 32, .kernel = kB, .us = "10"},
                     {.m = 32, .kernel = kA, .us = "20"},
                     {.m = 64, .kernel = kB, .us = "40"},
                     {.m = 128, .kernel = kC, .us = "40"}}));
  PutManifest(registry, std::string("# kind: tree\nmodule,gfx,kernelId,kernelName,built,shape\n") +
                            "gemm_a8w8_blockscale,gfx942,," + kA + ",1,\n" +
                            "gemm_a8w8_blockscale,,," + kA + ",,\n" + "gemm_a8w8_blockscale,,," +
                            kB + ",,\n");
  EXPECT_EQ(registry.Table("build=wheel"),
            Csv({{.kernel = kA, .us = "10"}, {.m = 32, .kernel = kA, .us = "20"}}));
  const auto served = Serve(registry, {{"build", "wheel"}});
  EXPECT_EQ(States(served),
            "2 / 0 / 2 / 1; a8w8_blockscale/gemm_a8w8_blockscale:raises_until_rebuild=2, "
            "a8w8_blockscale/gemm_a8w8_blockscale:impossible=1");
  EXPECT_EQ(Headers(served),
            "Tunehub-Build-Substituted 1\nTunehub-Build-Unfilled 2\nTunehub-Build-Renumbered 0\n");
  const auto build = JsonOf(registry, "wheel").at("build");
  EXPECT_EQ(build.at("rows").at("raises_until_rebuild"), 2);
  EXPECT_EQ(build.at("substituted")[0].at("state"), "raises_until_rebuild");
  EXPECT_EQ(build.at("unfilled")[1].at("state"), "impossible");
}

// The module's compiled table lacks this row, which does no harm. The hub serves and counts the
// row.
TEST_F(Builds, a_row_of_a_compiled_table_is_served_and_waits_for_a_rebuild) {
  const std::string header =
      "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
  const auto row = [](const std::string& m) {
    return "gfx942,304," + m + ",1536,7168,torch.int8,3,0,100.0,a8w8_rowwise_x,9,9,0.0\n";
  };
  registry.Send(header + row("16") + row("32"), {}, "a8w8");
  PutManifest(registry, std::string("# kind: tree\nmodule,gfx,kernelId,kernelName,built,shape\n") +
                            "gemm_a8w8,gfx942,,a8w8_rowwise_x,1,304x16x1536x7168\n"
                            "gemm_a8w8,,3,a8w8_rowwise_x,,\n");
  EXPECT_EQ(registry.Table("build=wheel", "a8w8"), header + row("16") + row("32"));
  EXPECT_EQ(States(Serve(registry, {{"build", "wheel"}}, "a8w8")),
            "1 / 1 / 0 / 0; a8w8/gemm_a8w8:after_rebuild=1");
  const auto json = nlohmann::json::parse(
      *Serve(registry, {{"build", "wheel"}, {"format", "json"}}, "a8w8").table->body);
  ASSERT_EQ(json.at("build").at("after_rebuild").size(), 1u);
  EXPECT_EQ(json.at("build").at("after_rebuild")[0].at("row").at("M"), 32);
  EXPECT_EQ(json.at("build").at("after_rebuild")[0].at("module"), "gemm_a8w8");
}

TEST_F(Builds, measured_only_says_how_many_rows_it_left_out) {
  registry.Send(Csv({{.kernel = kA, .us = "10"},
                     {.m = 32, .kernel = kA, .us = "0"},
                     {.m = 64, .kernel = kA, .us = "inf"}}));
  const auto left = [&](const server::Parameters& parameters) {
    const auto served = Serve(registry, parameters);
    for (const auto& [name, value] : served.table->headers) {
      if (name == "Tunehub-Unmeasured-Left-Out") return value;
    }
    return std::string("no header");
  };
  EXPECT_EQ(left({{"measured", "only"}}), "2");
  EXPECT_EQ(left({}), "no header");
  PutManifest(registry, Kernels({kA}));
  EXPECT_EQ(left({{"measured", "only"}, {"build", "wheel"}}), "2");
}

TEST_F(Builds, other_choices_narrow_the_substitutes) {
  registry.Send(Csv({{.kernel = kA, .us = "10"},
                     {.kernel = kTile, .us = "20", .libtype = "cktile"},
                     {.kernel = kB, .us = "30"}}));
  PutManifest(registry, Kernels({kB}) + "gemm_a8w8_blockscale_cktile,,," + kTile + "\n");
  EXPECT_EQ(registry.Table("build=wheel"),
            Csv({{.kernel = kTile, .us = "20", .libtype = "cktile"}}));
  EXPECT_EQ(registry.Table("build=wheel&libtype=ck"), Csv({{.kernel = kB, .us = "30"}}));
}

std::int64_t CreateRun(Registry& registry, const std::string& started,
                       const std::string& provenance) {
  server::RunContent content;
  content.started = started;
  content.provenance = provenance;
  content.hash = core::HashOf(started + provenance);
  bool created = false;
  return server::RunStore(registry.pool).Create(content, created)->id;
}

TEST_F(ProvenanceChoice, the_best_among_the_runs_of_one_rocm) {
  const auto old = CreateRun(registry, "2026-01-01T00:00:00Z", R"({"rocm":"6.3"})");
  const auto recent = CreateRun(registry, "2026-02-01T00:00:00Z", R"({"rocm":"6.4.1"})");
  registry.Send(Csv({{.kernel = kA, .us = "10"}, {.m = 32, .kernel = kA}}), {.run = old});
  registry.Send(Csv({{.kernel = kB, .us = "20"}}), {.run = recent, .digest = "2"});
  registry.Send(Csv({{.kernel = kC, .us = "5"}, {.m = 64, .kernel = kC}}), {.digest = "3"});
  EXPECT_EQ(registry.Table("rocm=6.4"), Csv({{.kernel = kB, .us = "20"}}));
  EXPECT_EQ(registry.Table("rocm=6.3"), Csv({{.kernel = kA, .us = "10"}, {.m = 32, .kernel = kA}}));
  EXPECT_EQ(registry.Table("since=2026-01-15"), Csv({{.kernel = kB, .us = "20"}}));
  EXPECT_EQ(registry.Table("rocm=7"), "no_rows");
  EXPECT_EQ(Headers(Serve(registry, {{"rocm", "6.4"}})),
            "Tunehub-Unknown-Provenance 2\n"
            "Tunehub-Provenance matching=1, unknown=2, other=2\n");
  EXPECT_EQ(Headers(Serve(registry, {{"rocm", "6.4"}, {"M", "16"}})),
            "Tunehub-Unknown-Provenance 1\n"
            "Tunehub-Provenance matching=1, unknown=1, other=1\n");
}

TEST_F(ProvenanceChoice, what_is_preferred_comes_first_and_the_rest_fills_up) {
  const auto old = CreateRun(registry, "2026-01-01T00:00:00Z", R"({"triton":"3.4.0"})");
  const auto recent = CreateRun(registry, "2026-02-01T00:00:00Z", R"({"triton":"3.5.1"})");
  registry.Send(Csv({{.kernel = kA, .us = "10"}, {.m = 32, .kernel = kA}}), {.run = old});
  registry.Send(Csv({{.kernel = kB, .us = "20"}}), {.run = recent, .digest = "2"});
  const std::string both = Csv({{.kernel = kB, .us = "20"}, {.m = 32, .kernel = kA}});
  EXPECT_EQ(registry.Table("prefer=triton=3.5.1"), both);
  EXPECT_EQ(registry.Table("prefer=triton=3.6"), registry.Table());
  EXPECT_EQ(registry.Table("triton=3.4&prefer=triton=3.5.1"), registry.Table("triton=3.4"));
  EXPECT_EQ(Headers(Serve(registry, {{"prefer", "triton=3.5.1"}})),
            "Tunehub-Preferred matching=1, others=1\n");
}

// The later run measured the candidate as slower. With rocm=6.3, only the earlier run's time
// counts.
TEST_F(ProvenanceChoice, a_candidate_has_the_time_that_those_runs_measured) {
  const auto old = CreateRun(registry, "2026-01-01T00:00:00Z", R"({"rocm":"6.3"})");
  const auto recent = CreateRun(registry, "2026-02-01T00:00:00Z", R"({"rocm":"6.4.1"})");
  registry.Send(Csv({{.kernel = kA, .us = "10"}, {.kernel = kB, .us = "20"}}), {.run = old});
  registry.Send(Csv({{.kernel = kA, .us = "30"}}), {.run = recent, .digest = "2"});
  EXPECT_EQ(registry.Table(), Csv({{.kernel = kB, .us = "20"}}));
  EXPECT_EQ(registry.Table("rocm=6.3"), Csv({{.kernel = kA, .us = "10"}}));
  ASSERT_TRUE(server::RevertRun(registry.pool, old, {}).ok());
  EXPECT_EQ(registry.Table("rocm=6.3"), "no_rows");
}

}  // namespace
}  // namespace tunehub::test
