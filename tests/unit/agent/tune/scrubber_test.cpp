#include "agent/tune/scrubber.h"

#include <gmock/gmock.h>

namespace tunehub::agent::test {
namespace {

struct Case {
  const char *text, *clean;
};

constexpr Case kCases[] = {
    {"node7: job of alice", "[host]: job of [user]"},
    {"node7.cluster.example", "[host].cluster.example"},
    {"node77 and malice_2 stay", "node77 and malice_2 stay"},
    {"/home/alice/x.csv", "[home]/x.csv"},
    {"key thub_AbC-123_x.", "key [key]"},
    {"hub at 10.1.2.3:8080, or fe80::1", "hub at [address], or [address]"},
    {"http://hub.example:8080/tuned", "http://[address]/tuned"},
    {"mail bob@example.org", "mail [user]"},
    {"at::native::gemm 12:00:00 7.0.1 0000:c1:00.0 gfx942",
     "at::native::gemm 12:00:00 7.0.1 0000:c1:00.0 gfx942"},
    {"root of /root", "root of /root"},
    {"/home/bob/aiter/x.py:3", "/home/[user]/aiter/x.py:3"},
    {"tcp:10.0.0.5:29500 and 10.0.0.1-10.0.0.9", "[address] and [address]"},
    {"{\"passed\":true} in /opt/rocm/bin", "{\"passed\":true} in /opt/rocm/bin"},
};

TEST(AgentScrubber, takes_names_addresses_and_keys_and_leaves_the_rest) {
  const Scrubber scrubber({{"alice", "[user]"},
                           {"node7", "[host]"},
                           {"/home/alice", "[home]"},
                           {"root", "[user]"},
                           {"true", "[removed]"},
                           {"/opt/rocm", "[removed]"},
                           {"", "[nothing]"}});
  for (const Case& it : kCases) EXPECT_EQ(scrubber.Clean(it.text), it.clean);
}

}  // namespace
}  // namespace tunehub::agent::test
