#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

const std::string kManifest = "# kind: compiled\n# aiter: 0.1.14\nmodule,gfx,kernelId,kernelName\n";

using BuildsTest = HubTest;

TEST_F(BuildsTest, a_manifest_is_put_listed_and_read_back) {
  const std::string manifest =
      kManifest + "asm,gfx950,,_ZN5aiter1fE\ngemm_a8w8_blockscale,gfx942,," + kOtherKernel + "\n";
  const RawAnswer put = Good(PutBuild("listed", manifest), 201);
  const auto json = JsonOf(put);
  const std::string pinned = json.at("build");
  EXPECT_EQ(put.Header("location"), "/builds/" + pinned);
  EXPECT_EQ(json.at("kind"), "compiled");
  EXPECT_EQ(json.at("versions").at("aiter"), "0.1.14");
  EXPECT_EQ(json.at("modules").at("gemm_a8w8_blockscale"), 1);
  EXPECT_EQ(PutBuild("listed", manifest).status, 200);
  EXPECT_EQ(Open().Get("/builds/listed?format=csv").body, manifest);
  EXPECT_THAT(Open().Get("/builds/" + pinned).Header("cache-control"), HasSubstr("immutable"));
  EXPECT_EQ(Open().Get("/builds/listed").Header("cache-control"), "no-cache");
  EXPECT_EQ(JsonOf(Open().Get("/builds?name=listed")).at("builds").size(), 1u);
}

TEST_F(BuildsTest, a_table_for_a_build_has_no_other_kernel_and_says_what_it_did) {
  Good(Submitter().Post(
      kResults, kHeader + Row(1, "5.0") + With(Row(1, "6.0"), kOtherKernel) + Row(2, "5.5")));
  ASSERT_EQ(PutBuild("wheel", BuildOf(kOtherKernel)).status, 201);
  const RawAnswer answer = Open().Get(kTable + "&build=wheel");
  EXPECT_EQ(answer.body, kHeader + With(Row(1, "6.0"), kOtherKernel));
  EXPECT_EQ(answer.Header("tunehub-build-substituted"), "1");
  EXPECT_EQ(answer.Header("tunehub-build-unfilled"), "1");
  EXPECT_THAT(answer.Header("tunehub-build"), HasSubstr("wheel@"));
  EXPECT_EQ(answer.Header("tunehub-build-effective"), "1");
  EXPECT_EQ(answer.Header("tunehub-build-impossible"), "2");
  EXPECT_EQ(answer.Header("tunehub-build-modules"),
            "a8w8_blockscale/gemm_a8w8_blockscale:impossible=2");
  const std::string lookup = "/lookup/a8w8_blockscale?gfx=gfx942&cu_num=80&M=1&N=2048&K=3072";
  const auto found = JsonOf(Open().Get(lookup + "&build=wheel")).at("build");
  EXPECT_EQ(found.at("state"), "impossible");
  EXPECT_EQ(found.at("module"), "gemm_a8w8_blockscale");
  EXPECT_EQ(found.at("name"), answer.Header("tunehub-build"));
  EXPECT_EQ(Verdict(Open().Get(lookup + "&build=nobody")), "404 unknown_build");
  const auto json = JsonOf(Open().Get(kTable + "&build=wheel&format=json"));
  EXPECT_EQ(json.at("build").at("unfilled")[0].at("row").at("M"), 2);
  EXPECT_EQ(Open().Get(kTable + "&build=wheel", {{"If-None-Match", answer.Header("etag")}}).status,
            304);
  const RawAnswer bundle = Good(Open().Get("/bundle?gfx=gfx942&build=wheel"));
  EXPECT_EQ(bundle.Header("tunehub-build-substituted"), "1");
  EXPECT_EQ(Verdict(Open().Get(kTable + "&build=wheel&revision=1")), "400 bad_parameter");
  EXPECT_EQ(Verdict(Open().Get("/bundle?build=wheel&revision=1")), "400 bad_parameter");
  EXPECT_EQ(Open().Get(kTable + "&rocm=6.4&allow_empty=1").Header("tunehub-unknown-provenance"),
            "3");
}

TEST_F(BuildsTest, bad_manifests_are_refused_with_their_place) {
  const RawAnswer bad = PutBuild("bad", kManifest + "gemm_a8w8,gfx942,three,a\ngemm_a8w8,,1,b\n");
  EXPECT_EQ(Verdict(bad), "422 bad_manifest");
  EXPECT_EQ(JsonOf(bad).at("errors")[0].at("row"), 4);
  EXPECT_EQ(JsonOf(bad).at("errors")[0].at("column"), "kernelId");
  const RawAnswer unknown = PutBuild("bad", kManifest + "gemm_z,,1,b\n");
  EXPECT_EQ(Verdict(unknown), "422 no_known_kernel");
  EXPECT_THAT(unknown.body, HasSubstr("its modules are gemm_z, known modules are asm, "));
  EXPECT_EQ(Verdict(PutBuild("bad", kManifest)), "422 no_kernels");
  EXPECT_EQ(Verdict(PutBuild("b%20d", kManifest + "asm,,,b\n")), "400 bad_build_name");
  EXPECT_EQ(Verdict(PutBuild("bad@" + std::string(64, '0'), kManifest + "asm,,,b\n")),
            "409 other_digest");
  EXPECT_EQ(Verdict(Open().Get("/builds/bad")), "404 unknown_build");
  EXPECT_EQ(Verdict(Open().Get(kTable + "&build=bad")), "404 unknown_build");
  EXPECT_EQ(Verdict(*Open().Try("PUT", "/builds/bad", kManifest + "asm,,,b\n")), "401 no_key");
}

// A production image's build may be named in many Dockerfiles.
TEST_F(BuildsTest, a_name_is_its_first_owners_and_is_not_emptied_by_mistake) {
  std::string rows = kHeader;
  for (int m = 1; m <= 9; ++m) rows += Row(m, "7.5", "gfx908", "120");
  rows += With(Row(10, "7.5", "gfx908", "120"), kOtherKernel);
  ASSERT_EQ(Verdict(Submitter().Post(kResults, rows)), "200");
  const std::string half = BuildOf(kOtherKernel, "gfx908");
  const std::string all = half + "gemm_a8w8_blockscale,gfx908,," + kKernel + "\n";
  ASSERT_EQ(PutBuild("prod-image", all).status, 201);
  const auto served = [] {
    return Open().Get("/tuned/a8w8_blockscale?gfx=gfx908&build=prod-image").body;
  };
  EXPECT_EQ(served(), rows);
  const auto put = [](const std::string& key, const std::string& query, const std::string& body) {
    return *server_->Client(key).Try("PUT", "/builds/prod-image" + query, body);
  };
  const std::string other =
      server_->NewKey("submit", std::vector<std::string>{"--owner", "engines"});
  const RawAnswer refused = put(other, "", half);
  EXPECT_EQ(Verdict(refused), "403 not_owner");
  EXPECT_THAT(refused.body, HasSubstr("build 'prod-image' belongs to 'default', but the key acts "
                                      "for 'engines'"));
  EXPECT_EQ(Verdict(put(other, "?allow_shrink=1", half)), "403 needs_admin");
  EXPECT_EQ(Verdict(put(other, "", all)), "200") << "the name means this already";
  const RawAnswer shrunk = put(submit_key_, "", half);
  EXPECT_EQ(Verdict(shrunk), "409 would_shrink");
  EXPECT_THAT(shrunk.body, HasSubstr("build 'prod-image' runs 10 rows of a8w8_blockscale, and 9 of "
                                     "them (more than a tenth) would no longer be served"));
  EXPECT_EQ(Verdict(put(submit_key_, "?allow_shrink=1", half)), "403 needs_admin");
  EXPECT_EQ(served(), rows);
  EXPECT_EQ(JsonOf(Open().Get("/builds?name=prod-image")).at("builds").size(), 1u);
  const std::string admin =
      server_->NewKey("admin", std::vector<std::string>{"--owner", "operators"});
  EXPECT_EQ(Verdict(put(admin, "?allow_shrink=1", half)), "201");
  EXPECT_EQ(served(), kHeader + With(Row(10, "7.5", "gfx908", "120"), kOtherKernel));
  EXPECT_EQ(Verdict(put(submit_key_, "", all)), "200") << "the name must stay its first owner's";
}

}  // namespace
}  // namespace tunehub::test
