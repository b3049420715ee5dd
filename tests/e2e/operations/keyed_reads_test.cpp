// If reads need a key, no cache between server and client may give an answer to another client.
#include "tests/e2e/hub_fixture.h"
#include "tests/support/metrics.h"

namespace tunehub::test {
namespace {

using testing::AllOf;
using testing::Not;

TEST(KeyedReadsTest, every_answer_to_a_keyed_read_is_private) {
  ServerProcess server({.database = NewDatabase(), .environment = {{"TUNEHUB_READS", "key"}}});
  const HttpClient submitter = server.Client(server.NewKey("submit"));
  ASSERT_EQ(Verdict(submitter.Post(kResults, kHeader + Row(1, "5.0"))), "200");
  const HttpClient reader = server.Client(server.NewKey("read"));
  for (const char* target :
       {"/tuned/a8w8_blockscale?revision=1", "/tuned/a8w8_blockscale", "/tuned", "/runs",
        "/revisions", "/builds", "/rows/a8w8_blockscale", "/tuned/a8w8_blockscale?gfx=gfx950"}) {
    for (int round = 0; round < 2; ++round) {  // the first answer is computed, the second is cached
      const RawAnswer answer = reader.Get(target);
      EXPECT_NE(answer.status, 401) << target;
      EXPECT_THAT(answer.Header("cache-control"),
                  AllOf(HasSubstr("private"), Not(HasSubstr("public"))))
          << target;
    }
  }
  const std::string pin = reader.Get("/tuned/a8w8_blockscale").Header("tunehub-pin");
  const RawAnswer table = reader.Get("/tuned/a8w8_blockscale?revision=" + pin);
  EXPECT_EQ(table.Header("cache-control"), "private, max-age=31536000, immutable");
  const RawAnswer unchanged =
      reader.Get("/tuned/a8w8_blockscale",
                 {{"If-None-Match", reader.Get("/tuned/a8w8_blockscale").Header("etag")}});
  EXPECT_EQ(unchanged.status, 304);
  EXPECT_EQ(unchanged.Header("cache-control"), "private, no-cache");
  EXPECT_THAT(server.Client().Get("/healthz").Header("cache-control"), Not(HasSubstr("private")));
}

// If these reads waited for a worker thread, the limit for heavy reads would apply to them.
TEST(KeyedReadsTest, what_is_in_memory_waits_for_no_worker) {
  ServerProcess server({.database = NewDatabase(), .environment = {{"TUNEHUB_READS", "key"}}});
  const HttpClient submitter = server.Client(server.NewKey("submit"));
  ASSERT_EQ(Verdict(submitter.Post(kResults, kHeader + Row(1, "5.0"))), "200");
  const HttpClient reader = server.Client(server.NewKey("read"));
  const auto by_workers = [&] {
    return Metrics(reader).Of(R"(tunehub_pool_wait_seconds_count{pool="heavy_reads"})");
  };
  for (int i = 0; i < 2; ++i) ASSERT_EQ(reader.Get("/tuned/a8w8_blockscale").status, 200);
  const double before = by_workers();
  EXPECT_GT(before, 0);
  for (int i = 0; i < 5; ++i) {
    const RawAnswer answer = Good(reader.Get("/tuned/a8w8_blockscale"));
    EXPECT_EQ(answer.Header("cache-control"), "private, no-cache");
  }
  EXPECT_EQ(by_workers(), before);
  EXPECT_EQ(server.Client().Get("/tuned/a8w8_blockscale").status, 401);
}

}  // namespace
}  // namespace tunehub::test
