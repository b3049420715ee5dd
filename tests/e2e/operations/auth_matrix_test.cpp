// Every route with every kind of key: which keys the route accepts, and how it refuses the others.
// A new route needs a row here.
#include <algorithm>
#include <map>
#include <set>

#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

using testing::StartsWith;

enum class Reads { kOpen, kKeyed };

struct RouteRow {
  const char* method;
  const char* pattern;
  const char* scope;             // "": needs no key; "read": needs a key if reads do
  const char* target = nullptr;  // an address for the request, if `pattern` is not one
};

constexpr RouteRow kRoutes[] = {
    {"GET", "/", ""},
    {"GET", "/ui/{view}", "", "/ui/kernels"},
    {"GET", "/assets/{name}", "", "/assets/none.js"},
    {"GET", "/docs", ""},
    {"GET", "/docs/{path}", "", "/docs/none.html"},
    {"GET", "/healthz", ""},
    {"GET", "/readyz", ""},
    {"GET", "/metrics", ""},
    {"GET", "/openapi.json", ""},
    {"GET", "/audit", "admin"},
    {"GET", "/keys", "admin"},
    {"POST", "/keys", "admin"},
    {"POST", "/keys/{id}/rotate", "admin", "/keys/999/rotate"},
    {"POST", "/keys/{id}/revoke", "admin", "/keys/999/revoke"},
    {"GET", "/keys/self", "any"},
    {"GET", "/signing-keys", "read"},
    {"GET", "/channels/{name}", "read", "/channels/stable"},
    {"GET", "/tuned", "read"},
    {"GET", "/tuned/{family}", "read", "/tuned/a8w8"},
    {"GET", "/files/{reader}/{path}", "read", "/files/vllm/a/b.json"},
    {"GET", "/tree/{reader}", "read", "/tree/vllm"},
    {"GET", "/bundle", "read"},
    {"GET", "/verdict", "read"},
    {"GET", "/builds", "read"},
    {"GET", "/builds/{name}", "read", "/builds/wheel"},
    {"GET", "/runs", "read"},
    {"GET", "/runs/{id}", "read", "/runs/1"},
    {"GET", "/revisions", "read"},
    {"GET", "/changes", "read"},
    {"GET", "/families", "read"},
    {"GET", "/targets", "read"},
    {"GET", "/rows/{family}", "read", "/rows/a8w8"},
    {"GET", "/models", "read"},
    {"GET", "/search", "read"},
    {"GET", "/shapes/{family}", "read", "/shapes/a8w8"},
    {"GET", "/demand", "read"},
    {"GET", "/lookup/{family}", "read", "/lookup/a8w8"},
    {"GET", "/coverage", "read"},
    {"POST", "/coverage", "read"},
    {"POST", "/coverage/config", "read"},
    {"GET", "/coverage/models", "read"},
    {"GET", "/overview", "read"},
    {"GET", "/map", "read"},
    {"GET", "/model-time", "read"},
    {"GET", "/trends", "read"},
    {"GET", "/untuned/{family}", "read", "/untuned/a8w8"},
    {"GET", "/jobs", "read"},
    {"GET", "/jobs/{id}", "read", "/jobs/1"},
    {"GET", "/agents", "read"},
    {"GET", "/queue", "read"},
    {"GET", "/speedups", "read"},
    {"GET", "/compare", "read"},
    {"GET", "/differences", "read"},
    {"POST", "/differences", "read"},
    {"GET", "/heuristics/{family}", "read", "/heuristics/a8w8"},
    {"POST", "/results/{family}", "submit", "/results/a8w8"},
    {"POST", "/import", "submit"},
    {"PUT", "/builds/{name}", "submit", "/builds/wheel"},
    {"POST", "/runs", "submit"},
    {"POST", "/demand/logs", "submit"},
    {"POST", "/untuned/{family}", "submit", "/untuned/a8w8"},
    {"POST", "/jobs/claim", "claim"},
    {"POST", "/jobs/{id}/heartbeat", "claim", "/jobs/1/heartbeat"},
    {"POST", "/jobs/{id}/complete", "claim", "/jobs/1/complete"},
    {"POST", "/jobs/{id}/fail", "claim", "/jobs/1/fail"},
    {"POST", "/jobs/{id}/release", "claim", "/jobs/1/release"},
    {"POST", "/agents", "claim"},
    {"POST", "/runs/{id}/revert", "admin", "/runs/1/revert"},
    {"POST", "/rows/accept", "admin"},
    {"POST", "/jobs", "admin"},
    {"POST", "/jobs/{id}/retry", "admin", "/jobs/1/retry"},
    {"POST", "/jobs/plan", "admin"},
    {"POST", "/channels/{name}", "admin", "/channels/stable?to=before"},
};

// By scope of a key: the scopes of the routes that the key opens.
const std::map<std::string, std::set<std::string>> kOpens = {
    {"read", {"any", "read"}},
    {"submit", {"any", "submit"}},
    {"claim", {"any", "read", "submit", "claim"}},
    {"admin", {"any", "read", "submit", "claim", "admin"}},
};

// A request that is outside of kLimits, so a key with these limits must not make it.
struct Elsewhere {
  std::string target;
  std::string body;
};
const std::map<std::string, Elsewhere> kLimited = {
    {"POST /results/{family}", {"/results/a8w8_blockscale", kHeader + Row(1, "5.0")}},
    {"POST /import",
     {"/import?source=daily",
      core::WriteTarGz({{"a8w8_blockscale_tuned_gemm.csv", kHeader + Row(1, "5.0")}})}},
    {"POST /demand/logs",
     {"/demand/logs?gfx=gfx942&cu_num=304",
      "[aiter] shape is M:1, N:1280, K:5120, not found tuned config in "
      "/tmp/aiter_configs/a8w8_blockscale_tuned_gemm.csv, will use default config!\n"}},
    {"POST /untuned/{family}",
     {"/untuned/a8w8_blockscale?gfx=gfx942&cu_num=80", "M,N,K\n1,2048,3072\n"}},
    {"POST /jobs/claim", {"/jobs/claim", R"({"agent":"a","gfx":"gfx942","cu_num":80})"}},
    {"POST /agents", {"/agents", R"({"agent":"a","gfx":"gfx942","cu_num":80})"}},
    {"PUT /builds/{name}",
     {"/builds/wheel",
      "# kind: compiled\nmodule,gfx,kernelId,kernelName\n"
      "module_gemm_a8w8_blockscale,gfx942,3,k\n"}},
    {"POST /runs/{id}/revert", {"/runs/1/revert", ""}},
    {"POST /rows/accept", {"/rows/accept", R"({"run":1})"}},
    {"POST /jobs",
     {"/jobs",
      R"({"family":"a8w8_blockscale","gfx":"gfx942","cu_num":80,"shapes":[{"M":1,"N":2,"K":3}]})"}},
    {"POST /jobs/{id}/retry", {"/jobs/1/retry", ""}},
    {"POST /channels/{name}", {"/channels/stable?to=before", ""}},
    {"POST /keys", {"/keys", R"({"scope":"read"})"}},
    {"POST /keys/{id}/rotate", {"/keys/1/rotate", ""}},
    {"POST /keys/{id}/revoke", {"/keys/1/revoke", ""}},
    {"POST /jobs/plan", {"/jobs/plan", R"({"gfx":"gfx942","cu_num":80,"from":["demand"]})"}},
};
// These requests name no family, target or source. A report on a job needs the job's lease.
const std::set<std::string> kUnlimited = {"POST /runs", "POST /jobs/{id}/heartbeat",
                                          "POST /jobs/{id}/complete", "POST /jobs/{id}/fail",
                                          "POST /jobs/{id}/release"};

const std::vector<std::string> kLimits = {"--families", "fmoe",      "--targets",
                                          "gfx950",     "--sources", "nightly"};

constexpr const char* kNobodysKey = "thub_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

class AuthMatrixTest : public testing::TestWithParam<Reads> {
 protected:
  AuthMatrixTest()
      : server_(
            {.database = NewDatabase(),
             .environment = {{"TUNEHUB_READS", GetParam() == Reads::kKeyed ? "key" : "open"}}}) {}

  std::string ScopeOf(const RouteRow& row) const {
    const std::string scope = row.scope;
    return scope == "read" && GetParam() == Reads::kOpen ? "" : scope;
  }
  // A refusal such as "401 no_key"; "in" if the route accepts the key.
  std::string Asked(const RouteRow& row, const std::string& key) const {
    const std::string target = row.target != nullptr ? row.target : row.pattern;
    const auto answer = server_.Client(key).Try(row.method, target);
    if (!answer) return "no answer";
    EXPECT_EQ(answer->Header("x-content-type-options"), "nosniff") << target;
    EXPECT_EQ(answer->Header("referrer-policy"), "no-referrer") << target;
    EXPECT_THAT(answer->Header("content-security-policy"), HasSubstr("frame-ancestors 'none'"));
    if (answer->status != 401 && answer->status != 403) return "in";
    const std::string challenge = answer->status == 401 ? "Bearer realm=\"tunehub\"" : "";
    EXPECT_THAT(answer->Header("www-authenticate"), StartsWith(challenge));
    return Verdict(*answer);
  }
  void Expect(const RouteRow& row, const std::string& key, const std::string& verdict,
              const std::string& about) const {
    EXPECT_EQ(Asked(row, key), ScopeOf(row).empty() ? "in" : verdict)
        << row.method << " " << row.pattern << " with " << about;
  }
  std::string Revoked() const {
    const std::string key = server_.NewKey("admin");
    server_.Revoke(key);
    return key;
  }

  ServerProcess server_;
};

TEST_P(AuthMatrixTest, has_a_row_for_every_route_there_is) {
  std::set<std::string> known, there;
  for (const RouteRow& row : kRoutes) known.insert(std::string(row.method) + " " + row.pattern);
  const auto document = nlohmann::json::parse(server_.Client().Get("/openapi.json").body);
  for (const auto& [path, operations] : document.at("paths").items()) {
    for (const auto& [method, unused] : operations.items()) {
      std::string upper = method;
      std::transform(upper.begin(), upper.end(), upper.begin(), ::toupper);
      there.insert(upper + " " + path);
    }
  }
  EXPECT_EQ(known, there) << "a new route needs a row in kRoutes";
}

TEST_P(AuthMatrixTest, every_route_lets_in_the_right_keys_and_tells_the_others_why_not) {
  std::map<std::string, std::string> keys;
  for (const auto& [scope, unused] : kOpens) keys[scope] = server_.NewKey(scope);
  const std::string expired = server_.ExpiredKey("admin");
  const std::string revoked = Revoked();
  for (const RouteRow& row : kRoutes) {
    Expect(row, "", "401 no_key", "no key");
    Expect(row, "thub_short", "401 wrong_key", "half a key");
    Expect(row, kNobodysKey, "401 wrong_key", "an unknown key");
    Expect(row, expired, "401 expired_key", "an expired key");
    Expect(row, revoked, "401 revoked_key", "a revoked key");
    for (const auto& [scope, opens] : kOpens) {
      Expect(row, keys[scope], opens.contains(row.scope) ? "in" : "403 wrong_scope", scope);
    }
  }
}

TEST_P(AuthMatrixTest, a_key_that_is_limited_elsewhere_writes_nothing_and_reads_what_others_read) {
  const HttpClient admin = server_.Client(server_.NewKey("admin"));
  ASSERT_EQ(Verdict(admin.Post(kResults, kHeader + Row(1, "5.0"))), "200");
  ASSERT_EQ(Verdict(admin.Post("/jobs", kLimited.at("POST /jobs").body)), "201");
  const std::string key = server_.NewKey("admin", kLimits);
  for (const RouteRow& row : kRoutes) {
    const std::string name = std::string(row.method) + " " + row.pattern;
    const bool writes = std::string(row.method) != "GET" && ScopeOf(row) != "read";
    const auto limited = kLimited.find(name);
    if (limited == kLimited.end()) {
      Expect(row, key, "in", "a key that is limited elsewhere");
      EXPECT_TRUE(!writes || ScopeOf(row).empty() || kUnlimited.contains(name))
          << name << " is in neither kLimited nor kUnlimited";
      continue;
    }
    const auto& [target, body] = limited->second;
    const std::map<std::string, std::string> types = {{"POST /import", "application/gzip"},
                                                      {"PUT /builds/{name}", "text/csv"}};
    const auto type = types.find(name);
    const auto answer = server_.Client(key).Try(
        row.method, target, body,
        {{"Content-Type", type == types.end() ? "text/plain" : type->second}});
    ASSERT_TRUE(answer) << name;
    EXPECT_EQ(Verdict(*answer), "403 key_limited") << name << ": " << answer->body;
  }
}

INSTANTIATE_TEST_SUITE_P(Doors, AuthMatrixTest, testing::Values(Reads::kOpen, Reads::kKeyed),
                         [](const auto& it) {
                           return it.param == Reads::kOpen ? "where_anybody_reads"
                                                           : "where_reads_need_a_key";
                         });

}  // namespace
}  // namespace tunehub::test
