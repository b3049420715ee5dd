// The webhook posts each event once, also from several servers, and survives a bad receiver.
#include <set>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"
#include "tests/support/metrics.h"
#include "tests/support/socket_hub.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using Then = ScriptedAnswer::Then;

std::deque<ScriptedAnswer> Takes(int posts) {
  std::deque<ScriptedAnswer> answers;
  for (int i = 0; i < posts; ++i) answers.push_back(SocketHub::Closing("204 No Content", ""));
  return answers;
}

class WebhookTest : public testing::Test {
 protected:
  std::unique_ptr<ServerProcess> Serve(const std::string& address) {
    return std::make_unique<ServerProcess>(
        ServerOptions{.database = database_, .environment = {{"TUNEHUB_WEBHOOK", address}}});
  }
  // The webhook compares with the state at its first look.
  void AwaitFirstLook() {
    EXPECT_TRUE(Comes([&] { return Text("SELECT count(*) FROM webhook") == "1"; }));
  }
  std::string Text(const std::string& sql) { return QueryText(database_, sql); }
  void AwaitSent(int notices) {
    EXPECT_TRUE(Comes([&] {
      return Text("SELECT count(*) FROM notice WHERE due IS NULL") == std::to_string(notices);
    }));
  }
  static std::string Outcome(const char* outcome) {
    return std::string("tunehub_webhook_posts_total{outcome=\"") + outcome + "\"}";
  }

  const std::string database_ = NewDatabase();
};

// The events' bodies by name. Fails if an event came twice.
std::map<std::string, Json> EventsIn(const std::vector<std::string>& requests) {
  std::map<std::string, Json> events;
  for (const std::string& request : requests) {
    EXPECT_THAT(request, testing::StartsWith("POST /hook?token=x HTTP/1.1\r\n"));
    const Json event = Json::parse(request.substr(request.find("\r\n\r\n") + 4));
    EXPECT_TRUE(events.emplace(event.at("event"), event).second) << event;
  }
  return events;
}

TEST_F(WebhookTest, two_servers_post_each_event_once) {
  SocketHub receiver(Takes(20));
  const std::string address = "http://" + receiver.origin() + "/hook?token=x";
  const auto one = Serve(address), two = Serve(address);
  const std::string key = one->NewKey("submit");
  Good(one->Client(key).Post(kResults, kHeader + Row(1, "20.0") + Row(2, "20.0")));
  AwaitFirstLook();
  EXPECT_TRUE(Comes([&] { return Text("SELECT revision FROM webhook") == "1"; }));
  Good(two->Client(key).Post(kResults, kHeader + Row(1, "30.0")));
  AwaitSent(1);
  const std::string other = one->NewKey("submit", std::vector<std::string>{"--owner", "other"});
  Good(one->Client(other).Post(kResults, kHeader + With(Row(2, "5.0"), kOtherKernel)));
  AwaitSent(2);
  Good(two->Client(key).Post("/untuned/a8w8_blockscale?gfx=gfx942&cu_num=80",
                             "M,N,K\n37,101,3072\n3,101,3072\n"));
  AwaitSent(3);
  Execute(database_,
          "INSERT INTO job (family, state, gfx, cu_num, priority, weight, shapes, reasons) "
          "SELECT id, 'parked', 'gfx942', 80, 0, 0, '[]', "
          "json_build_array(json_build_object('at', now(), 'reason', 'x')) "
          "FROM family WHERE name = 'a8w8_blockscale'");
  AwaitSent(4);
  // Within the hour there is no second notice about misses of the same table.
  Good(one->Client(key).Post("/untuned/a8w8_blockscale?gfx=gfx942&cu_num=80",
                             "M,N,K\n200,101,3072\n"));
  Good(one->Client(key).Post("/untuned/a8w8?gfx=gfx942&cu_num=304", "M,N,K\n5,101,3072\n"));
  AwaitSent(5);
  EXPECT_EQ(Text("SELECT count(*) FROM notice"), "5");
  Execute(database_, "UPDATE notice SET made = made - interval '1 hour' WHERE count = 2");
  AwaitSent(6);
  EXPECT_EQ(Metrics(one->Client()).Of(Outcome("sent")) + Metrics(two->Client()).Of(Outcome("sent")),
            6);
  EXPECT_THAT(one->Log() + two->Log(), testing::Not(HasSubstr("token=x")));

  auto requests = receiver.Requests();
  ASSERT_EQ(requests.size(), 6U);
  EXPECT_THAT(requests[4], HasSubstr(R"("family":"a8w8",)"));
  EXPECT_THAT(
      requests[5],
      HasSubstr("Shapes of a8w8_blockscale on gfx942:80 that were missed for the first time: 1"));
  requests.resize(4);
  const auto events = EventsIn(requests);
  const Json& slower = events.at("slower");
  EXPECT_EQ(slower.at("family"), "a8w8_blockscale");
  EXPECT_EQ(slower.at("gfx"), "gfx942");
  EXPECT_EQ(slower.at("cu_num"), 80);
  EXPECT_EQ(slower.at("count"), 1);
  EXPECT_EQ(slower.at("revisions"), Json({1, 2}));
  EXPECT_EQ(slower.at("address"),
            "/ui/changes?kind=slower&family=a8w8_blockscale&device=gfx942:80&from=1&to=2");
  EXPECT_EQ(events.at("missing").at("count"), 2);
  EXPECT_EQ(events.at("missing").at("text"),
            "Shapes of a8w8_blockscale on gfx942:80 that were missed for the first time: 2");
  EXPECT_EQ(events.at("unconfirmed").at("runs").size(), 1U);
  EXPECT_EQ(events.at("parked").at("jobs"), Json({1}));
}

TEST_F(WebhookTest, a_receiver_that_closes_refuses_or_is_silent_gets_the_event_later) {
  std::deque<ScriptedAnswer> answers = {{"", Then::kClose},
                                        SocketHub::Closing("500 Oops", "no"),
                                        {"", Then::kSilent},
                                        SocketHub::Closing("204 No Content", "")};
  SocketHub receiver(std::move(answers));
  const auto server = Serve("http://" + receiver.origin() + "/hook?token=x");
  AwaitFirstLook();
  Good(server->Client(server->NewKey("submit"))
           .Post("/untuned/a8w8_blockscale?gfx=gfx942&cu_num=80", "M,N,K\n37,101,3072\n"));
  for (int failures = 1; failures <= 3; ++failures) {
    EXPECT_GE(AwaitMetric(server->Client(), Outcome("retried"), failures), failures);
    Execute(database_, "UPDATE notice SET due = now()");  // not after the pause
  }
  AwaitSent(1);
  EXPECT_EQ(AwaitMetric(server->Client(), Outcome("sent"), 1), 1);
  const auto requests = receiver.Requests();
  ASSERT_EQ(requests.size(), 4U);
  EXPECT_EQ(std::set<std::string>(requests.begin(), requests.end()).size(), 1U);
  EXPECT_THAT(server->Log(), HasSubstr("it answers HTTP/1.1 500 Oops"));
  EXPECT_THAT(server->Log(), HasSubstr("it does not answer in time"));
}

TEST_F(WebhookTest, a_receiver_that_stays_away_loses_the_event_after_the_last_try) {
  int port = 0;
  ListenOnLoopback(port);  // and closes it: nobody listens there
  const auto server = Serve("http://127.0.0.1:" + std::to_string(port));
  AwaitFirstLook();
  Good(server->Client(server->NewKey("submit"))
           .Post("/untuned/a8w8_blockscale?gfx=gfx942&cu_num=80", "M,N,K\n37,101,3072\n"));
  EXPECT_EQ(AwaitMetric(server->Client(), Outcome("retried"), 1), 1);
  Execute(database_, "UPDATE notice SET due = now(), tries = 11");
  EXPECT_EQ(AwaitMetric(server->Client(), Outcome("lost"), 1), 1);
  EXPECT_EQ(Text("SELECT count(*) FROM notice WHERE due IS NOT NULL"), "0");
  EXPECT_THAT(server->Log(), HasSubstr("the server gives it up"));
  EXPECT_EQ(server->Stop(), 0);
}

TEST_F(WebhookTest, an_address_that_is_none_is_refused_at_the_start) {
  for (const char* address :
       {"hub.example/hook", "ftp://a/b", "http://", "http://a:0/", "http://u@a/", "http://a b/"}) {
    EXPECT_THROW(Serve(address), std::exception) << address;
  }
}

}  // namespace
}  // namespace tunehub::test
