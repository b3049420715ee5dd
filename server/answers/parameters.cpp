#include "server/answers/parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/archive.h"
#include "core/base/encoding.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "server/answers/issues.h"

namespace tunehub::server {
namespace {

constexpr std::size_t kMaxIdempotencyKey = 128;  // a uuid has 36

bool IsToken(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

// The part of a media type before its parameters, lower-cased: "text/csv".
std::string MediaType(const http::RequestHead& head) {
  const std::string_view value = head.Header("content-type").value_or("");
  return core::Lower(core::Trim(value.substr(0, value.find(';'))));
}

}  // namespace

core::Result<const core::Family*> FindFamily(const Services& services, std::string_view name) {
  return services.definitions.families.Named(name);
}

RequestQuery::RequestQuery(const http::RequestHead& head, std::span<const std::string_view> allowed)
    : head_(head) {
  for (const auto& [name, value] : head.query) {
    if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) continue;
    const std::string list = fmt::format("{}", fmt::join(allowed, ", "));
    Fail({"unknown_parameter",
          fmt::format("unknown parameter '{}' of {}; known parameters: {}", core::Excerpt(name),
                      head.path, list.empty() ? "none" : list)});
    return;
  }
}

void RequestQuery::Fail(core::Error error) {
  if (!error_) error_ = std::move(error);
}

std::optional<std::string_view> RequestQuery::Raw(std::string_view name) {
  const auto count = std::ranges::count(head_.query, name, &http::Fields::value_type::first);
  if (count > 1) Fail(ComesTwice(name));
  return ok() ? head_.Query(name) : std::nullopt;
}

std::optional<std::int64_t> RequestQuery::Parse(std::string_view name, std::string_view text,
                                                std::int64_t min, std::int64_t max) {
  const auto value = core::NumberFrom<std::int64_t>(text);
  if (value && *value >= min && *value <= max) return value;
  Fail(NotAllowed(name, text, fmt::format("{}..{}", min, max)));
  return std::nullopt;
}

std::optional<std::int64_t> RequestQuery::Number(std::string_view name, std::int64_t min,
                                                 std::int64_t max) {
  const auto text = Raw(name);
  return text ? Parse(name, *text, min, max) : std::nullopt;
}

std::int64_t RequestQuery::Id(std::string_view name, std::string_view text) {
  return Parse(name, text, 1, kMaxId).value_or(0);
}

std::optional<core::Pin> RequestQuery::Pin(std::string_view name) {
  const auto text = Raw(name);
  if (!text) return std::nullopt;
  auto pin = core::ParsePin(*text);
  if (!pin) Fail(NotAllowed(name, *text, kPinForm));
  return pin;
}

std::optional<std::string> RequestQuery::Text(std::string_view name, std::size_t limit) {
  const auto text = Raw(name);
  if (!text) return std::nullopt;
  if (!text->empty() && text->size() <= limit && !core::HoldsControl(*text))
    return std::string(*text);
  Fail(NotAllowed(name, *text, fmt::format("1 to {} bytes without control characters", limit)));
  return std::nullopt;
}

std::string_view RequestQuery::Choice(std::string_view name,
                                      std::initializer_list<std::string_view> choices) {
  const std::string_view text = Raw(name).value_or(*choices.begin());
  const auto* const choice = std::find(choices.begin(), choices.end(), text);
  if (choice != choices.end()) return *choice;
  std::vector<std::string_view> named(choices);
  std::erase(named, "");  // the handler uses "" for an absent parameter
  Fail(NotAllowed(name, text, fmt::format("{}", fmt::join(named, " or "))));
  return {};
}

bool RequestQuery::Flag(std::string_view name) {
  const std::string_view text = Raw(name).value_or("0");
  if (text != "0" && text != "1") Fail(NotAllowed(name, text, "1 or 0"));
  return text == "1";
}

const core::Family* RequestQuery::Family(const Services& services) {
  const auto name = Text("family");
  return name ? Take(FindFamily(services, *name)) : nullptr;
}

Endpoint NoQuery(Endpoint route) {
  route.handler = [handle = std::move(route.handler)](const http::Request& request,
                                                      const http::PathParameters& path,
                                                      const Caller& caller) {
    const RequestQuery query(request, {});
    return query.ok() ? handle(request, path, caller) : ProblemFor(query.error());
  };
  return route;
}

void AddNextPage(http::Response& response, const http::RequestHead& head,
                 const http::Fields& next) {
  http::Fields query = head.query;
  for (const auto& [name, value] : next) {
    std::erase_if(query, [&, key = name](const auto& parameter) { return parameter.first == key; });
    query.emplace_back(name, value);
  }
  std::string target = head.path;
  for (const auto& [name, value] : query) {
    target += fmt::format("{}{}={}", target.size() == head.path.size() ? '?' : '&', name,
                          core::PercentEncoded(value));
  }
  response.headers.emplace_back("Link", fmt::format(R"(<{}>; rel="next")", target));
}

void AddNextPlace(http::Response& response, const http::RequestHead& head, std::size_t end,
                  std::size_t total) {
  if (end > 0 && end < total) AddNextPage(response, head, {{"after", std::to_string(end)}});
}

std::string DecodedBody(RequestQuery& query, const http::Request& request, std::size_t limit) {
  if (!query.ok()) return {};
  const std::string_view encoding = request.Header("content-encoding").value_or("identity");
  if (encoding == "gzip" || encoding == "x-gzip")
    return query.Take(core::Gunzip(request.body, limit));
  if (encoding != "identity") {
    query.Fail({"bad_encoding",
                fmt::format("Content-Encoding: '{}' is not allowed; expected gzip or identity",
                            core::Excerpt(encoding))});
  } else if (request.body.size() > limit) {
    query.Fail({"too_large", fmt::format("the body is larger than {} bytes", limit)});
  }
  return query.ok() ? request.body : "";
}

BodyFormat FormatOf(RequestQuery& query, const http::Request& request) {
  const std::string type = MediaType(request);
  if (type == "application/json") return BodyFormat::kJson;
  // curl's --data-binary sends application/x-www-form-urlencoded for any data.
  constexpr std::string_view kCsvTypes[] = {"", "text/csv", "text/plain",
                                            "application/octet-stream",
                                            "application/x-www-form-urlencoded"};
  if (std::ranges::find(kCsvTypes, type) == std::end(kCsvTypes)) {
    query.Fail(
        {"bad_content_type",
         fmt::format("Content-Type: '{}' is not allowed; expected text/csv or application/json",
                     core::Excerpt(type))});
  }
  return BodyFormat::kCsv;
}

std::vector<const core::Family*> TimedFamilies(const Services& services, RequestQuery& query) {
  if (const core::Family* const family = query.Family(services)) return {family};
  return services.snapshots.Timed();
}

bool AllowsShrink(RequestQuery& query, const Caller& caller) {
  const bool allow = query.Flag("allow_shrink");
  if (allow && !caller.admin)
    query.Fail({"needs_admin", "allow_shrink=1 needs an API key of scope admin"});
  return allow;
}

WriteRequest ReadWriteRequest(RequestQuery& query, const http::Request& request,
                              std::string_view decoded_body, const Caller& caller) {
  WriteRequest write;
  static_cast<Writer&>(write) = caller;
  write.bytes = static_cast<std::int64_t>(decoded_body.size());
  write.atomic = query.Flag("atomic");
  write.dry_run = query.Flag("dry_run");
  write.allow_shrink = AllowsShrink(query, caller);
  if (const auto key = request.Header("idempotency-key")) {
    write.idempotency_key = *key;
    if (key->empty() || key->size() > kMaxIdempotencyKey || !IsToken(*key)) {
      query.Fail(NotAllowed("Idempotency-Key", *key,
                            fmt::format("1 to {} visible ASCII characters", kMaxIdempotencyKey)));
    }
  }
  if (!query.ok()) return write;
  http::Fields fields = request.query;
  std::sort(fields.begin(), fields.end());
  std::string asked = request.path;
  for (const auto& [name, value] : fields) asked += "\n" + name + "=" + value;
  write.digest = core::Sha256Hex(asked + "\n\n" + core::Sha256Hex(decoded_body));
  return write;
}

TablePost ReadTablePost(const Services& services, RequestQuery& query, const http::Request& request,
                        const Caller& caller) {
  TablePost post{FormatOf(query, request), DecodedBody(query, request, services.body_bytes), {}};
  post.write = ReadWriteRequest(query, request, post.body, caller);
  return post;
}

}  // namespace tunehub::server
