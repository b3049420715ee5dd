// Devices by their product names, and tables limited to one device.
#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

class DeviceTest : public HubTest {
 protected:
  static void SetUpTestSuite() {
    HubTest::SetUpTestSuite();
    // AITER's tables are imported in runs without a device. Only the run of the last row names one.
    const auto import = [](const std::string& source, const std::string& run,
                           const std::string& rows) {
      Good(SendTree(Submitter(), "source=" + source,
                    {{"run.json", run}, {"a8w8_blockscale_tuned_gemm.csv", kHeader + rows}}));
    };
    import("aiter", "{}", Row(1, "7.0") + Row(2, "7.0") + kOf304 + Row(1, "7.0", "gfx950", "256"));
    import("own", R"({"product":"MI308X"})", Row(1, "7.5"));
  }
  static std::string Table(const std::string& query) {
    return Open().Get("/tuned/a8w8_blockscale?" + query).body;
  }

  static inline const std::string kOf304 = Row(1, "7.0", "gfx942", "304");
};

TEST_F(DeviceTest, a_table_that_lacks_what_nobody_says_the_device_of_is_refused) {
  const RawAnswer refused = Open().Get("/tuned/a8w8_blockscale?device=MI308X");
  EXPECT_EQ(Verdict(refused), "409 device_not_said");
  EXPECT_THAT(refused.body,
              HasSubstr("device: 1 shape keys of a8w8_blockscale were measured only by "
                        "runs that name no device"));
  EXPECT_EQ(Table("device=MI308X&M=1"), kHeader + Row(1, "7.5"))
      << "no requested key is without a device";
  EXPECT_EQ(Table("device=MI308X&allow_empty=1"), kHeader + Row(1, "7.5"));
  EXPECT_EQ(Table("prefer=device=MI308X&target=MI308X"), kHeader + Row(1, "7.5") + Row(2, "7.0"));
  EXPECT_EQ(Verdict(Open().Get("/tuned/a8w8_blockscale?device=MI210")), "404 no_rows");
}

TEST_F(DeviceTest, a_product_stands_wherever_a_gfx_does) {
  const std::string rows = Table("target=gfx942:80");
  for (const char* query :
       {"gfx=MI308X", "gfx=mi308x", "gfx=1002:74a2", "target=MI308X", "target=1002:74a2",
        "target=MI300X:80", "gpu_archs=MI308X", "gfx=AMD_Instinct_MI308X", "gfx=MI300X&cu_num=80"})
    EXPECT_EQ(Table(query), rows) << query;
  EXPECT_EQ(Table("gfx=MI300X"), kHeader + kOf304);
  for (const char* name : {"gfx", "target", "gpu_archs"}) {
    const auto none = Open().Get("/tuned/a8w8?" + std::string(name) + "=AMD_Radeon_Graphics");
    EXPECT_EQ(none.status, 400) << name;
  }
  EXPECT_THAT(Open().Get("/tuned/a8w8?gfx=AMD_Radeon_Graphics").body,
              HasSubstr("gfx: several devices share the name 'AMD_Radeon_Graphics'"));
  const std::string shape = "&M=1&N=2048&K=3072";
  EXPECT_EQ(JsonOf(Open().Get("/lookup/a8w8_blockscale?gfx=MI308X" + shape)),
            JsonOf(Open().Get("/lookup/a8w8_blockscale?gfx=gfx942&cu_num=80" + shape)));
  const auto claim = server_->Client(server_->NewKey("claim"))
                         .Post("/jobs/claim", R"({"agent":"a","gfx":"MI308X"})");
  EXPECT_EQ(claim.status, 204) << claim.body;
  const Finished pulled =
      RunAgent({"pull", "--family", "a8w8_blockscale", "--gfx", "MI308X", "--query", "rocm=6",
                "--query", "allow_empty=1", "-o", Path("t.csv")});
  EXPECT_EQ(pulled.status, 0) << pulled.err;
  EXPECT_THAT(pulled.err, HasSubstr("2 candidates were left out, because their runs lack"));
}

}  // namespace
}  // namespace tunehub::test
