#include "core/buckets/bucket_file.h"

#include <gmock/gmock.h>

#include "core/buckets/bucket_name.h"
#include "tests/support/shipped.h"

namespace tunehub::buckets {
namespace {

using ::testing::HasSubstr;

const std::vector<std::int64_t>& UsualBounds() {
  return test::ShippedFamily("triton_gemm").lookup.bounds;
}

std::string At(const BucketFile& file, std::int64_t m) {
  const Bucket* bucket = file.At(m, UsualBounds());
  return bucket == nullptr ? "none" : bucket->name;
}

TEST(BucketFile, TheLookupTakesTheLeastBoundThenTheGreatestThenAny) {
  const auto file = BucketFile::Parse("x.json", R"({"any": {}, "M_LEQ_64": {}, "M_LEQ_8": {},
      "M_LEQ_31": {}, "M_GEQ_4096": {}, "M_GEQ_8192": {}, "M_GEQ_300": {}})");
  ASSERT_TRUE(file.ok()) << file.error().detail;
  for (const auto& [m, bucket] :
       std::initializer_list<std::pair<std::int64_t, const char*>>{{1, "M_LEQ_8"},
                                                                   {8, "M_LEQ_8"},
                                                                   {9, "M_LEQ_64"},
                                                                   {31, "M_LEQ_64"},
                                                                   {64, "M_LEQ_64"},
                                                                   {65, "any"},
                                                                   {300, "any"},
                                                                   {4095, "any"},
                                                                   {4096, "M_GEQ_4096"},
                                                                   {8191, "M_GEQ_4096"},
                                                                   {8192, "M_GEQ_8192"},
                                                                   {100000, "M_GEQ_8192"}}) {
    EXPECT_EQ(At(*file, m), bucket) << m;
  }
  EXPECT_FALSE(BucketFile::IsTried("M_LEQ_31", UsualBounds()));
  EXPECT_FALSE(BucketFile::IsTried("_note", UsualBounds()));
  EXPECT_EQ(At(*BucketFile::Parse("x.json", R"({"M_LEQ_8": {}})"), 9), "none");
}

TEST(BucketFile, BytesComeBack) {
  const std::string text =
      "{\n  \"M_LEQ_8\": {\n    \"B\": 1,\n    \"A\": null\n  },\n  \"any\": {}\n}\n";
  EXPECT_EQ(BucketFile::Parse("x.json", text)->Text(), text);
}

TEST(BucketFile, NumbersComeBackByTheirOwnText) {
  const std::string text =
      "{\n    \"any\": {\n        \"A\": 12345678901234567890123,\n        \"B\": 1e5,\n"
      "        \"C\": [\n            1.50,\n            {}\n        ],\n"
      "        \"D\": \"{, :\"\n    }\n}\n";
  EXPECT_EQ(BucketFile::Parse("x.json", text)->Text(), text);
}

TEST(BucketFile, WhatIsNoFileOfBucketsIsRefused) {
  const std::pair<const char*, const char*> kCases[] = {
      {"[]", "x.json: is array, not an object of buckets"},
      {R"({"any": 3})", "x.json: /any: is number, not a config"},
      {R"({"any": {}, "any": {}})", "names the member any twice"},
      {"{", "is no JSON"},
      {R"({"any": {"A": 1e999}})", "out of range"}};
  for (const auto& [text, detail] : kCases) {
    const auto file = BucketFile::Parse("x.json", text);
    ASSERT_FALSE(file.ok()) << text;
    EXPECT_EQ(file.error().code, "bad_bucket_file");
    EXPECT_THAT(file.error().detail, HasSubstr(detail));
  }
}

TEST(BucketName, ANameIsReadAndWritten) {
  struct Case {
    const char *file, *arch, *config, *sizes;
  };
  for (const Case& it : std::initializer_list<Case>{
           {"gfx950-GEMM-A16W16.json", "gfx950", "GEMM-A16W16", ""},
           {"gfx950-BATCHED_GEMM-A16W16-B=8-N=1024-K=4096.json", "gfx950", "BATCHED_GEMM-A16W16",
            "B=8 N=1024 K=4096"},
           {"gfx950-FUSED-GEMM-A8W8_BLOCKSCALE-A16W16-N8=512-N16=256-K=7168.json", "gfx950",
            "FUSED-GEMM-A8W8_BLOCKSCALE-A16W16", "N8=512 N16=256 K=7168"},
           {"DEFAULT.json", "", "", ""},
           {"GEMM-AFP4WFP4-N=512-K=128.json", "", "GEMM-AFP4WFP4", "N=512 K=128"}}) {
    const auto name = ParseBucketName(it.file);
    ASSERT_TRUE(name.ok()) << name.error().detail;
    EXPECT_EQ(name->arch, it.arch);
    EXPECT_EQ(name->config, it.config);
    EXPECT_EQ(TextOf(name->sizes), it.sizes);
    EXPECT_EQ(name->File(), it.file);
  }
  for (const char* wrong : {"gfx950-GEMM-N=x.json", "gfx950-GEMM-N=0.json", "gfx950-GEMM.csv",
                            "gfx950-GEMM-N=1-fused.json", ".json"}) {
    EXPECT_FALSE(ParseBucketName(wrong).ok()) << wrong;
  }
  EXPECT_EQ(ParseBucketName("gfx950-GEMM-N=12x-K=3.json").error().detail,
            "gfx950-GEMM-N=12x-K=3.json: 'N=12x' at 13 is not NAME=NUMBER");
  EXPECT_EQ(KernelOf("BATCHED_GEMM-A16WFP4"), "batched_gemm_a16wfp4");
}

}  // namespace
}  // namespace tunehub::buckets
