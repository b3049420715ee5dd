// A listener stops while many clients send requests. For ThreadSanitizer.
#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/api/transport_fixture.h"

namespace tunehub::http {
namespace {

using test::RawHttp;

TEST_P(TransportTest, a_stop_amid_load_gives_whole_answers_or_none) {
  options_.limits.queue = 4;
  options_.limits.connections = 6;  // fewer than clients
  options_.limits.bodies_in_flight_bytes = 40'000;
  const std::array<std::string, 6> requests = {
      Get("/fast"),
      Get("/worker"),
      Post("/worker", std::string(20'000, 'a')),
      Get("/worker") + Get("/fast"),
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
      Get("/%zz"),
  };
  for (int round = 0; round < 5; ++round) {
    Start();
    std::atomic<bool> over{false};
    std::atomic<std::size_t> answers{0};
    std::atomic<int> odd_status{0};
    const unsigned short at = port();
    const auto client = [&](std::size_t first) {
      for (std::size_t i = first; !over; ++i) {
        try {
          RawHttp connection(at, tls());
          for (int kept = 0; kept < 5 && !over; ++kept) {
            const auto answer = connection.Exchange(requests[(i + first) % requests.size()]);
            if (!answer) break;
            ++answers;
            if (answer->status != 200 && answer->status != 400 && answer->status != 503) {
              odd_status = answer->status;
            }
          }
        } catch (const std::system_error&) {
          return;  // refused, because the listener has stopped
        }
      }
    };
    std::vector<std::thread> clients;
    for (std::size_t i = 0; i < 8; ++i) clients.emplace_back(client, i);
    while (answers < 300) std::this_thread::yield();
    listener_->Stop();
    over = true;
    for (std::thread& thread : clients) thread.join();
    EXPECT_EQ(odd_status, 0);
    EXPECT_EQ(listener_->counters().connections_open, 0U);
    EXPECT_GE(listener_->counters().requests, answers.load());
  }
}

}  // namespace
}  // namespace tunehub::http
