// Transport rules that apply only to TLS. TransportTest also tests the common rules with TLS.
#include <gmock/gmock.h>
#include <openssl/ssl.h>

#include <future>
#include <memory>
#include <string>

#include "tests/api/transport_fixture.h"
#include "tests/support/result.h"

namespace tunehub::http {
namespace {

using std::chrono::milliseconds;
using test::RawHttp;
using testing::HasSubstr;
using TlsClock = std::chrono::steady_clock;

class TransportTlsTest : public TransportFixture {
 protected:
  TransportTlsTest() : TransportFixture(Over::kSocket) { Secure(identity_); }

  // A client that supports only this version of TLS.
  std::shared_ptr<SSL_CTX> ClientOf(int version) const {
    auto client = identity_.Client();
    SSL_CTX_set_security_level(client.get(), 0);  // otherwise the client offers no old version
    SSL_CTX_set_min_proto_version(client.get(), version);
    SSL_CTX_set_max_proto_version(client.get(), version);
    return client;
  }
  // The reason why the client's handshake fails; "" if it succeeds.
  std::string Handshake(const std::shared_ptr<SSL_CTX>& client) const {
    RawHttp http;
    http.Connect(port());
    return http.Secure(client.get());
  }

  test::HubIdentity identity_;
};

using Session = std::shared_ptr<SSL_SESSION>;

// The client's session. TLS 1.3 sends it after the handshake, so read an answer before you call
// this.
Session SessionOf(const RawHttp& http) {
  return {SSL_get1_session(http.tls()), SSL_SESSION_free};
}

TEST_F(TransportTlsTest, versions_before_1_2_are_refused_by_an_alert) {
  Start();
  for (const int version : {TLS1_VERSION, TLS1_1_VERSION}) {
    EXPECT_THAT(Handshake(ClientOf(version)), HasSubstr("alert protocol version")) << version;
  }
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const auto client = ClientOf(version);
    RawHttp http(port(), client.get());
    EXPECT_EQ(SSL_version(http.tls()), version);
    EXPECT_EQ(http.Ask(Get("/fast")).status, 200);
  }
  EXPECT_EQ(listener_->counters().handshakes_failed, 2U);
  EXPECT_EQ(listener_->counters().handshakes, 2U);
}

TEST_F(TransportTlsTest, ciphers_without_forward_secrecy_or_with_a_mac_of_their_own_are_refused) {
  Start();
  for (const char* ciphers : {"ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES128-SHA"}) {
    const auto client = ClientOf(TLS1_2_VERSION);
    ASSERT_EQ(SSL_CTX_set_cipher_list(client.get(), ciphers), 1);
    EXPECT_THAT(Handshake(client), HasSubstr("alert handshake failure")) << ciphers;
  }
}

TEST_F(TransportTlsTest, a_client_is_told_of_http_1_1_and_refused_where_it_speaks_only_others) {
  Start();
  const auto offer = [this](const std::string& protocols) {
    auto client = identity_.Client();
    SSL_CTX_set_alpn_protos(client.get(), reinterpret_cast<const unsigned char*>(protocols.data()),
                            static_cast<unsigned>(protocols.size()));
    return client;
  };
  const auto both = offer("\x02h2\x08http/1.1");
  RawHttp http(port(), both.get());
  const unsigned char* chosen = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(http.tls(), &chosen, &size);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(chosen), size), "http/1.1");
  EXPECT_THAT(Handshake(offer("\x02h2")), HasSubstr("no application protocol"));
}

TEST_F(TransportTlsTest, a_session_is_resumed_on_every_reactor_and_by_either_version) {
  options_.reactors = 4;
  Start();
  std::size_t resumed = 0;
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const auto client = ClientOf(version);
    RawHttp first(port(), client.get());
    EXPECT_EQ(first.Ask(Get("/fast")).status, 200);
    const Session session = SessionOf(first);
    for (int i = 0; i < 16; ++i) {  // the kernel distributes connections over the reactors
      RawHttp again;
      again.Connect(port());
      ASSERT_EQ(again.Secure(client.get(), session.get()), "");
      EXPECT_EQ(SSL_session_reused(again.tls()), 1) << version;
      EXPECT_EQ(again.Ask(Get("/fast")).status, 200);
      ++resumed;
    }
  }
  EXPECT_EQ(listener_->counters().handshakes, 2U);
  EXPECT_EQ(listener_->counters().handshakes_resumed, resumed);
}

TEST_F(TransportTlsTest, new_connections_see_a_new_certificate_and_older_ones_go_on) {
  Start();
  RawHttp before(port(), tls());
  EXPECT_EQ(before.Ask(Get("/fast")).status, 200);
  const Session session = SessionOf(before);
  EXPECT_EQ(*options_.tls->Reload(), tls::TlsIdentity::Reloaded::kSame);
  identity_.Renew();
  EXPECT_EQ(*options_.tls->Reload(), tls::TlsIdentity::Reloaded::kOther);
  RawHttp after;
  after.Connect(port());
  ASSERT_EQ(after.Secure(tls(), session.get()), "");
  EXPECT_EQ(SSL_session_reused(after.tls()), 0);  // the session was made with the old key
  EXPECT_NE(after.certificate(), before.certificate());
  EXPECT_EQ(before.Ask(Get("/fast")).status, 200);
  EXPECT_EQ(after.Ask(Get("/fast")).status, 200);
}

// A connection from before the renewal keeps the old certificate, and so do its sessions.
TEST_F(TransportTlsTest, a_session_of_the_old_certificate_is_not_resumed_however_late_it_was_made) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    Start();
    const auto client = ClientOf(version);
    RawHttp late;
    late.Connect(port());
    EXPECT_TRUE(late.StaysSilent(milliseconds(100)));
    identity_.Renew();
    EXPECT_EQ(*options_.tls->Reload(), tls::TlsIdentity::Reloaded::kOther);
    ASSERT_EQ(late.Secure(client.get()), "");
    EXPECT_EQ(late.Ask(Get("/fast")).status, 200);
    const Session session = SessionOf(late);
    RawHttp after(port(), client.get());
    ASSERT_NE(after.certificate(), late.certificate()) << "the handshake began before the renewal";
    RawHttp again;
    again.Connect(port());
    ASSERT_EQ(again.Secure(client.get(), session.get()), "");
    EXPECT_EQ(SSL_session_reused(again.tls()), 0) << version;
    EXPECT_EQ(again.certificate(), after.certificate());
  }
}

TEST_F(TransportTlsTest, what_cannot_be_served_with_leaves_the_old_certificate_in_force) {
  Start();
  RawHttp before(port(), tls());
  const test::Identity good = identity_.authority().Sign("IP:127.0.0.1");
  const test::Identity other = identity_.authority().Sign("IP:127.0.0.1");
  const test::Identity kBad[] = {
      {good.certificate, other.key},
      {"", good.key},
      identity_.authority().Sign("IP:127.0.0.1", -1),
  };
  for (const test::Identity& bad : kBad) {
    identity_.Replace(bad);
    EXPECT_EQ(ErrorCode(options_.tls->Reload()), "bad_tls");
    RawHttp after(port(), tls());
    EXPECT_EQ(after.certificate(), before.certificate());
  }
}

TEST_F(TransportTlsTest, a_handshake_that_does_not_come_or_trickles_is_ended) {
  options_.limits.handshake_deadline = milliseconds(200);
  Start();
  RawHttp silent(port());
  EXPECT_TRUE(silent.Closes());
  RawHttp trickles(port());
  const auto start = TlsClock::now();
  trickles.Send("\x16\x03\x01");
  while (trickles.StaysSilent(milliseconds(20)) && TlsClock::now() - start < kPatience) {
    trickles.Send("\x01");
  }
  EXPECT_LT(TlsClock::now() - start, kPatience);
  EXPECT_TRUE(Reaches(&Counters::timed_out, std::size_t{2}));
  EXPECT_TRUE(Reaches(&Counters::connections_open, std::size_t{0}));
}

TEST_F(TransportTlsTest, plain_http_is_told_so_in_plain_http) {
  Start();
  for (const std::string& request : {Get("/fast"), Post("/p", std::string(50'000, 'a')),
                                     std::string("DELETE /x HTTP/1.1\r\n\r\n"), std::string("G")}) {
    RawHttp plain(port());
    const auto answer = plain.Exchange(request);
    ASSERT_TRUE(answer) << request.substr(0, 20);
    EXPECT_EQ(answer->status, 400);
    EXPECT_EQ(answer->Header("content-type"), "text/plain; charset=utf-8");
    EXPECT_THAT(answer->body, HasSubstr("plain HTTP request was sent to HTTPS port"));
    EXPECT_THAT(answer->body, HasSubstr("https://"));
    plain.HalfClose();
    EXPECT_TRUE(plain.Closes());
    EXPECT_FALSE(plain.was_reset());
  }
}

TEST_F(TransportTlsTest, what_is_neither_tls_nor_http_is_closed) {
  Start();
  for (const std::string& bytes :
       {std::string("\x16\x03\x01\x00\x05hello", 10), std::string("\x80\x2e\x01\x00\x02", 5),
        std::string("\0\0\0\0\0\0\0\0", 8), std::string("\x17\x03\x03\x00\x01x", 6)}) {
    RawHttp odd(port());
    odd.Send(bytes);
    odd.HalfClose();
    odd.ReadToEnd();
    EXPECT_TRUE(odd.Closes());
  }
  EXPECT_EQ(listener_->counters().handshakes_failed, 4U);
  EXPECT_TRUE(Reaches(&Counters::connections_open, std::size_t{0}));
  RawHttp good(port(), tls());
  EXPECT_EQ(good.Ask(Get("/fast")).status, 200);
}

TEST_F(TransportTlsTest, an_end_is_announced_within_tls) {
  options_.limits.idle_deadline = milliseconds(200);
  Start();
  RawHttp idle(port(), tls());
  EXPECT_EQ(idle.Ask(Get("/fast")).status, 200);
  EXPECT_TRUE(idle.Closes());
  EXPECT_TRUE(idle.heard_farewell());
  RawHttp last(port(), tls());
  const auto answer = last.Exchange("GET /fast HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(answer.value().body, "fast /fast");
  EXPECT_TRUE(last.Closes());
  EXPECT_TRUE(last.heard_farewell());
  RawHttp busy(port(), tls());
  busy.Send(Get("/wait"));
  gate_.AwaitWaiting(1);
  auto stopped = std::async(std::launch::async, [this] { listener_->Stop(); });
  gate_.Open();
  EXPECT_EQ(busy.Read().value().status, 200);
  EXPECT_TRUE(busy.Closes());
  EXPECT_TRUE(busy.heard_farewell());
  stopped.get();
}

TEST_F(TransportTlsTest, an_answer_that_is_cut_off_does_not_end_as_if_it_were_whole) {
  options_.limits.write_deadline = milliseconds(200);
  const auto body = std::make_shared<const std::string>(std::size_t{64} << 20, 'x');
  callbacks_.fast = [&](const Request&) -> std::optional<Response> {
    return Response{.status = 200, .headers = {}, .body = body};
  };
  Start();
  RawHttp slow;
  slow.ShrinkReceiveBuffer();
  slow.Connect(port(), tls());
  slow.Send(Get("/"));
  EXPECT_TRUE(Reaches(&Counters::timed_out, std::size_t{1}));
  EXPECT_LT(slow.ReadToEnd().size(), body->size());
  EXPECT_FALSE(slow.heard_farewell());
}

TEST_F(TransportTlsTest, a_stop_waits_for_no_handshake) {
  options_.limits.handshake_deadline = options_.limits.drain_deadline = 2 * kPatience;
  Start();
  RawHttp silent(port());
  RawHttp half(port());
  half.Send(std::string("\x16\x03\x01\x00\xff", 5));
  EXPECT_TRUE(Reaches(&Counters::connections_open, std::size_t{2}));
  const auto start = TlsClock::now();
  listener_->Stop();
  EXPECT_LT(TlsClock::now() - start, kPatience);
  EXPECT_TRUE(silent.Closes());
  EXPECT_TRUE(half.Closes());
}

TEST_F(TransportTlsTest, a_client_cannot_ask_for_another_handshake) {
  Start();
  const auto client = ClientOf(TLS1_2_VERSION);
  RawHttp http(port(), client.get());
  EXPECT_EQ(http.Ask(Get("/fast")).status, 200);
  ASSERT_EQ(SSL_renegotiate(http.tls()), 1);
  SSL_do_handshake(http.tls());
  EXPECT_FALSE(http.Exchange(Get("/fast")));  // the server closes
  EXPECT_TRUE(Reaches(&Counters::connections_open, std::size_t{0}));
}

}  // namespace
}  // namespace tunehub::http
