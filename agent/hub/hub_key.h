// The key whose signatures a command believes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/pin.h"
#include "core/base/result.h"
#include "core/base/signature.h"

namespace tunehub::agent {

// The body of the hub's answer to GET `path`.
using BodyOf = std::function<core::Result<std::string>(const std::string& path)>;

class HubKey {
 public:
  // `given`: --trust, which is a key's text, minisign's file of it, or a lock file. Else `known`,
  // from a lock or an install. Both "": the first signature brings the key, which the hub lists.
  // `body_of` empty: there is no hub. Errors: bad_public_key, those of LockFile::Load.
  static core::Result<HubKey> Of(const std::string& given, const std::string& known,
                                 BodyOf body_of);

  // `signature`: a .minisig; "": none. `asked`: from core::AskedText; "": any request. Returns the
  // pin that the signature names. If `pin` is given, the signature must name that one. Without a
  // known key, and without a signature or a hub that lists its key, the returned pin has no token.
  // Errors: unsigned (although a key is known), other_key (no rotations lead from the known key to
  // the signature's), bad_signature, other_statement, those of `body_of`.
  core::Result<core::Pin> Check(const std::string& signature, std::string_view bytes,
                                const std::string& asked, const std::optional<core::Pin>& pin = {});

  // The text of the key that is believed now; "": none yet.
  std::string Text() const { return key_ ? key_->Text() : ""; }

 private:
  core::Result<core::PublicKey> Follow(const std::string& id) const;

  std::optional<core::PublicKey> key_;
  BodyOf body_of_;
};

// Error older_revision: a hub that was rolled back, or that hides what is newer. `newest`: seen
// before.
core::Status CheckNotOlder(const core::Pin& pin, const core::Pin& newest, bool allow_older);

struct ChannelPin {
  core::Pin pin;
  std::int64_t sequence = 0;  // of the statement, from 1
};

// Where the channel is, by the hub's signed word. Errors: those of HubKey::Check, bad_answer.
core::Result<ChannelPin> FollowChannel(HubKey& key, const std::string& channel,
                                       const BodyOf& body_of);

}  // namespace tunehub::agent
