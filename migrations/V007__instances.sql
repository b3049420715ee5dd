-- A lease is held by an instance: one agent with its state folder. Its name is for people, and two
-- agents may have the same. An agent that sends no instance is held by its name.
ALTER TABLE job ADD COLUMN instance text;  -- of the last one it was handed to
UPDATE job SET instance = agent WHERE agent IS NOT NULL;
DROP INDEX job_running;
-- An instance holds one job at most. Also what expiry looks through.
CREATE UNIQUE INDEX job_running ON job (instance) WHERE state = 'running';

ALTER TABLE agent ADD COLUMN instance text;
UPDATE agent SET instance = name;
ALTER TABLE agent DROP CONSTRAINT agent_pkey, ADD PRIMARY KEY (instance);
CREATE INDEX agent_name ON agent (name, instance);

-- When a server last looked after the leases. A longer silence was an outage, of the database or of
-- all servers, in which nobody could renew one.
CREATE TABLE lease_watch (
  one  boolean PRIMARY KEY DEFAULT true CHECK (one),  -- there is one row
  seen timestamptz NOT NULL
);
INSERT INTO lease_watch (seen) VALUES ('-infinity');
