// One client uses as much as it can. The server must still serve the other clients.
#include <memory>
#include <vector>

#include "tests/api/transport_fixture.h"
#include "tests/support/result.h"

namespace tunehub::http {
namespace {

using test::RawHttp;

constexpr std::size_t kBigAnswer = std::size_t{8} << 20;  // more than the socket buffers can store

class TransportFairnessTest : public TransportTest {
 protected:
  std::unique_ptr<RawHttp> ConnectFrom(const char* address) const {
    auto client = std::make_unique<RawHttp>();
    client->From(address);
    client->ShrinkReceiveBuffer();
    client->Connect(port(), tls());
    return client;
  }
  // Sends a request and does not read the answer.
  std::unique_ptr<RawHttp> AskFrom(const char* address, const std::string& path) const {
    auto client = ConnectFrom(address);
    client->Send(Get(path));
    return client;
  }
  int StatusFrom(const char* address, const std::string& path) const {
    const auto answer = ConnectFrom(address)->Exchange(Get(path));
    return answer ? answer->status : 0;
  }
  static Response Big() { return TextResponse(200, "text/plain", std::string(kBigAnswer, 'x')); }
};

TEST_P(TransportFairnessTest, an_address_has_its_share_of_the_connections_and_leaves_the_rest) {
  options_.limits.connections = 8;
  options_.limits.client_share = 50;
  Start();
  std::vector<std::unique_ptr<RawHttp>> greedy;
  for (int i = 0; i < 4; ++i) {
    greedy.push_back(ConnectFrom("127.0.0.2"));
    ASSERT_EQ(greedy.back()->Ask(Get("/fast")).status, 200) << i;
  }
  EXPECT_EQ(StatusFrom("127.0.0.2", "/fast"), 503);
  EXPECT_EQ(StatusFrom("127.0.0.3", "/fast"), 200);
  greedy.pop_back();
  EXPECT_TRUE(Reaches(&Counters::connections_open, std::size_t{3}));
  EXPECT_EQ(StatusFrom("127.0.0.2", "/fast"), 200);
}

TEST_P(TransportFairnessTest, an_address_has_its_share_of_the_places_to_wait) {
  std::atomic<bool> there = false;
  std::atomic<int> asked = 0;
  callbacks_.admit = [&](const RequestHead&) -> std::optional<Response> {
    ++asked;
    if (there) return std::nullopt;
    Response refusal = Problem(503, "not_yet", "Not yet.");
    refusal.may_change = true;
    return refusal;
  };
  options_.limits.hold = std::chrono::minutes(5);
  options_.limits.held = 4;
  options_.limits.client_share = 50;
  Start();
  std::vector<std::unique_ptr<RawHttp>> greedy;
  for (int i = 0; i < 2; ++i) {
    asked = 0;
    greedy.push_back(AskFrom("127.0.0.2", "/fast"));
    EXPECT_TRUE(test::Comes([&] { return asked > i; }));
    EXPECT_TRUE(greedy.back()->StaysSilent(std::chrono::milliseconds(100))) << i;
  }
  EXPECT_EQ(StatusFrom("127.0.0.2", "/fast"), 503);
  const auto quiet = AskFrom("127.0.0.3", "/fast");
  EXPECT_TRUE(quiet->StaysSilent(std::chrono::milliseconds(100)));
  there = true;
  EXPECT_EQ(quiet->Read().value().status, 200);
  for (const auto& client : greedy) EXPECT_EQ(client->Read().value().status, 200);
}

TEST_P(TransportFairnessTest, where_all_are_taken_an_idle_one_of_the_largest_makes_room) {
  options_.reactors = 1;
  options_.limits.connections = 4;
  Start();
  const auto working = AskFrom("127.0.0.2", "/wait");
  gate_.AwaitWaiting(1);
  auto oldest = ConnectFrom("127.0.0.2");
  EXPECT_EQ(oldest->Ask(Get("/fast")).status, 200);
  auto slow = ConnectFrom("127.0.0.2");
  slow->Send("GET /fast HT");
  auto other = ConnectFrom("127.0.0.2");
  EXPECT_EQ(other->Ask(Get("/fast")).status, 200);
  EXPECT_EQ(StatusFrom("127.0.0.2", "/fast"), 503);

  const auto quiet = ConnectFrom("127.0.0.3");
  EXPECT_EQ(quiet->Ask(Get("/fast")).status, 200);
  EXPECT_TRUE(oldest->Closes());
  const auto second = ConnectFrom("127.0.0.3");
  EXPECT_EQ(second->Ask(Get("/fast")).status, 200);
  // Each client has two connections, so neither has more than the other.
  EXPECT_EQ(StatusFrom("127.0.0.3", "/fast"), 503);
  gate_.Open();
  EXPECT_EQ(working->Read().value().status, 200);
}

TEST_P(TransportFairnessTest,
       answers_on_their_way_have_a_budget_of_which_one_client_has_its_share) {
  options_.limits.client_share = 50;
  options_.limits.answers_in_flight_bytes = 4 * kBigAnswer;
  callbacks_.handle = [](const Request&) { return Big(); };
  Start();
  const auto first = AskFrom("127.0.0.2", "/big");
  EXPECT_TRUE(Reaches(&Counters::requests, std::size_t{1}));
  const auto second = AskFrom("127.0.0.2", "/big");
  EXPECT_TRUE(Reaches(&Counters::requests, std::size_t{2}));
  EXPECT_EQ(StatusFrom("127.0.0.2", "/big"), 503);
  EXPECT_EQ(StatusFrom("127.0.0.2", "/fast"), 200);
  EXPECT_EQ(StatusFrom("127.0.0.3", "/big"), 200);
}

// After a 503 to a write, the client would repeat the write.
TEST_P(TransportFairnessTest, what_a_write_did_is_told_however_much_is_on_its_way) {
  options_.limits.client_share = 50;
  options_.limits.answers_in_flight_bytes = 2 * kBigAnswer;
  callbacks_.handle = [](const Request&) { return Big(); };
  Start();
  const auto slow = AskFrom("127.0.0.2", "/big");
  EXPECT_TRUE(Reaches(&Counters::requests, std::size_t{1}));
  EXPECT_EQ(StatusFrom("127.0.0.2", "/big"), 503);
  const auto told = ConnectFrom("127.0.0.2")->Ask(Post("/import", "rows"));
  EXPECT_EQ(told.status, 200);
  EXPECT_EQ(told.body.size(), kBigAnswer);
}

TEST_P(TransportFairnessTest, the_largest_body_comes_through_where_it_is_more_than_a_share) {
  options_.limits.client_share = 5;
  options_.limits.body_bytes = 64 * 1024;
  options_.limits.bodies_in_flight_bytes = 100'000;
  options_.limits.connections = 16;
  Start();
  const auto answer = ConnectFrom("127.0.0.2")->Ask(Post("/x", std::string(64 * 1024, 'x')));
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(Reaches(&Counters::connections_open, std::size_t{0}));
  const auto first = ConnectFrom("127.0.0.2");
  EXPECT_EQ(first->Ask(Get("/fast")).status, 200);
  EXPECT_EQ(StatusFrom("127.0.0.2", "/fast"), 503);
  EXPECT_EQ(StatusFrom("127.0.0.3", "/fast"), 200);
}

TEST_P(TransportFairnessTest, a_body_is_paid_for_by_who_still_takes_it) {
  options_.limits.client_share = 25;
  options_.limits.answers_in_flight_bytes = 4 * kBigAnswer;
  const auto shared = Big().body;
  callbacks_.handle = [&](const Request& request) {
    return request.path == "/shared" ? Response{.status = 200, .headers = {}, .body = shared}
                                     : Big();
  };
  Start();
  const auto quick = AskFrom("127.0.0.2", "/shared");
  EXPECT_TRUE(Reaches(&Counters::requests, std::size_t{1}));
  const auto slow = AskFrom("127.0.0.3", "/shared");
  EXPECT_TRUE(Reaches(&Counters::requests, std::size_t{2}));
  EXPECT_EQ(quick->Read().value().body.size(), kBigAnswer);
  EXPECT_EQ(quick->Ask(Get("/fast")).status, 200);  // shows that the server sent the whole body
  EXPECT_EQ(StatusFrom("127.0.0.2", "/big"), 200);
  EXPECT_EQ(StatusFrom("127.0.0.3", "/big"), 503);
}

TEST_P(TransportFairnessTest, a_body_counts_once_however_many_take_it) {
  options_.limits.answers_in_flight_bytes = 2 * kBigAnswer;
  const auto body = Big().body;
  callbacks_.handle = [&](const Request&) {
    return Response{.status = 200, .headers = {}, .body = body};
  };
  Start();
  std::vector<std::unique_ptr<RawHttp>> takers;
  for (std::size_t i = 1; i <= 5; ++i) {
    takers.push_back(AskFrom("127.0.0.2", "/big"));
    EXPECT_TRUE(Reaches(&Counters::requests, i));
  }
  EXPECT_EQ(listener_->counters().rejected_busy, 0U);
}

TEST_P(TransportFairnessTest, above_the_budget_slow_answers_of_the_largest_client_end) {
  options_.limits.answers_in_flight_bytes = 2 * kBigAnswer + kBigAnswer / 2;
  callbacks_.fast = [](const Request&) -> std::optional<Response> { return Big(); };
  Start();
  const auto modest = AskFrom("127.0.0.3", "/fast");
  EXPECT_TRUE(Reaches(&Counters::requests, std::size_t{1}));
  std::vector<std::unique_ptr<RawHttp>> greedy;
  for (std::size_t i = 2; i <= 4; ++i) {
    greedy.push_back(AskFrom("127.0.0.2", "/fast"));
    EXPECT_TRUE(Reaches(&Counters::requests, i));  // so that the order is certain on a busy machine
  }
  EXPECT_TRUE(Reaches(&Counters::timed_out, std::size_t{2}));
  EXPECT_TRUE(Reaches(&Counters::connections_open, std::size_t{2}));
  EXPECT_EQ(modest->Read().value().body.size(), kBigAnswer);
}

TEST_P(TransportFairnessTest, a_client_that_takes_less_than_the_least_rate_is_closed) {
  options_.limits.write_deadline = std::chrono::milliseconds(400);
  options_.limits.min_answer_rate = 100 << 20;
  callbacks_.fast = [](const Request& request) -> std::optional<Response> {
    return request.path == "/big" ? Big() : TextResponse(200, "text/plain", "small");
  };
  Start();
  const auto slow = AskFrom("127.0.0.2", "/big");
  // The client reads a piece every 20 ms, which is slower than the minimum rate.
  for (int i = 0; i < 3'000 && listener_->counters().timed_out == 0; ++i) {
    slow->StaysSilent(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(listener_->counters().timed_out, 1U);
  EXPECT_EQ(StatusFrom("127.0.0.2", "/fast"), 200);
}

TEST_P(TransportFairnessTest, a_trusted_proxy_says_whom_a_request_comes_from) {
  options_.proxies = Must(TrustedProxies::Parse("127.0.0.2"));
  options_.limits.connections = 8;
  options_.limits.client_share = 20;
  callbacks_.handle = [](const Request& request) {
    return TextResponse(200, "text/plain", request.peer + " " + request.client);
  };
  Start();
  const std::string asks =
      "GET /who HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 192.0.2.9, 2001:db8::5\r\n\r\n";
  const auto proxied = ConnectFrom("127.0.0.2");
  EXPECT_EQ(proxied->Ask(asks).body, "2001:db8::5 2001:db8::/64");
  const auto plain = ConnectFrom("127.0.0.3");
  EXPECT_EQ(plain->Ask(asks).body, "127.0.0.3 127.0.0.3");
  EXPECT_EQ(StatusFrom("127.0.0.3", "/fast"), 503);
  EXPECT_EQ(StatusFrom("127.0.0.2", "/fast"), 200);  // a proxy has no share of its own
}

TEST_P(TransportFairnessTest, a_proxys_connection_makes_no_room) {
  options_.proxies = Must(TrustedProxies::Parse("127.0.0.2"));
  options_.reactors = 1;
  options_.limits.connections = 3;
  Start();
  std::vector<std::unique_ptr<RawHttp>> proxied;
  for (int i = 0; i < 3; ++i) {
    proxied.push_back(ConnectFrom("127.0.0.2"));
    EXPECT_EQ(proxied.back()->Ask(Get("/fast")).status, 200);
  }
  EXPECT_EQ(StatusFrom("127.0.0.3", "/fast"), 503);
  for (const auto& connection : proxied) {
    const auto answer = connection->Exchange(Get("/fast"));
    EXPECT_TRUE(answer && answer->status == 200);
  }
}

TEST_P(TransportFairnessTest, a_request_goes_to_the_pool_that_it_is_placed_in_or_is_refused) {
  options_.workers.fill(1);
  callbacks_.place = [](const Request& request, Pool& pool) -> std::optional<Response> {
    if (request.path == "/refused") return Problem(429, "too_many_requests", "so many");
    if (request.path == "/wait") pool = Pool::kHeavy;
    return std::nullopt;
  };
  Start();
  const auto waits = AskFrom("127.0.0.2", "/wait");
  gate_.AwaitWaiting(1);
  const auto queued = AskFrom("127.0.0.2", "/wait");
  EXPECT_EQ(StatusFrom("127.0.0.2", "/quick"), 200);
  EXPECT_EQ(StatusFrom("127.0.0.2", "/refused"), 429);
  gate_.Open();
  EXPECT_EQ(queued->Read().value().status, 200);
}

INSTANTIATE_TEST_SUITE_P(Over, TransportFairnessTest, testing::Values(Over::kSocket, Over::kTls),
                         [](const auto& over) {
                           return over.param == Over::kTls ? "tls" : "plain";
                         });

}  // namespace
}  // namespace tunehub::http
