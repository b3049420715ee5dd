-- A number comes again for something else where a database is restored, or fails over without its last
-- commits, and goes on. What was drawn at random with the number does not. By defaults and triggers, so
-- that a server of the version before draws them, too.
ALTER TABLE revision ADD COLUMN token uuid NOT NULL DEFAULT gen_random_uuid();
ALTER TABLE registry
  ADD COLUMN origin uuid NOT NULL DEFAULT gen_random_uuid(),  -- the token of revision 0
  ADD COLUMN stamp  uuid NOT NULL DEFAULT gen_random_uuid();  -- of the write that evidence counted last

-- Null where there is no such revision.
CREATE FUNCTION token_of(asked bigint) RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN asked = 0 THEN (SELECT origin FROM registry)
              ELSE (SELECT token FROM revision WHERE number = asked) END
$$;

CREATE FUNCTION stamp_write() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.stamp := gen_random_uuid();
  RETURN NEW;
END $$;
CREATE TRIGGER registry_stamp BEFORE UPDATE OF evidence ON registry
  FOR EACH ROW EXECUTE FUNCTION stamp_write();

ALTER TABLE key_epoch ADD COLUMN stamp uuid NOT NULL DEFAULT gen_random_uuid();
CREATE OR REPLACE FUNCTION bump_key_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE key_epoch SET epoch = epoch + 1, stamp = gen_random_uuid();
  RETURN NULL;
END $$;
