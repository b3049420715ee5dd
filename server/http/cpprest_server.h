// The HTTP transport as cpprestsdk's server. http_listener starts it, stops it and answers through
// it. Also defines the data that accompany its requests. Only listener.cpp includes this file.
//
// Lifetimes: the context of an http_request owns our Request and Response. A reply moves the
// context from the http_request to its response, which the http_request owns. So the owner of an
// http_request keeps the context alive, and the context keeps the session alive. Therefore a
// session never owns an http_request. cpprestsdk destroys the server object after
// http_listener::close(), so the server object owns nothing.
#pragma once

// cpprestsdk's macro U() breaks {fmt}'s headers.
#define _TURN_OFF_PLATFORM_STRING  // NOLINT(bugprone-reserved-identifier)
#include <cpprest/details/http_server.h>
#include <cpprest/details/http_server_api.h>
#include <cpprest/http_listener.h>
#include <pplx/threadpool.h>

#include <functional>
#include <memory>
#include <utility>

#include "server/http/server_state.h"

namespace tunehub::http {

using CpprestListener = web::http::experimental::listener::details::http_listener_impl;

class Exchange final : public web::http::details::_http_server_context {
 public:
  explicit Exchange(Dispatched dispatched) : in_(std::move(dispatched)) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  // Answers a request that no handler answered, so that its client does not wait without end.
  ~Exchange() override {
    if (in_.session) Deliver(Problem(500, "unanswered", "The server dropped this request."));
  }

  static Exchange& Of(const web::http::http_request& request) {
    return static_cast<Exchange&>(*request._get_server_context());
  }

  const Request& request() const { return in_.request; }
  Pool pool() const { return in_.pool; }
  void set_response(Response response) { response_ = std::move(response); }
  void Reply() { Deliver(std::move(response_)); }

 private:
  void Deliver(Response response) {
    // frees the memory: cpprestsdk destroys this object only later
    in_.request.body = std::string();
    in_.charge.Release();
    SessionBase& session = *in_.session;
    session.Deliver(std::move(in_.session), std::move(response));
  }

  Dispatched in_;
  Response response_;
};

class CpprestServer final : public web::http::experimental::details::http_server {
 public:
  CpprestServer(std::function<void(CpprestListener&)> begin, std::function<void()> end)
      : begin_(std::move(begin)), end_(std::move(end)) {}

  pplx::task<void> start() override { return pplx::task_from_result(); }
  pplx::task<void> stop() override { return pplx::task_from_result(); }
  pplx::task<void> register_listener(CpprestListener* listener) override {
    begin_(*listener);
    return pplx::task_from_result();
  }
  pplx::task<void> unregister_listener(CpprestListener*) override {
    end_();
    return pplx::task_from_result();
  }
  pplx::task<void> respond(web::http::http_response response) override {
    static_cast<Exchange&>(*response._get_server_context()).Reply();
    return pplx::task_from_result();
  }

 private:
  const std::function<void(CpprestListener&)> begin_;
  const std::function<void()> end_;
};

}  // namespace tunehub::http
