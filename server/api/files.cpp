// A reader's files by their own names, and its folder as a tree.

#include <functional>

#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"
#include "server/api/tuned.h"

namespace tunehub::api {
namespace {

// `other`: what is asked for where there is no row.
using AskOther = std::function<service::FileQueries::Parsed(const service::FileQuery&)>;

http::Response Serve(const Services& services, const http::Request& request,
                     const service::FileQueries::Parsed& asked, const AskOther& other) {
  if (!asked.ok()) return ProblemFor(asked.error());
  // A tree is packed already.
  const auto encoding = (*asked)->tree ? service::Encoding::kIdentity : EncodingFor(request);
  auto served = services.tables.Get(*(*asked)->family, (*asked)->query, encoding);
  if (!served.ok() && served.error().code == "no_rows" && !(*asked)->other.empty()) {
    if (const auto again = other(**asked); again.ok()) {
      auto whole = services.tables.Get(*(*again)->family, (*again)->query, encoding);
      if (whole.ok()) served = std::move(whole);
    }
  }
  if (served.ok()) return AnswerServed(request, *served, encoding);
  http::Response problem = ProblemFor(served.error());
  WarnIfStale(services, problem);
  return problem;
}

// "/files/vllm/E=8,..." -> "vllm" and the rest.
struct FilePath {
  std::string_view reader, path;
};
std::optional<FilePath> Split(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return std::nullopt;
  path.remove_prefix(prefix.size());
  const std::size_t slash = std::min(path.find('/'), path.size());
  return FilePath{path.substr(0, slash), path.substr(std::min(path.size(), slash + 1))};
}

}  // namespace

std::optional<http::Response> FastFile(const Services& services, const http::Request& request) {
  if (request.method != "GET" && request.method != "HEAD") return std::nullopt;
  const auto file = Split(request.path, "/files/");
  const auto tree = file ? std::nullopt : Split(request.path, "/tree/");
  if (!file && !tree) return std::nullopt;
  const auto asked = file ? services.tables.files().File(file->reader, file->path, request.query)
                          : services.tables.files().Tree(tree->reader, request.query);
  if (!asked.ok()) return std::nullopt;
  const auto encoding = file ? EncodingFor(request) : service::Encoding::kIdentity;
  const auto served = services.tables.Find(*(*asked)->family, (*asked)->query, encoding);
  if (!served || !served->ok()) return std::nullopt;
  return AnswerServed(request, **served, encoding);
}

std::vector<Endpoint> FileRoutes(Services& services) {
  return {
      Heavy({"GET", "/files/{reader}/{path...}",
             [&](const auto& request, const auto& path, const auto&) {
               const auto ask = [&](const auto& query) {
                 return services.tables.files().File(path.Get("reader"), path.Get("path"), query);
               };
               return Serve(services, request, ask(request.query), [&](const auto& before) {
                 auto query = request.query;
                 query.emplace_back("family", before.other);
                 return ask(query);
               });
             }}),
      Heavy({"GET", "/tree/{reader}",
             [&](const auto& request, const auto& path, const auto&) {
               return Serve(services, request,
                            services.tables.files().Tree(path.Get("reader"), request.query), {});
             }}),
  };
}

}  // namespace tunehub::api
