#include "server/tls/ticket_keys.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tunehub::tls {

TicketKeys::TicketKeys(std::function<Clock::time_point()> now) : now_(std::move(now)) {}

TicketKeys::~TicketKeys() {
  for (auto* made : {&current_, &previous_}) {
    if (*made) OPENSSL_cleanse(&(*made)->key, sizeof(TicketKey));
  }
}

TicketKey TicketKeys::Make() {
  TicketKey key;
  for (auto* part : {key.name.data(), key.cipher.data(), key.mac.data()}) {
    const std::size_t size = part == key.name.data() ? key.name.size() : key.cipher.size();
    if (RAND_bytes(part, static_cast<int>(size)) != 1) throw std::runtime_error("no random bytes");
  }
  return key;
}

void TicketKeys::Rotate() {
  const auto now = now_();
  if (current_ && now - current_->at < kLife) return;
  previous_ = std::exchange(current_, Made{Make(), now});
  if (previous_ && now - previous_->at >= 2 * kLife) previous_.reset();
}

TicketKey TicketKeys::Current() {
  const std::lock_guard lock(mutex_);
  Rotate();
  return current_->key;
}

std::optional<TicketKeys::Found> TicketKeys::Find(const unsigned char* name) {
  const std::lock_guard lock(mutex_);
  Rotate();
  const auto is = [name](const std::optional<Made>& made) {
    return made && std::equal(made->key.name.begin(), made->key.name.end(), name);
  };
  if (is(current_)) return Found{current_->key, true};
  if (is(previous_)) return Found{previous_->key, false};
  return std::nullopt;
}

}  // namespace tunehub::tls
