#include <gtest/gtest.h>

#include <cstdlib>

#include "agent/search/script_batch.h"
#include "tests/support/shipped.h"

namespace tunehub::agent {
namespace {

std::string WorkspaceSaid(const char* family, const char* kind) {
  EngineRun run;
  run.family = family;
  DeviceInfo device;
  device.kind = kind;
  const auto made = EngineRunOf(run, device, tunehub::test::ShippedTargets().devices(), "", "");
  if (!made.ok()) return made.error().detail;
  return made->provenance.value("/facts/hipblaslt_workspace"_json_pointer, std::string("not said"));
}

TEST(EngineBatch, a_run_of_tunableop_says_the_workspace_of_hipblaslt) {
  ::unsetenv("CUBLASLT_WORKSPACE_SIZE");
  ::unsetenv("HIPBLASLT_WORKSPACE_SIZE");
  EXPECT_EQ(WorkspaceSaid("tunableop", "amd"), "default");
  EXPECT_EQ(WorkspaceSaid("tunableop", "nvidia"), "not said");
  EXPECT_EQ(WorkspaceSaid("triton_fused_moe", "amd"), "not said");
  ::setenv("HIPBLASLT_WORKSPACE_SIZE", "81920", 1);
  EXPECT_EQ(WorkspaceSaid("tunableop", "amd"), "81920");
  ::setenv("CUBLASLT_WORKSPACE_SIZE", "4096", 1);
  EXPECT_EQ(WorkspaceSaid("tunableop", "amd"), "4096") << "PyTorch looks at it first";
  ::unsetenv("CUBLASLT_WORKSPACE_SIZE");
  ::unsetenv("HIPBLASLT_WORKSPACE_SIZE");
}

}  // namespace
}  // namespace tunehub::agent
