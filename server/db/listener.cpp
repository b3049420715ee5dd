#include "server/db/listener.h"

#include "server/db/failures.h"
#include "server/db/transaction.h"

namespace tunehub::server {

bool Listener::AwaitChange(int timeout_ms) {
  const bool heard = Hear(timeout_ms);
  // Uses a connection of the pool, because the listening connection could wait for an answer
  // without end.
  const auto asked = Query(pool_, "SELECT current_setting('transaction_read_only')");
  read_only_ = asked[0][0].as<std::string>() == "on";
  return heard;
}

bool Listener::Hear(int timeout_ms) {
  try {
    const auto now = std::chrono::steady_clock::now();
    if (connection_ == nullptr || now - opened_ >= pool_.max_age() || pool_.IsOld(*connection_)) {
      receiver_.reset();
      opened_ = now;
      connection_ = pool_.Open();
      const WatchedSocket::Use use(*connection_->socket());
      receiver_ = std::make_unique<Receiver>(*connection_);
      return true;  // a commit before LISTEN sent no notification
    }
    const WatchedSocket::Use use(*connection_->socket());
    connection_->await_notification(timeout_ms / 1000, (timeout_ms % 1000) * 1000);
    const bool heard = receiver_->count > 0;
    receiver_->count = 0;
    return heard;
  } catch (const std::exception& error) {
    receiver_.reset();
    connection_.reset();
    throw Unavailable(std::string("the database connection broke: ") + error.what());
  }
}

}  // namespace tunehub::server
