-- Runs and sources belong to an owner, and a key acts for one. What came before belongs to the owner of
-- the keys of then, so that they go on as they did.
ALTER TABLE api_key
  ADD COLUMN owner  text NOT NULL DEFAULT 'default',
  -- What it may write to: {"families":[...],"targets":["gfx942:304","gfx950"],"sources":[...]}; a member
  -- that is absent limits nothing.
  ADD COLUMN limits jsonb NOT NULL DEFAULT '{}';
ALTER TABLE run    ADD COLUMN owner text NOT NULL DEFAULT 'default';
ALTER TABLE source ADD COLUMN owner text NOT NULL DEFAULT 'default';

-- An idempotency key is its owner's. Null: stored by a server that took it for its API key's.
ALTER TABLE batch ADD COLUMN owner text;
CREATE UNIQUE INDEX batch_of_owner ON batch (owner, idempotency_key) WHERE idempotency_key IS NOT NULL;

DROP TRIGGER api_key_epoch ON api_key;
CREATE TRIGGER api_key_epoch
  AFTER INSERT OR DELETE OR TRUNCATE
     OR UPDATE OF sha256, scope, expires, revoked, owner, limits ON api_key
  FOR EACH STATEMENT EXECUTE FUNCTION bump_key_epoch();

-- Every write, in its own transaction. Ids grow, yet a later one may be seen before an earlier one.
ALTER TABLE audit
  ADD COLUMN id      bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  ADD COLUMN owner   text,                   -- null: a server's own command, or a server of before
  ADD COLUMN request text;                   -- X-Request-Id
