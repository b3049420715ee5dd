// Rate limits: the limit of each route, and the answer to a client above its limit.
#include "server/ops/limits.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/api/idle_hub.h"

namespace tunehub::server {
namespace {

class LimitsTest : public testing::Test {
 protected:
  static http::Request RequestOf(const Endpoint& route) {
    http::Request request;
    request.method = route.method;
    request.path = std::regex_replace(route.pattern, std::regex(R"(\{[^}]*\})"), "x");
    request.peer = request.client = "192.0.2.1";
    request.query = {{"no_such_parameter", "1"}};  // the handler refuses it before it does any work
    return request;
  }

  // Calls Admit, Fast and Place as the transport does, until one answers.
  static std::string Send(const App& app, http::Request request) {
    auto answer = app.Admit(request);
    if (!answer) answer = app.Fast(request);
    http::Pool pool = http::Pool::kQuick;
    if (!answer) answer = app.Place(request, pool);
    return answer ? std::to_string(answer->status) : "works";
  }
};

// A route that needs no key must answer from memory or have a rate limit.
TEST_F(LimitsTest, every_open_route_is_in_memory_or_limited) {
  Settings settings;
  settings.limits.fill(0.1);  // so low that only a bucket's first token counts
  std::set<std::string> in_memory, limited;
  const IdleHub idle(settings);
  const auto routes = idle.app.AllRoutes();
  for (const Endpoint& route : routes) {
    if (!route.scope.empty()) continue;
    IdleHub fresh(settings);
    const App& app = fresh.app;
    const http::Request request = RequestOf(route);
    const std::string name = route.method + " " + route.pattern;
    const std::string first = Send(app, request), second = Send(app, request);
    if (first == "works" && second == "429") limited.insert(name);
    if (first == second && first != "works") in_memory.insert(name);
  }
  EXPECT_EQ(in_memory, (std::set<std::string>{"GET /", "GET /ui/{view}", "GET /assets/{name}",
                                              "GET /docs", "GET /docs/", "GET /docs/{path...}",
                                              "GET /healthz", "GET /readyz", "GET /metrics"}));
  for (const Endpoint& route : routes) {
    const std::string name = route.method + " " + route.pattern;
    if (!route.scope.empty()) continue;
    EXPECT_EQ(in_memory.contains(name), !limited.contains(name)) << name;
  }
}

TEST_F(LimitsTest, whoever_asks_too_often_learns_by_which_limit_and_when_to_ask_again) {
  Settings settings;
  settings.limits[static_cast<std::size_t>(http::Pool::kHeavy)] = 0.1;
  const IdleHub idle(settings);
  const App& app = idle.app;
  http::Request request;
  request.method = "GET";
  request.path = "/compare";
  request.peer = request.client = "192.0.2.1";
  EXPECT_EQ(Send(app, request), "works");
  http::Pool pool = http::Pool::kQuick;
  const auto refused = app.Place(request, pool);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 429);
  const auto problem = nlohmann::json::parse(*refused->body);
  EXPECT_EQ(problem.at("code"), "too_many_requests");
  EXPECT_EQ(problem.at("limit"), "limit_heavy_reads");
  bool says_when = false;
  for (const auto& [name, value] : refused->headers) {
    says_when |= name == "Retry-After" && std::stoi(value) >= 9 && std::stoi(value) <= 10;
  }
  EXPECT_TRUE(says_when);
  request.peer = request.client = "192.0.2.2";
  EXPECT_EQ(Send(app, request), "works");
  request.path = "/revisions";
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(Send(app, request), "works");
}

TEST_F(LimitsTest, signs_of_life_wait_behind_no_rows) {
  std::map<std::string, http::Pool> pools;
  const IdleHub idle;
  for (const Endpoint& route : idle.app.AllRoutes()) {
    pools[route.method + " " + route.pattern] = PoolOf(route);
  }
  EXPECT_EQ(pools.at("POST /jobs/{id}/heartbeat"), http::Pool::kQueue);
  EXPECT_EQ(pools.at("POST /results/{family}"), http::Pool::kWrite);
  EXPECT_EQ(pools.at("GET /tuned/{family}"), http::Pool::kHeavy);
  EXPECT_EQ(pools.at("POST /coverage"), http::Pool::kHeavy);
  EXPECT_EQ(pools.at("GET /runs"), http::Pool::kQuick);
}

using Bucket = server::RateLimits;

TEST(RateLimitsTest, a_bucket_holds_ten_seconds_and_fills_at_its_rate) {
  Bucket limits({2, 0});
  const auto start = Bucket::Clock::now();
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(limits.Take(0, "a", start)) << i;
  const auto pause = limits.Take(0, "a", start);
  ASSERT_TRUE(pause);
  EXPECT_DOUBLE_EQ(pause->count(), 0.5);
  EXPECT_FALSE(limits.Take(0, "b", start));
  EXPECT_FALSE(limits.Take(1, "a", start));
  EXPECT_FALSE(limits.Take(0, "a", start + std::chrono::milliseconds(501)));
  EXPECT_TRUE(limits.Take(0, "a", start + std::chrono::milliseconds(502)));
  const auto later = start + std::chrono::hours(1);
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(limits.Take(0, "a", later)) << i;
  EXPECT_TRUE(limits.Take(0, "a", later));
}

TEST(RateLimitsTest, more_askers_than_there_is_room_for_are_forgotten_and_not_refused) {
  Bucket limits({0.1});
  const auto start = Bucket::Clock::now();
  for (int i = 0; i < 200'000; ++i) {
    ASSERT_FALSE(limits.Take(0, std::to_string(i), start + std::chrono::milliseconds(i)));
  }
}

}  // namespace
}  // namespace tunehub::server
