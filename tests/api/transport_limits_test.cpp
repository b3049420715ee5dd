// Deadlines, queues and budgets, and the stop of a listener.
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <future>
#include <memory>
#include <system_error>

#include "tests/api/transport_fixture.h"

namespace tunehub::http {
namespace {

using std::chrono::milliseconds;
using test::RawHttp;
using Clock = std::chrono::steady_clock;

TEST_P(TransportTest, a_slow_header_is_408) {
  options_.limits.header_deadline = milliseconds(200);
  Start();
  RawHttp client(port(), tls());
  const auto answer = client.Ask("GET /fast HTTP/1.1\r\nHost:");
  EXPECT_EQ(answer.status, 408);
  EXPECT_TRUE(client.Closes());
  EXPECT_EQ(listener_->counters().timed_out, 1U);
}

TEST_P(TransportTest, a_header_that_trickles_gains_no_time) {
  options_.limits.header_deadline = milliseconds(300);
  Start();
  RawHttp client(port(), tls());
  client.Send("GET /fast HTTP/1.1\r\n");
  const auto start = Clock::now();
  while (client.StaysSilent(milliseconds(20)) && Clock::now() - start < kPatience) {
    client.Send("a: b\r\n");
  }
  EXPECT_EQ(client.Read().value().status, 408);
}

TEST_P(TransportTest, a_connection_that_says_nothing_is_closed_without_a_word) {
  options_.limits.header_deadline = milliseconds(200);
  Start();
  RawHttp client(port(), tls());
  EXPECT_TRUE(client.Closes());
}

TEST_P(TransportTest, an_idle_connection_is_closed_after_the_idle_deadline) {
  options_.limits.idle_deadline = milliseconds(200);
  Start();
  RawHttp client(port(), tls());
  EXPECT_EQ(client.Ask(Get("/fast")).status, 200);
  EXPECT_TRUE(client.Closes());
  EXPECT_EQ(listener_->counters().timed_out, 0U);
}

TEST_P(TransportTest, a_stalled_body_is_408_whatever_its_announced_size_allows) {
  options_.limits.body_deadline = milliseconds(200);
  options_.limits.min_body_rate = 100;  // at this rate 60,000 bytes may take ten minutes
  Start();
  RawHttp client(port(), tls());
  const auto start = Clock::now();
  const auto answer = client.Ask("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 60000\r\n\r\nabc");
  EXPECT_EQ(answer.status, 408);
  EXPECT_LT(Clock::now() - start, kPatience);
}

TEST_P(TransportTest, a_body_that_keeps_the_rate_may_pass_the_base_deadline) {
  options_.limits.body_deadline = milliseconds(400);
  options_.limits.min_body_rate = 1'000;
  Start();
  RawHttp client(port(), tls());
  client.Send("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 60000\r\n\r\n");
  for (int i = 0; i < 12; ++i) {
    client.Send(std::string(5000, 'a'));
    std::this_thread::sleep_for(milliseconds(60));
  }
  EXPECT_EQ(client.Read().value().status, 200);
}

TEST_P(TransportTest, a_client_that_does_not_read_is_closed) {
  options_.limits.write_deadline = milliseconds(200);
  const auto body = std::make_shared<const std::string>(std::size_t{64} << 20, 'x');
  callbacks_.fast = [&](const Request&) -> std::optional<Response> {
    return Response{.status = 200, .headers = {}, .body = body};
  };
  Start();
  RawHttp client;
  client.ShrinkReceiveBuffer();
  client.Connect(port(), tls());
  client.Send(Get("/"));
  EXPECT_TRUE(Reaches(&Counters::timed_out, std::size_t{1}));
  EXPECT_TRUE(Reaches(&Counters::connections_open, std::size_t{0}));
}

TEST_P(TransportTest, a_full_queue_is_503_with_retry_after) {
  options_.workers.fill(1);
  options_.limits.queue = 1;
  Start();
  RawHttp runs(port(), tls());
  runs.Send(Get("/wait"));
  gate_.AwaitWaiting(1);
  // Exactly one of these requests waits in the queue. The scheduler decides which.
  std::array<std::unique_ptr<RawHttp>, 3> clients;
  for (auto& client : clients) {
    client = std::make_unique<RawHttp>(port(), tls());
    client->Send(Get("/wait"));
  }
  EXPECT_TRUE(Reaches(&Counters::rejected_busy, std::size_t{2}));
  EXPECT_EQ(Answer(Get("/fast")), "200 fast /fast");
  gate_.Open();
  EXPECT_EQ(runs.Read().value().status, 200);
  int answered = 0;
  for (const auto& client : clients) {
    const auto answer = client->Read().value();
    if (answer.status == 200) ++answered;
    EXPECT_EQ(answer.Header("retry-after").empty(), answer.status == 200);
  }
  EXPECT_EQ(answered, 1);
}

TEST_P(TransportTest, a_connection_above_the_limit_gets_503_and_is_closed) {
  options_.limits.connections = 2;
  Start();
  auto first = std::make_unique<RawHttp>(port(), tls());
  EXPECT_EQ(first->Ask(Get("/fast")).status, 200);
  RawHttp second(port(), tls());
  EXPECT_EQ(second.Ask(Get("/fast")).status, 200);
  RawHttp third(port(), tls());
  const auto answer = third.Read().value();
  EXPECT_EQ(answer.status, 503);
  EXPECT_FALSE(answer.Header("retry-after").empty());
  EXPECT_TRUE(third.Closes());
  first.reset();
  EXPECT_EQ(second.Ask(Get("/fast")).status, 200);
}

TEST_P(TransportTest, bodies_together_stay_within_their_budget) {
  options_.limits.bodies_in_flight_bytes = 10'000;
  Start();
  RawHttp holder(port(), tls());
  holder.Send(Post("/wait", std::string(6'000, 'a')));
  gate_.AwaitWaiting(1);
  EXPECT_EQ(StatusOf(Post("/p", std::string(5'000, 'a'))), 503);
  EXPECT_EQ(StatusOf("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                     "1388\r\n" +
                     std::string(5'000, 'a') + "\r\n0\r\n\r\n"),
            503);
  EXPECT_EQ(StatusOf(Post("/p", std::string(3'000, 'a'))), 200);
  gate_.Open();
  EXPECT_EQ(holder.Read().value().status, 200);
  EXPECT_EQ(StatusOf(Post("/p", std::string(9'000, 'a'))), 200);
}

TEST_F(TransportPlainTest, without_descriptors_accept_waits_and_does_not_spin) {
  options_.reactors = 1;
  Start();
  RawHttp client;
  const auto before = RawHttp(port()).Exchange(Get("/fast"));
  ASSERT_TRUE(before && Reaches(&Counters::connections_open, std::size_t{0}));
  rlimit old{};
  getrlimit(RLIMIT_NOFILE, &old);
  const rlimit none{.rlim_cur = 3, .rlim_max = old.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  client.Connect(port(), tls());
  client.Send(Get("/fast"));
  const std::clock_t cpu = std::clock();
  EXPECT_TRUE(client.StaysSilent(milliseconds(500)));
  const double spent = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  setrlimit(RLIMIT_NOFILE, &old);
  EXPECT_LT(spent, 0.25);
  EXPECT_EQ(client.Read().value().status, 200);
}

TEST_P(TransportTest, stop_answers_what_is_in_flight_and_closes_what_is_idle) {
  Start();
  RawHttp idle(port(), tls());
  EXPECT_EQ(idle.Ask(Get("/fast")).status, 200);
  RawHttp busy(port(), tls());
  busy.Send(Get("/wait"));
  gate_.AwaitWaiting(1);
  auto stopped = std::async(std::launch::async, [this] { listener_->Stop(); });
  EXPECT_TRUE(idle.Closes());
  EXPECT_TRUE(busy.StaysSilent(milliseconds(50)));
  const auto opened = Clock::now();
  gate_.Open();
  const auto answer = busy.Read().value();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.Header("connection"), "close");
  EXPECT_TRUE(busy.Closes());
  stopped.get();
  // The server has read the whole request, so it need not wait until the client closes.
  EXPECT_LT(Clock::now() - opened, std::chrono::seconds(2))
      << "the server waited for the client to close";
  EXPECT_EQ(listener_->counters().connections_open, 0U);
  EXPECT_THROW(RawHttp{port()}, std::system_error);
}

TEST_P(TransportTest, stop_waits_for_a_slow_client_up_to_the_drain_deadline) {
  options_.limits.drain_deadline = milliseconds(200);
  options_.limits.header_deadline = 2 * kPatience;
  Start();
  RawHttp slow(port(), tls());
  slow.Send("GET /fast HT");
  EXPECT_TRUE(Reaches(&Counters::connections_open, std::size_t{1}));
  const auto start = Clock::now();
  listener_->Stop();
  EXPECT_LT(Clock::now() - start, kPatience);
  EXPECT_TRUE(slow.Closes());
}

TEST_P(TransportTest, requests_that_still_wait_at_the_drain_deadline_are_dropped) {
  options_.workers.fill(1);
  options_.limits.drain_deadline = milliseconds(200);
  Start();
  RawHttp runs(port(), tls());
  runs.Send(Get("/wait"));
  gate_.AwaitWaiting(1);
  RawHttp waits(port(), tls());
  waits.Send(Get("/wait"));
  auto stopped = std::async(std::launch::async, [this] { listener_->Stop(); });
  EXPECT_TRUE(waits.Closes());
  gate_.Open();
  stopped.get();
}

TEST_F(TransportPlainTest, an_address_in_use_is_an_error_although_reactors_share_theirs) {
  const int other = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(other, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(other, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::getsockname(other, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ASSERT_EQ(::listen(other, 1), 0);
  options_.port = ntohs(address.sin_port);
  Listener listener(options_, callbacks_);
  const auto refused = listener.Start();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "address_in_use");
  ::close(other);
  EXPECT_TRUE(listener.Start());
}

TEST_P(TransportTest, a_process_has_one_listener_at_a_time_and_may_start_again) {
  Start();
  options_.port = port();
  Listener second(options_, callbacks_);
  const auto refused = second.Start();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "listener_exists");
  listener_->Stop();
  listener_->Stop();
  ASSERT_TRUE(second.Start());
  EXPECT_EQ(second.port(), options_.port);
  EXPECT_EQ(RawHttp(second.port(), tls()).Ask(Get("/fast")).status, 200);
}

TEST_F(TransportPlainTest, an_address_that_is_none_of_ours_is_an_error) {
  options_.host = "192.0.2.1";
  EXPECT_EQ(Listener(options_, callbacks_).Start().error().code, "cannot_listen");
  options_.host = "no such host";
  EXPECT_EQ(Listener(options_, callbacks_).Start().error().code, "cannot_listen");
}

}  // namespace
}  // namespace tunehub::http
