// Content-Encoding: negotiation and compression.
#pragma once

#include <string>
#include <string_view>

#include "server/http/message.h"

namespace tunehub::server {

enum class Encoding { kIdentity, kGzip, kZstd };

std::string_view Name(Encoding encoding);  // "gzip"

// Returns the best encoding that an Accept-Encoding header allows (RFC 9110 12.5.3). Without the
// header, returns identity.
Encoding Negotiate(std::string_view accept_encoding);
Encoding EncodingFor(const http::RequestHead& head);

std::string Zstd(std::string_view text);

bool AcceptsGzip(const http::RequestHead& head);

// Compresses a JSON answer by gzip if it is large enough and the client accepts gzip.
void Pack(const http::RequestHead& head, http::Response& response);

}  // namespace tunehub::server
