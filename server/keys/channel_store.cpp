#include "server/keys/channel_store.h"

#include <fmt/core.h>

#include "core/base/text.h"
#include "server/db/transaction.h"
#include "server/db/write_once.h"
#include "sql.h"

namespace tunehub::server {

std::vector<ChannelStatement> ListChannel(ConnectionPool& pool, const std::string& channel,
                                          std::int64_t limit) {
  return core::Mapped(Query(pool, sql::list_channel, channel, limit), [](const pqxx::row& row) {
    return ChannelStatement{row[0].as<std::int64_t>(), ReadPin(row[1], row[2]), ReadTime(row[3]),
                            row[4].as<std::string>()};
  });
}

bool MoveChannel(ConnectionPool& pool, const std::string& channel,
                 const std::optional<core::Pin>& pin, const Writer& by) {
  return InTransaction(pool, [&](pqxx::work& transaction) {
    transaction.exec_params(sql::lock_channel, channel);
    const auto made =
        pin ? transaction.exec_params(sql::promote_channel, channel, pin->number, by.owner)
            : transaction.exec_params(sql::roll_channel_back, channel, by.owner);
    if (made.empty()) return false;
    Audit(transaction, by, pin ? "channel promote" : "channel rollback",
          fmt::format("{}: statement {}{}", channel, made[0][0].as<std::int64_t>(),
                      pin ? ", revision " + pin->Text() : ""));
    return true;
  });
}

}  // namespace tunehub::server
