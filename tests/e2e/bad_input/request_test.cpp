#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

using BadRequestTest = HubTest;

std::string Detail(const RawAnswer& answer) {
  return JsonOf(answer).at("detail");
}

TEST_F(BadRequestTest, an_unknown_family_is_404_with_the_families_there_are) {
  for (const char* target : {"/tuned/a8w9", "/shapes/a8w9?M=1"}) {
    const RawAnswer answer = Open().Get(target);
    EXPECT_EQ(Verdict(answer), "404 unknown_family") << target;
    EXPECT_THAT(Detail(answer), HasSubstr("a8w8_blockscale_bpreshuffle")) << target;
    EXPECT_THAT(Detail(answer), HasSubstr("fhmoe")) << target;
  }
  const RawAnswer answer = Submitter().Post("/results/a8w9", kHeader + Row(1, "5.0"));
  EXPECT_EQ(Verdict(answer), "404 unknown_family");
  EXPECT_THAT(Detail(answer), HasSubstr("chunk_gdn_h"));
}

TEST_F(BadRequestTest, a_malformed_gfx_is_400_and_one_without_rows_404_with_the_targets_there_are) {
  ASSERT_EQ(Verdict(Submitter().Post(kResults, kHeader + Row(60, "55.0"))), "200");
  const RawAnswer malformed = Open().Get("/tuned/a8w8_blockscale?gfx=gfx%20942!");
  EXPECT_EQ(Verdict(malformed), "400 bad_parameter");
  EXPECT_THAT(Detail(malformed), HasSubstr("gfx942"));
  const RawAnswer empty = Open().Get("/tuned/a8w8_blockscale?gfx=gfx999");
  EXPECT_EQ(Verdict(empty), "404 no_rows");
  EXPECT_THAT(Detail(empty), HasSubstr("gfx942:80"));
  const RawAnswer arch = Open().Get("/tuned/a8w8_blockscale?gpu_archs=native");
  EXPECT_EQ(Verdict(arch), "400 unknown_gfx");
  EXPECT_THAT(Detail(arch), HasSubstr("gfx950"));
  EXPECT_EQ(Verdict(Open().Get("/tuned/a8w8_blockscale?target=gfx942")), "400 bad_parameter");
}

TEST_F(BadRequestTest, an_unknown_query_parameter_is_400_with_those_there_are) {
  const RawAnswer answer = Open().Get("/tuned/a8w8_blockscale?gxf=gfx942");
  EXPECT_EQ(Verdict(answer), "400 unknown_parameter");
  EXPECT_THAT(Detail(answer), HasSubstr("gfx, cu_num, target, gpu_archs, provider"));
  for (const char* target :
       {"/tuned?x=1", "/families?x=1", "/targets?x=1", "/runs?x=1", "/runs/1?x=1", "/revisions?x=1",
        "/shapes/a8w8_blockscale?x=1", "/bundle?x=1", "/healthz?x=1", "/readyz?x=1", "/metrics?x=1",
        "/openapi.json?x=1"}) {
    EXPECT_EQ(Verdict(Open().Get(target)), "400 unknown_parameter") << target;
  }
  for (const char* target : {"/results/a8w8_blockscale?x=1", "/import?x=1", "/runs?x=1"}) {
    EXPECT_EQ(Verdict(Submitter().Post(target, "x")), "400 unknown_parameter") << target;
  }
}

TEST_F(BadRequestTest, a_malformed_number_is_400_with_what_is_allowed) {
  const std::pair<const char*, const char*> kNumbers[] = {
      {"/tuned/a8w8_blockscale?cu_num=8x", "1 to 4096"},
      {"/tuned/a8w8_blockscale?cu_num=0", "1 to 4096"},
      {"/tuned/a8w8_blockscale?M=one", "integer"},
      {"/tuned/a8w8_blockscale?M=99999999999999999999", "integer"},
      {"/tuned/a8w8_blockscale?revision=-1", "from 0"},
      {"/tuned/a8w8_blockscale?measured=yes", "only, tuned or all"},
      {"/tuned/a8w8_blockscale?columns=old", "legacy or current"},
      {"/tuned/a8w8_blockscale?format=xml", "csv or json"},
      {"/tuned/a8w8_blockscale?allow_empty=2", "1 or 0"},
      {"/tuned/a8w8_blockscale?provider=amd", "aiter, tunehub, vllm, sglang, rocm"},
      {"/tuned/a8w8_blockscale?revision=1&revision=2", "twice"},
      {"/runs?limit=1&limit=2", "twice"},
      {"/bundle?revision=x", "from 0, or a pin"},
      {"/runs?limit=501", "1..500"},
      {"/runs?limit=+1", "1..500"},
      {"/runs?after=0", "1.."},
      {"/runs/x", "1.."},
      {"/revisions?limit=", "1..500"},
      {"/revisions?after=1e3", "1.."},
      {"/families?min_revision=x", "min_revision: "},
      {"/shapes/a8w8_blockscale?gfx=gfx942&cu_num=80&M=1&N=x&K=3", "integer"}};
  for (const auto& [target, allowed] : kNumbers) {
    const RawAnswer answer = Open().Get(target);
    EXPECT_EQ(Verdict(answer), "400 bad_parameter") << target;
    EXPECT_THAT(Detail(answer), HasSubstr(allowed)) << target;
  }
  for (const char* target : {"?run=0", "?atomic=yes", "?dry_run=2"}) {
    EXPECT_EQ(Verdict(Submitter().Post(kResults + target, kHeader)), "400 bad_parameter") << target;
  }
}

TEST_F(BadRequestTest, a_control_character_in_any_parameter_is_400_and_names_it) {
  const std::string before = Stored();
  const RawAnswer unread = Open().Get("/healthz?x=%09");
  EXPECT_EQ(Verdict(unread), "400 bad_parameter");
  EXPECT_THAT(Detail(unread), HasSubstr("x: "));
  const RawAnswer import = Submitter().Post("/import?source=a%1Fb", "x");
  EXPECT_EQ(Verdict(import), "400 bad_parameter");
  EXPECT_THAT(Detail(import), HasSubstr("source: "));
  EXPECT_EQ(Stored(), before);
}

// Otherwise two names that look alike would be two sources.
TEST_F(BadRequestTest, the_name_of_a_source_has_one_spelling) {
  const std::string before = Stored();
  for (const std::string source : {"AITER", "aiter%20", "%20aiter", "aiter%20main", "%D0%B0iter",
                                   "%EF%BB%BFaiter", "aiter%E2%80%8B", "a%2Cb"}) {
    const RawAnswer answer = Submitter().Post("/import?source=" + source, "x");
    EXPECT_EQ(Verdict(answer), "400 bad_parameter") << source;
    EXPECT_THAT(Detail(answer), HasSubstr("1 to 100 of a-z 0-9 . _ - / : @ +"));
  }
  EXPECT_EQ(Verdict(Submitter().Post("/import?source=a.b_c-d/e:f@9%2B", "x")), "400 bad_archive");
  EXPECT_EQ(Stored(), before);
}

TEST_F(BadRequestTest, a_parameter_that_comes_twice_is_400_and_names_it) {
  const std::string before = Stored();
  const RawAnswer import = Submitter().Post("/import?source=mine&source=theirs", "x");
  EXPECT_EQ(Verdict(import), "400 bad_parameter");
  EXPECT_THAT(Detail(import), HasSubstr("source: occurs twice"));
  const RawAnswer shape =
      Open().Get("/shapes/a8w8_blockscale?gfx=gfx942&cu_num=80&M=1&M=2&N=1&K=3");
  EXPECT_EQ(Verdict(shape), "400 bad_parameter");
  EXPECT_THAT(Detail(shape), HasSubstr("M: occurs twice"));
  EXPECT_EQ(Stored(), before);
}

TEST_F(BadRequestTest, what_does_not_exist_is_404) {
  EXPECT_EQ(Verdict(Open().Get("/tunes")), "404 no_such_path");
  EXPECT_EQ(Verdict(Open().Get("/runs/999999999")), "404 unknown_run");
  EXPECT_EQ(Verdict(Admin().Post("/runs/999999999/revert", "")), "404 unknown_run");
  EXPECT_EQ(Verdict(Open().Get(kTable + "&revision=999999999")), "404 unknown_revision");
  EXPECT_EQ(Verdict(Open().Get("/bundle?revision=999999999")), "404 unknown_revision");
  EXPECT_EQ(Verdict(Open().Get("/shapes/a8w8_blockscale?gfx=gfx942&cu_num=80&M=7777&N=1&K=3")),
            "404 unknown_key");
  EXPECT_EQ(Verdict(Submitter().Post(kResults + "?run=999999999", kHeader)), "404 unknown_run");
}

TEST_F(BadRequestTest, a_wrong_key_is_401_and_says_that_the_token_is_invalid) {
  const std::string before = Stored();
  for (const std::string& key :
       {std::string("thub_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), std::string("secret"),
        submit_key_ + "a", submit_key_.substr(0, submit_key_.size() - 1)}) {
    const RawAnswer answer = server_->Client(key).Post(kResults, kHeader + Row(1, "5.0"));
    EXPECT_EQ(Verdict(answer), "401 wrong_key");
    EXPECT_THAT(answer.Header("www-authenticate"), HasSubstr("error=\"invalid_token\""));
    EXPECT_THAT(answer.body, testing::Not(HasSubstr(key)));
  }
  EXPECT_EQ(Stored(), before);
}

}  // namespace
}  // namespace tunehub::test
