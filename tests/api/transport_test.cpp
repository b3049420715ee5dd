#include <stdexcept>

#include "tests/api/transport_fixture.h"

namespace tunehub::http {
namespace {

using test::RawHttp;

INSTANTIATE_TEST_SUITE_P(, TransportTest, testing::Values(Over::kSocket, Over::kTls),
                         [](const auto& over) {
                           return over.param == Over::kTls ? "tls" : "plain";
                         });

TEST_P(TransportTest, every_answer_has_an_id_a_date_and_a_length) {
  Start();
  RawHttp client(port(), tls());
  for (const char* path : {"/fast", "/worker"}) {
    const auto answer = client.Exchange(Get(path));
    ASSERT_TRUE(answer) << path;
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->Header("x-request-id").size(), 16U);
    EXPECT_TRUE(answer->Header("date").ends_with(" GMT")) << answer->Header("date");
    EXPECT_EQ(answer->Header("content-length"), std::to_string(answer->body.size()));
    EXPECT_EQ(answer->Header("connection"), "");
  }
}

TEST_P(TransportTest, handlers_see_a_decoded_request) {
  callbacks_.handle = [](const Request& request) {
    std::string shown = request.method + " " + request.path + " " + request.peer;
    for (const auto& [name, value] : request.query) shown += " " + name + "=" + value;
    shown += " " + std::string(request.Header("x-two").value_or("none"));
    return TextResponse(200, "text/plain", shown);
  };
  Start();
  EXPECT_EQ(Answer("GET /a%20b?c=%41&c=d HTTP/1.1\r\nHost: hub\r\nX-TWO: 2\r\n\r\n"),
            "200 GET /a b 127.0.0.1 c=A c=d 2");
}

TEST_P(TransportTest, a_clients_id_and_traceparent_count_where_they_are_well_formed) {
  callbacks_.handle = [](const Request& request) {
    return TextResponse(200, "text/plain", request.traceparent);
  };
  Start();
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  RawHttp client(port(), tls());
  const auto good = client.Ask("GET / HTTP/1.1\r\nHost: hub\r\nX-Request-Id: run-7.a\r\n" +
                               std::string("traceparent: ") + trace + "\r\n\r\n");
  EXPECT_EQ(good.Header("x-request-id"), "run-7.a");
  EXPECT_EQ(good.body, trace);
  EXPECT_EQ(good.Header("traceparent"), trace);
  const auto bad = client.Ask(
      "GET / HTTP/1.1\r\nHost: hub\r\nX-Request-Id: <b>\r\ntraceparent: 00-0-0-0\r\n\r\n");
  EXPECT_EQ(bad.Header("x-request-id").size(), 16U);
  EXPECT_EQ(bad.body + bad.Header("traceparent"), "");
}

TEST_P(TransportTest, pipelined_requests_are_answered_in_their_order) {
  Start();
  RawHttp client(port(), tls());
  client.Send(Get("/worker1") + Get("/fast1") + Post("/post", "body") + "\r\n" + Get("/fast2"));
  std::string shown;
  for (int i = 0; i < 4; ++i) {
    const auto answer = client.Read();
    shown += (answer ? answer->body : "nothing") + "\n";
  }
  EXPECT_EQ(shown, "GET /worker1 \nfast /fast1\nPOST /post body\nfast /fast2\n");
}

TEST_P(TransportTest, head_has_the_length_of_gets_body_and_no_body) {
  Start();
  RawHttp client(port(), tls());
  const auto head = client.Ask("HEAD /fast HTTP/1.1\r\nHost: hub\r\n\r\n", RawHttp::Body::kNone);
  EXPECT_EQ(head.Header("content-length"), "10");
  EXPECT_EQ(client.Ask(Get("/fast")).body, "fast /fast");
}

TEST_P(TransportTest, a_304_and_a_204_end_with_their_head) {
  callbacks_.fast = [](const Request& request) -> std::optional<Response> {
    return TextResponse(std::stoi(request.path.substr(1)), "text/plain", "body");
  };
  Start();
  RawHttp client(port(), tls());
  for (const char* status : {"304", "204"}) {
    const auto answer = client.Ask(Get(std::string("/") + status), RawHttp::Body::kNone);
    EXPECT_EQ(std::to_string(answer.status), status);
    EXPECT_FALSE(answer.headers.contains("content-length"));
  }
  EXPECT_EQ(client.Ask(Get("/200")).body, "body");
}

TEST_P(TransportTest, connection_close_is_respected) {
  Start();
  RawHttp client(port(), tls());
  const auto answer =
      client.Ask("GET /fast HTTP/1.1\r\nHost: hub\r\nConnection: close, TE\r\n\r\n");
  EXPECT_EQ(answer.Header("connection"), "close");
  EXPECT_TRUE(client.Closes());
}

TEST_P(TransportTest, http_1_0_closes_unless_it_asks_to_stay) {
  Start();
  RawHttp leaves(port(), tls());
  EXPECT_EQ(leaves.Ask("GET /fast HTTP/1.0\r\n\r\n").Header("connection"), "close");
  EXPECT_TRUE(leaves.Closes());
  RawHttp stays(port(), tls());
  const std::string kept = "GET /fast HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
  EXPECT_EQ(stays.Ask(kept).Header("connection"), "keep-alive");
  EXPECT_EQ(stays.Ask(kept).status, 200);
}

TEST_P(TransportTest, a_chunked_body_arrives_whole_and_its_trailers_are_dropped) {
  callbacks_.handle = [](const Request& request) {
    const bool trailer = request.Header("x-late").has_value();
    return TextResponse(200, "text/plain", request.body + (trailer ? " late" : ""));
  };
  Start();
  EXPECT_EQ(Answer("POST / HTTP/1.1\r\nHost: hub\r\nTransfer-Encoding: chunked\r\n\r\n"
                   "3;a=b\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-Late: 1\r\n\r\n"),
            "200 abc0123456789");
}

TEST_P(TransportTest, a_request_that_comes_byte_by_byte_is_understood) {
  Start();
  RawHttp client(port(), tls());
  for (const char c : Post("/slow", "abc")) client.Send(std::string(1, c));
  EXPECT_EQ(client.Read().value().body, "POST /slow abc");
}

TEST_P(TransportTest, a_body_of_many_turns_arrives_unchanged) {
  std::string bytes(5'000'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>('a' + i * i % 23);
  const auto body = std::make_shared<const std::string>(std::move(bytes));
  callbacks_.fast = [&](const Request&) -> std::optional<Response> {
    return Response{.status = 200, .headers = {}, .body = body};
  };
  Start();
  RawHttp client(port(), tls());
  client.Send(Get("/") + Get("/") +
              Get("/"));  // the server sends the second and later answers as files
  for (int i = 0; i < 3; ++i) {
    const auto answer = client.Read().value();
    EXPECT_TRUE(answer.body == *body);
  }
  EXPECT_EQ(client.Ask("HEAD / HTTP/1.1\r\nHost: hub\r\n\r\n", RawHttp::Body::kNone)
                .Header("content-length"),
            "5000000");
  // A write to a reset connection raises SIGPIPE, unless the server prevents it.
  for (int i = 0; i < 5; ++i) {
    RawHttp leaves(port(), tls());
    leaves.Send(Get("/") + Get("/"));
    EXPECT_FALSE(leaves.StaysSilent(std::chrono::seconds(60)));
    leaves.Reset();
  }
  EXPECT_TRUE(client.Ask(Get("/")).body == *body);
}

TEST_P(TransportTest, a_whole_request_before_a_half_close_is_answered) {
  Start();
  for (const std::string& request : {Get("/fast"), Get("/worker"), Post("/worker", "x")}) {
    RawHttp client(port(), tls());
    client.Send(request);
    client.HalfClose();
    EXPECT_EQ(client.Read().value().status, 200);
    EXPECT_TRUE(client.Closes());
  }
}

TEST_P(TransportTest, a_half_close_in_the_middle_ends_the_connection) {
  Start();
  for (const std::string& request : {std::string("GET /fast HT"), Post("/", "abc") + "POST / H",
                                     Post("/", "abc").substr(0, 60)}) {
    RawHttp client(port(), tls());
    client.Send(request);
    client.HalfClose();
    client.ReadToEnd();
    EXPECT_TRUE(client.Closes()) << request;
  }
}

TEST_P(TransportTest, a_100_continue_comes_before_the_body) {
  Start();
  RawHttp client(port(), tls());
  client.Send("POST /p HTTP/1.1\r\nHost: hub\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.Read().value().status, 100);
  EXPECT_EQ(client.Ask("abc").body, "POST /p abc");
  EXPECT_EQ(client.Ask(Get("/fast")).status, 200);
}

TEST_P(TransportTest, a_body_that_does_not_wait_gets_no_100_continue) {
  Start();
  EXPECT_EQ(Answer(Post("/p", "abc", "Expect: 100-continue\r\n")), "200 POST /p abc");
}

TEST_P(TransportTest, no_100_continue_is_sent_to_a_request_that_is_refused) {
  callbacks_.admit = [](const RequestHead& head) -> std::optional<Response> {
    if (head.path == "/secret") return Problem(401, "no_key", "Send a key.");
    return std::nullopt;
  };
  Start();
  const std::string expect = "Expect: 100-continue\r\n\r\n";
  EXPECT_EQ(StatusOf("POST /secret HTTP/1.1\r\nHost: hub\r\nContent-Length: 3\r\n" + expect), 401);
  EXPECT_EQ(StatusOf("POST /p HTTP/1.1\r\nHost: hub\r\nContent-Length: 99999999\r\n" + expect),
            413);
}

TEST_P(TransportTest, a_refusal_keeps_the_connection_only_where_no_body_follows) {
  callbacks_.admit = [](const RequestHead& head) -> std::optional<Response> {
    if (head.path != "/fast") return Problem(404, "no_such_path", "No.");
    return std::nullopt;
  };
  Start();
  RawHttp client(port(), tls());
  EXPECT_EQ(client.Ask(Get("/x")).status, 404);
  EXPECT_EQ(client.Ask(Get("/fast")).status, 200);
  EXPECT_EQ(client.Ask(Post("/x", "GET /fast HTTP/1.1\r\n")).status, 404);
  EXPECT_TRUE(client.Closes());
}

TEST_P(TransportTest, a_refusal_that_may_change_waits_with_its_body_unread) {
  std::atomic<int> asked = 0;
  callbacks_.admit = [&](const RequestHead& head) -> std::optional<Response> {
    if (head.path != "/never" && ++asked >= 3) return std::nullopt;
    Response refusal = Problem(401, "wrong_key", "The key is unknown.");
    refusal.may_change = head.path != "/final";
    return refusal;
  };
  options_.limits.hold = std::chrono::seconds(1);
  Start();
  EXPECT_EQ(StatusOf(Post("/final", "abc")), 401);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(Answer(Post("/new", "abc")), "200 POST /new abc");
  EXPECT_EQ(asked, 3);
  RawHttp client(port(), tls());  // announces a body but sends none
  const auto answer = client.Ask("POST /never HTTP/1.1\r\nHost: hub\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(answer.status, 401);
}

TEST_P(TransportTest, no_more_askers_are_made_to_wait_than_there_is_room_for) {
  std::atomic<bool> there = false;
  std::atomic<int> asked = 0;
  callbacks_.admit = [&](const RequestHead& head) -> std::optional<Response> {
    ++asked;
    if (there) return std::nullopt;
    Response refusal = head.path == "/key" ? Problem(401, "wrong_key", "The key is unknown.")
                                           : Problem(503, "not_yet", "Not yet.");
    refusal.may_change = true;
    return refusal;
  };
  options_.limits.hold = std::chrono::minutes(5);
  options_.limits.held = 1;
  Start();
  RawHttp waits(port(), tls()), last_word(port(), tls());
  for (int i = 0; i < 2; ++i) {  // the second pass shows that the first freed its place
    there = false;
    asked = 0;
    waits.Send(Get("/x"));
    EXPECT_TRUE(test::Comes([&] { return asked > 0; }));
    EXPECT_TRUE(waits.StaysSilent(std::chrono::milliseconds(100)));
    EXPECT_EQ(StatusOf(Get("/x")), 503);
    last_word.Send(Get("/key"));
    EXPECT_TRUE(last_word.StaysSilent(std::chrono::milliseconds(100)));
    there = true;
    EXPECT_EQ(waits.Read().value().status, 200);
    EXPECT_EQ(last_word.Read().value().status, 200);
  }
}

TEST_P(TransportTest, an_exception_of_a_callback_is_a_500_that_says_nothing) {
  callbacks_.admit = [](const RequestHead& head) -> std::optional<Response> {
    if (head.path == "/admit") throw std::runtime_error("secret");
    return std::nullopt;
  };
  callbacks_.fast = [](const Request& request) -> std::optional<Response> {
    if (request.path == "/fast") throw std::runtime_error("secret");
    return std::nullopt;
  };
  callbacks_.handle = [](const Request& request) -> Response {
    if (request.path == "/int") throw 7;
    throw std::runtime_error("secret");
  };
  Start();
  RawHttp client(port(), tls());
  for (const char* path : {"/admit", "/fast", "/handle", "/int"}) {
    const auto answer = client.Exchange(Get(path));
    ASSERT_TRUE(answer) << path;
    EXPECT_EQ(answer->status, 500) << path;
    EXPECT_EQ(answer->Header("content-type"), "application/problem+json");
    EXPECT_EQ(answer->body.find("secret"), std::string::npos) << path;
  }
}

TEST_P(TransportTest, a_client_that_resets_harms_nobody) {
  Start();
  for (int i = 0; i < 20; ++i) {
    RawHttp client(port(), tls());
    client.Send(i % 2 == 0 ? Post("/worker", "abc") : Get("/worker") + Get("/worker"));
    client.Reset();
  }
  EXPECT_EQ(Answer(Get("/fast")), "200 fast /fast");
  EXPECT_TRUE(Reaches(&Counters::connections_open, std::size_t{0}));
}

}  // namespace
}  // namespace tunehub::http
