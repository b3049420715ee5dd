#include "server/answers/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/base/ascii.h"
#include "core/base/excerpt.h"
#include "core/base/percent.h"
#include "core/base/sha256.h"
#include "core/system/gzip.h"
#include "server/answers/issues.h"

namespace tunehub::server {
namespace {

constexpr std::size_t kMaxIdempotencyKey = 128;  // a uuid has 36
constexpr std::size_t kMaxFamilyBytes = 128;

bool IsToken(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

// The parameter's one value.
core::Result<std::optional<std::string_view>> Single(const http::RequestHead& head,
                                                     std::string_view name) {
  if (auto status = CheckSingle(head, name); !status.ok()) return status.error();
  return head.Query(name);
}

}  // namespace

core::Status CheckParameters(const http::RequestHead& head,
                             std::span<const std::string_view> allowed) {
  for (const auto& [name, value] : head.query) {
    if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) continue;
    const std::string list = fmt::format("{}", fmt::join(allowed, ", "));
    return core::Error{"unknown_parameter",
                       fmt::format("'{}' is no parameter of {}; its parameters are: {}",
                                   core::Excerpt(name), head.path, list.empty() ? "none" : list)};
  }
  return core::Ok();
}

core::Status CheckSingle(const http::RequestHead& head, std::string_view name) {
  const auto count = std::count_if(head.query.begin(), head.query.end(),
                                   [&](const auto& parameter) { return parameter.first == name; });
  if (count > 1) return core::Error{"bad_parameter", fmt::format("{}: comes twice", name)};
  return core::Ok();
}

core::Result<std::optional<std::int64_t>> NumberParameter(const http::RequestHead& head,
                                                          std::string_view name, std::int64_t min,
                                                          std::int64_t max) {
  const auto single = Single(head, name);
  if (!single.ok()) return single.error();
  const auto text = *single;
  if (!text) return std::optional<std::int64_t>();
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text->data(), text->data() + text->size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text->data() + text->size() || value < min ||
      value > max) {
    return NotAllowed(name, *text, fmt::format("{}..{}", min, max));
  }
  return std::optional<std::int64_t>(value);
}

core::Result<std::optional<core::Pin>> PinParameter(const http::RequestHead& head,
                                                    std::string_view name) {
  const auto single = Single(head, name);
  if (!single.ok()) return single.error();
  if (!*single) return std::optional<core::Pin>();
  auto pin = core::ParsePin(**single);
  if (!pin) return NotAllowed(name, **single, kPinForm);
  return pin;
}

core::Result<std::int64_t> IdInPath(std::string_view name, std::string_view text) {
  http::RequestHead head;
  head.query = {{std::string(name), std::string(text)}};
  const auto id = NumberParameter(head, name, 1, std::numeric_limits<std::int64_t>::max());
  if (!id.ok()) return id.error();
  return **id;
}

core::Result<std::optional<std::string>> TextParameter(const http::RequestHead& head,
                                                       std::string_view name, std::size_t limit) {
  const auto single = Single(head, name);
  if (!single.ok()) return single.error();
  if (!*single) return std::optional<std::string>();
  if ((*single)->empty() || (*single)->size() > limit || core::HoldsControl(**single)) {
    return NotAllowed(name, **single,
                      fmt::format("1 to {} bytes without control characters", limit));
  }
  return std::optional<std::string>(**single);
}

core::Result<std::string> ChoiceParameter(const http::RequestHead& head, std::string_view name,
                                          std::initializer_list<std::string_view> choices) {
  const auto single = Single(head, name);
  if (!single.ok()) return single.error();
  if (!*single) return std::string(*choices.begin());
  if (std::find(choices.begin(), choices.end(), **single) != choices.end())
    return std::string(**single);
  std::vector<std::string_view> named(choices);
  std::erase(named, "");  // which stands for none
  return NotAllowed(name, **single, fmt::format("{}", fmt::join(named, " or ")));
}

core::Result<bool> FlagParameter(const http::RequestHead& head, std::string_view name) {
  const auto single = Single(head, name);
  if (!single.ok()) return single.error();
  const auto text = *single;
  if (!text || *text == "0") return false;
  if (*text == "1") return true;
  return NotAllowed(name, *text, "1 or 0");
}

std::string NextPage(const http::RequestHead& head, const http::Fields& next) {
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
  return fmt::format(R"(<{}>; rel="next")", target);
}

core::Result<std::string> DecodedBody(const http::Request& request, std::size_t limit) {
  const auto encoding = request.Header("content-encoding");
  if (!encoding || *encoding == "identity") {
    if (request.body.size() <= limit) return request.body;
    return core::Error{"too_large", fmt::format("the body is larger than {} bytes", limit)};
  }
  if (*encoding == "gzip" || *encoding == "x-gzip") return core::Gunzip(request.body, limit);
  return core::Error{"bad_encoding",
                     fmt::format("Content-Encoding: '{}' is not allowed, only gzip or identity",
                                 core::Excerpt(*encoding))};
}

core::Result<const core::Family*> FindFamily(const Services& services, std::string_view name) {
  if (const core::Family* family = services.definitions.families.Find(name)) return family;
  return core::Error{"unknown_family",
                     fmt::format("'{}' is no family; the families are {}", core::Excerpt(name),
                                 services.definitions.families.Names())};
}

std::vector<const core::Family*> TimedFamilies(const Services& services) {
  std::vector<const core::Family*> families;
  for (const auto& family : services.definitions.families.all()) {
    const bool is_timed = family->objective != core::kNoColumn;
    if (is_timed && services.snapshots.Reads(*family)) families.push_back(family.get());
  }
  return families;
}

core::Result<std::vector<const core::Family*>> TimedFamilies(const Services& services,
                                                             const http::RequestHead& head) {
  const auto name = TextParameter(head, "family", kMaxFamilyBytes);
  if (!name.ok()) return name.error();
  if (!*name) return TimedFamilies(services);
  const auto family = FindFamily(services, **name);
  if (!family.ok()) return family.error();
  return std::vector{*family};
}

core::Result<bool> AllowsShrink(const http::RequestHead& head, const Caller& caller) {
  auto allow = FlagParameter(head, "allow_shrink");
  if (!allow.ok() || !*allow || caller.admin) return allow;
  return core::Error{"needs_admin", "allow_shrink=1: the key lacks the scope admin"};
}

core::Result<WriteRequest> ReadWriteRequest(const http::Request& request,
                                            std::string_view decoded_body, const Caller& caller) {
  WriteRequest write;
  static_cast<Writer&>(write) = caller;
  const auto atomic = FlagParameter(request, "atomic");
  if (!atomic.ok()) return atomic.error();
  const auto dry_run = FlagParameter(request, "dry_run");
  if (!dry_run.ok()) return dry_run.error();
  const auto allow_shrink = AllowsShrink(request, caller);
  if (!allow_shrink.ok()) return allow_shrink.error();
  write.allow_shrink = *allow_shrink;
  write.atomic = *atomic;
  write.dry_run = *dry_run;
  if (const auto key = request.Header("idempotency-key")) {
    if (key->empty() || key->size() > kMaxIdempotencyKey || !IsToken(*key)) {
      return NotAllowed("Idempotency-Key", *key,
                        fmt::format("1 to {} visible ASCII characters", kMaxIdempotencyKey));
    }
    write.idempotency_key = std::string(*key);
  }
  http::Fields query = request.query;
  std::sort(query.begin(), query.end());
  std::string asked = request.path;
  for (const auto& [name, value] : query) asked += "\n" + name + "=" + value;
  write.digest = core::Sha256Hex(asked + "\n\n" + core::Sha256Hex(decoded_body));
  return write;
}

core::Result<BodyFormat> FormatOf(const http::Request& request) {
  const std::string type = MediaType(request);
  if (type == "application/json") return BodyFormat::kJson;
  // curl's --data-binary says application/x-www-form-urlencoded and means nothing by it.
  if (type.empty() || type == "text/csv" || type == "text/plain" ||
      type == "application/octet-stream" || type == "application/x-www-form-urlencoded") {
    return BodyFormat::kCsv;
  }
  return core::Error{
      "bad_content_type",
      fmt::format("Content-Type: '{}' is not allowed, only text/csv or application/json",
                  core::Excerpt(type))};
}

core::Result<TablePost> ReadTablePost(const Services& services, const http::Request& request,
                                      std::string_view family_name, const Caller& caller,
                                      std::initializer_list<std::string_view> parameters) {
  const auto family = FindFamily(services, family_name);
  if (!family.ok()) return family.error();
  const auto known = CheckParameters(request, parameters);
  if (!known.ok()) return known.error();
  const auto format = FormatOf(request);
  if (!format.ok()) return format.error();
  auto body = DecodedBody(request, services.body_bytes);
  if (!body.ok()) return body.error();
  auto write = ReadWriteRequest(request, *body, caller);
  if (!write.ok()) return write.error();
  return TablePost{*family, *format, *std::move(body), *std::move(write)};
}

std::string MediaType(const http::RequestHead& head) {
  const std::string_view value = head.Header("content-type").value_or("");
  std::string type(value.substr(0, value.find(';')));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  std::transform(type.begin(), type.end(), type.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return type;
}

}  // namespace tunehub::server
