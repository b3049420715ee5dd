#include "server/tables/parsed_queries.h"

#include <fmt/core.h>

#include "core/base/signature.h"
#include "server/tables/tuned_options.h"

namespace tunehub::server {
namespace {

// Room for a few thousand queries: more than the files of all engines.
constexpr std::size_t kQueriesBytes = 8 * 1024 * 1024;
// An estimate of a query's bytes besides its canonical text: cells, filters, device names.
constexpr std::size_t kFormBytes = 1024;

std::string KeyOf(char kind, std::string_view reader, std::string_view path,
                  const Parameters& parameters) {
  std::string key(1, kind);
  key.append(reader).append("\x1f").append(path);
  for (const auto& [name, value] : parameters) {
    key.append("\x1f").append(name).append("\x1e").append(value);
  }
  return key;
}

// A signature names the request, so the cache keeps each spelling of a signed request separately.
ParsedQuery Named(ParsedQuery parsed, std::string_view path, const Parameters& parameters) {
  TunedQuery& query = parsed.query;
  if (!parsed.tree && !(query.revision && query.revision->has_token())) return parsed;
  query.asked = core::AskedText(path, parameters);
  query.canonical = CanonicalText(query);
  return parsed;
}

}  // namespace

std::size_t SizeOf(const ParsedQuery& query) {
  return sizeof query + kFormBytes + query.query.canonical.size() + query.query.asked.size();
}

ParsedQueries::ParsedQueries(const Definitions& definitions)
    : definitions_(definitions), queries_(kQueriesBytes) {}

ParsedQueries::Parsed ParsedQueries::Table(const core::Family& family, Parameters parameters,
                                           std::string_view unlisted) {
  const std::string key = KeyOf('q', family.name, unlisted, parameters);
  return queries_.Get(key, [&]() -> core::Result<ParsedQuery> {
    const auto asked =
        std::pair{fmt::format("/tuned/{}", unlisted.empty() ? family.name : unlisted), parameters};
    if (!unlisted.empty()) parameters.emplace_back("table", unlisted);
    auto query = ParseTunedQuery(family, definitions_.targets, parameters);
    if (!query.ok()) return query.error();
    return Named({&family, *std::move(query)}, asked.first, asked.second);
  });
}

ParsedQueries::Parsed ParsedQueries::File(std::string_view reader, std::string_view path,
                                          const Parameters& parameters) {
  return queries_.Get(KeyOf('f', reader, path, parameters), [&]() -> core::Result<ParsedQuery> {
    auto query = ParseFileQuery(definitions_, reader, path, parameters);
    if (!query.ok()) return query;
    return Named(*std::move(query), fmt::format("/files/{}/{}", reader, path), parameters);
  });
}

ParsedQueries::Parsed ParsedQueries::Tree(std::string_view reader, const Parameters& parameters) {
  return queries_.Get(KeyOf('t', reader, "", parameters), [&]() -> core::Result<ParsedQuery> {
    auto query = ParseTreeQuery(definitions_, reader, parameters);
    if (!query.ok()) return query;
    return Named(*std::move(query), fmt::format("/tree/{}", reader), parameters);
  });
}

}  // namespace tunehub::server
