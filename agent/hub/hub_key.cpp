#include "agent/hub/hub_key.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "agent/hub/lock_file.h"
#include "core/base/file.h"
#include "core/base/read_json.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

constexpr std::size_t kMostKeys = 1'000;  // the agent checks a signature for each key

core::Result<core::PublicKey> GivenKey(const std::string& given) {
  auto key = core::ParsePublicKey(given);
  if (key.ok()) return key;
  const auto bytes = core::FileBytes::Read(given);
  if (!bytes.ok()) {
    return core::Error{"bad_public_key",
                       fmt::format("--trust '{}': expected a key or a key file ({})",
                                   core::Excerpt(given), key.error().detail)};
  }
  if (bytes->view().starts_with('{')) {
    const auto lock = LockFile::Load(given);
    if (!lock.ok()) return lock.error();
    key = core::ParsePublicKey(lock->key);
  } else {
    key = core::ParsePublicKey(bytes->view());
  }
  return key.ok() ? key : key.error().In(given);
}

// Returns the pin in an AnswerStatement.
core::Pin PinIn(std::string_view statement) {
  constexpr std::string_view kName = " pin=";
  const std::size_t at = statement.find(kName);
  if (at == std::string_view::npos) return {};
  statement.remove_prefix(at + kName.size());
  return core::ParsePin(statement.substr(0, statement.find(' '))).value_or(core::Pin());
}

}  // namespace

core::Result<HubKey> HubKey::Of(const std::string& given, const std::string& known,
                                BodyOf body_of) {
  HubKey key;
  key.body_of_ = std::move(body_of);
  if (given.empty() && known.empty()) return key;
  auto found = given.empty() ? core::ParsePublicKey(known) : GivenKey(given);
  if (!found.ok()) return found.error();
  key.key_ = *std::move(found);
  return key;
}

core::Result<core::Pin> HubKey::Check(const std::string& signature, std::string_view bytes,
                                      const std::string& asked,
                                      const std::optional<core::Pin>& pin) {
  if (!key_ && (signature.empty() || !body_of_)) return core::Pin();
  if (signature.empty()) {
    return core::Error{"unsigned",
                       fmt::format("the answer has no signature, but this host trusts the key {}. "
                                   "The answer comes from an older hub, or from another hub",
                                   key_->Text())};
  }
  const auto made = core::ParseSignature(signature);
  if (!made.ok()) return made.error();
  auto key = key_ && key_->id == made->key_id ? core::Result<core::PublicKey>(*key_)
                                              : Follow(made->key_id);
  if (!key.ok()) return key.error();
  core::Pin named = pin ? *pin : PinIn(made->comment);
  const std::string statement =
      asked.empty() ? made->comment : core::AnswerStatement(named, asked, bytes);
  const core::Status status = core::CheckSignature(*key, *made, bytes, statement);
  if (!status.ok()) return status.error();
  key_ = *std::move(key);
  return named;
}

namespace {

// True if `rotation` is the old key's signature of the next key.
bool Signs(const core::PublicKey& old, const core::PublicKey& next, const std::string& rotation) {
  const auto word = core::ParseSignature(rotation);
  return word.ok() &&
         core::CheckSignature(old, *word, next.Text(), core::RotationStatement(next)).ok();
}

core::Error OtherKey(const std::string& why) {
  return {"other_key",
          fmt::format("{}. If the hub's owner confirms the other key, pass --trust KEY", why)};
}

}  // namespace

core::Result<core::PublicKey> HubKey::Follow(const std::string& id) const {
  if (!body_of_) return OtherKey("the answer is signed with a key that this host does not trust");
  const auto body = body_of_("/signing-keys");
  if (!body.ok()) return body.error();
  std::optional<core::PublicKey> at;  // the last key that rotations reach from the trusted key
  try {
    const auto keys = core::SureJson(*body).at("keys");
    for (std::size_t i = 0; i < keys.size() && i < kMostKeys; ++i) {
      const auto key = core::ParsePublicKey(keys[i].at("public_key").get<std::string>());
      if (!key.ok()) return key.error().In("/signing-keys");
      if (key_ && at) {
        if (!Signs(*at, *key, keys[i].value("rotation", ""))) {
          return OtherKey(
              fmt::format("the hub's next key is {}, but the key {} did not sign that key",
                          key->Text(), at->Text()));
        }
      }
      if (!key_ || at || *key == *key_) at = *key;
      if (at && at->id == id) return *at;
    }
  } catch (const nlohmann::json::exception& error) {
    return core::Error{"bad_answer", fmt::format("/signing-keys: {}", error.what())};
  }
  return OtherKey(key_ ? fmt::format("the hub's list of keys has no chain from the trusted key {} "
                                     "to the key of this answer",
                                     key_->Text())
                       : "the hub does not list the key that signed this answer");
}

core::Status CheckNotOlder(const core::Pin& pin, const core::Pin& newest, bool allow_older) {
  const bool newer = pin.number > newest.number || pin == newest;
  if (allow_older || newer || !pin.has_token() || !newest.has_token()) return core::Ok();
  return core::Error{
      "older_revision",
      fmt::format(
          "the hub's newest revision is {}, but this host has seen {}. The hub was restored, or "
          "hides newer revisions. To accept the older revision, pass --allow-older",
          pin.Text(), newest.Text())};
}

core::Result<ChannelPin> FollowChannel(HubKey& key, const std::string& channel,
                                       const BodyOf& body_of) {
  const std::string path = "/channels/" + channel;
  const auto body = body_of(path);
  if (!body.ok()) return body.error();
  const auto json = core::ReadJson(*body);
  const auto text = [&](const char* name) {
    const bool is_text = json.is_object() && json.contains(name) && json[name].is_string();
    return is_text ? json[name].get<std::string>() : "";
  };
  const std::string statement = text("statement"), signature = text("signature");
  auto pin = key.Check(signature, statement, core::AskedText(path, {}));
  if (!pin.ok()) return pin.error();
  // NAME SEQUENCE PIN TIME
  const auto words =
      core::SplitAt(std::string_view(statement).substr(0, statement.find('\n')), " ");
  const auto sequence = core::NumberFrom<std::int64_t>(words.size() == 4 ? words[1] : "");
  if (!signature.empty() && sequence && words[0] == channel && words[2] == pin->Text())
    return ChannelPin{*std::move(pin), *sequence};
  return core::Error{"bad_answer",
                     fmt::format("{}: '{}': expected a signed statement of this channel", path,
                                 core::Excerpt(statement))};
}

}  // namespace tunehub::agent
