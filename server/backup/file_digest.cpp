#include "server/backup/file_digest.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <vector>

#include "core/base/hex.h"
#include "core/system/fd.h"
#include "core/system/open_file.h"

namespace tunehub::backup {
namespace {

constexpr std::size_t kDigestPiece = std::size_t{1} << 20;

}  // namespace

core::Result<FileDigest> DigestFile(const std::filesystem::path& path) {
  const core::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));

  if (!file.ok()) return core::Unreadable(path, errno);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  std::vector<char> piece(kDigestPiece);
  FileDigest digest;
  while (true) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return core::Unreadable(path, errno);
    if (got == 0) break;
    EVP_DigestUpdate(context.get(), piece.data(), static_cast<std::size_t>(got));
    digest.bytes += static_cast<std::uint64_t>(got);
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  EVP_DigestFinal_ex(context.get(), hash.data(), &size);
  core::AppendHex(digest.sha256, hash.data(), size);
  return digest;
}

}  // namespace tunehub::backup
