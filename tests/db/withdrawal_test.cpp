// Reverts, and imports that supersede an earlier import.
#include "server/ingest/revert_store.h"
#include "tests/db/days.h"
#include "tests/support/registry.h"

namespace tunehub::test {
namespace {

using Revert = RegistryTest;
using Import = RegistryTest;

TEST_F(Revert, of_a_run_that_won_nothing_makes_no_revision) {
  registry.Send(Csv({{}}));
  const auto run = registry.NewRun(kDay1);
  registry.Send(Csv({{.kernel = "b", .us = "20"}}), {.run = run});
  EXPECT_EQ(server::RevertRun(registry.pool, run, {})->revision.number, 1);
  EXPECT_EQ(registry.Revision(), 1);
  EXPECT_EQ(registry.Winners(), "16 a 10.0 only_candidate");
}

TEST_F(Import, another_source_and_none_supersede_nothing) {
  registry.Import("tree", {{kTreeFile, Csv({{}})}});
  registry.Import("fork", {{kTreeFile, Csv({{.m = 32}})}});
  registry.Import("", {{kTreeFile, Csv({{.m = 48}})}});
  registry.Import("", {{kTreeFile, Csv({{.m = 64}})}});
  EXPECT_EQ(registry.Winners(),
            "16 a 10.0 only_candidate\n32 a 10.0 only_candidate\n"
            "48 a 10.0 only_candidate\n64 a 10.0 only_candidate");
}

TEST_F(Import, a_refused_file_refuses_all_where_the_import_would_supersede_another) {
  const std::string other = "a8w8_blockscale_bpreshuffle_tuned_gemm.csv";
  const std::vector<core::TarFile> broken = {{kTreeFile, Csv({{.us = "5"}})},
                                             {other, "<<<<<<< HEAD\n"}};
  const auto first = Receipt(registry.Import("tree", broken));
  EXPECT_EQ(first["files"][1]["status"], "refused");
  EXPECT_EQ(Refusal(registry.Import("tree", broken)), "refused_files");
  EXPECT_EQ(Refusal(registry.Import("other", broken, {.atomic = true})), "refused_files");
  EXPECT_EQ(registry.Count("batch"), 1);
  EXPECT_EQ(registry.Winners(), "16 a 5 only_candidate");
}

TEST_F(Import, several_files_of_several_families_are_one_revision) {
  const auto receipt = Receipt(
      registry.Import("tree", {{"a8w8_blockscale_bpreshuffle_tuned_gemm.csv", Csv({{}})},
                               {"model_configs/a8w8_blockscale_tuned_gemm_x.csv", Csv({{.m = 32}})},
                               {kTreeFile, Csv({{.m = 32, .us = "12"}, {}})},
                               {"README.md", "no table"},
                               {"configs/a new a8w8_blockscale_tuned_gemm.csv", Csv({{}})},
                               {"configs/new_a8w8_blockscale_tuned_gemm.csv", Csv({{.m = 64}})},
                               {"a8w8_blockscale_wide_tuned_gemm.csv", Csv({{.m = 64}})}}));
  EXPECT_EQ(receipt["revision"], 1);
  EXPECT_EQ(receipt["accepted"], 5);
  EXPECT_EQ(receipt["files"][2]["folded"], 1)
      << "the hub keeps the faster of a candidate's two rows";
  EXPECT_EQ(receipt["files"][3]["status"], "skipped");
  ASSERT_EQ(receipt["files"][4]["status"], "skipped") << "a table's name has no blank";
  EXPECT_EQ(
      receipt["files"][4]["detail"],
      "AITER reads only a8w8_blockscale_tuned_gemm.csv directly in configs/ for a8w8_blockscale");
  EXPECT_EQ(receipt["files"][5]["family"], "unlisted")
      << "this name is no family's file in configs/";
  EXPECT_EQ(receipt["files"][6]["family"], "unlisted") << "the name has no family's token";
  EXPECT_EQ(registry.Winners(), "16 a 10.0 only_candidate\n32 a 10.0 only_candidate");
  EXPECT_EQ(Refusal(registry.Import("", {{"README.md", "no table"}})), "nothing_to_import");
}

}  // namespace
}  // namespace tunehub::test
