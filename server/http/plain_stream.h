// An accepted socket, and what sessions ask of every stream. Included by listener.cpp only.
#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <utility>  // Boost 1.74 uses std::exchange without it

namespace tunehub::http {

namespace net = boost::asio;
using Tcp = net::ip::tcp;
// The concrete executor spares a virtual call and an allocation per operation.
using PlainStream = net::basic_stream_socket<Tcp, net::io_context::executor_type>;

}  // namespace tunehub::http
