#include "core/base/trim.h"
#include "core/row/cell.h"
#include "server/service/tables/table_bytes.h"

namespace tunehub::service {
namespace {

bool SameToken(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if ((a[i] | 0x20) != (b[i] | 0x20)) return false;
  }
  return true;
}

// "gzip;q=0.5" -> 0.5; no q is 1, a malformed one 0.
double Quality(std::string_view item) {
  const std::size_t semicolon = item.find(';');
  if (semicolon == std::string_view::npos) return 1;
  const std::string_view parameter = core::Trim(item.substr(semicolon + 1));
  if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) return 1;
  return core::ParseNumber(parameter.substr(2)).value_or(0);
}

// How much the header wants this encoding; 0: not at all, which is so of identity where the header
// does not name it: Negotiate falls back to that anyway.
double QualityOf(std::string_view accept, Encoding encoding) {
  double any = 0;
  while (!accept.empty()) {
    const std::size_t comma = accept.find(',');
    const std::string_view item = core::Trim(accept.substr(0, comma));
    accept = comma == std::string_view::npos ? std::string_view() : accept.substr(comma + 1);
    const std::string_view token = core::Trim(item.substr(0, item.find(';')));
    if (SameToken(token, Name(encoding))) return Quality(item);
    if (token == "*") any = Quality(item);
  }
  return encoding == Encoding::kIdentity ? 0 : any;
}

}  // namespace

std::string_view Name(Encoding encoding) {
  switch (encoding) {
    case Encoding::kIdentity:
      return "identity";
    case Encoding::kGzip:
      return "gzip";
    case Encoding::kZstd:
      return "zstd";
  }
  return "identity";
}

bool Accepts(std::string_view accept, Encoding encoding) {
  return QualityOf(accept, encoding) > 0;
}

Encoding Negotiate(std::string_view accept) {
  Encoding best = Encoding::kIdentity;
  double best_quality = 0;
  // In the order of preference at equal quality: zstd unpacks quickest.
  for (const Encoding offer : {Encoding::kZstd, Encoding::kGzip, Encoding::kIdentity}) {
    const double quality = QualityOf(accept, offer);
    if (quality > best_quality) {
      best = offer;
      best_quality = quality;
    }
  }
  return best;
}

}  // namespace tunehub::service
