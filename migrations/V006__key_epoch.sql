-- Grows with every change of a key that matters to a server, in the change's own transaction, so that
-- a server needs to read one number to know whether its keys are those of now. By a trigger, so that
-- a change by hand is seen, too.
CREATE TABLE key_epoch (
  one   boolean PRIMARY KEY DEFAULT true CHECK (one),  -- there is one row
  epoch bigint NOT NULL
);
INSERT INTO key_epoch (epoch) VALUES (0);

CREATE FUNCTION bump_key_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE key_epoch SET epoch = epoch + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER api_key_epoch
  AFTER INSERT OR DELETE OR TRUNCATE OR UPDATE OF sha256, scope, expires, revoked ON api_key
  FOR EACH STATEMENT EXECUTE FUNCTION bump_key_epoch();
