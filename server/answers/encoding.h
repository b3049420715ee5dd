// Content-Encoding: what a client accepts, and what it gets.
#pragma once

#include <string>
#include <string_view>

#include "server/http/message.h"

namespace tunehub::server {

enum class Encoding { kIdentity, kGzip, kZstd };

std::string_view Name(Encoding encoding);  // "gzip"

// The best encoding that an Accept-Encoding header allows (RFC 9110 12.5.3); absent: identity.
Encoding Negotiate(std::string_view accept_encoding);
// The one that the request would rather have.
Encoding EncodingFor(const http::RequestHead& head);

// Compression with zstd, for whoever accepts it.
std::string Zstd(std::string_view text);

bool AcceptsGzip(const http::RequestHead& head);

// Packs a JSON answer that is worth it, for a client that wants it so.
void Pack(const http::RequestHead& head, http::Response& response);

}  // namespace tunehub::server
