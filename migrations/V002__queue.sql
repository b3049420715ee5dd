-- The queue: what was missed (demand), the work that is handed out (job), and who does it (agent).
-- A job is handed out under a lease that ends by the clock of the database alone. The epoch grows with
-- each hand-out and stands in all that the holder says, so that one that comes back late is told apart.

-- A shape that somebody looked up and did not find tuned, as it was asked for (a raw M), and how often.
CREATE TABLE demand (
  id         uuid PRIMARY KEY,               -- hash of family, target and shape (core/row/key.h)
  family     smallint NOT NULL REFERENCES family,
  cu_num     integer NOT NULL,               -- 0: any
  gfx        text NOT NULL,                  -- '': any
  shape      json NOT NULL,                  -- {"M":"37",...}: canonical texts in the family's order
  count      bigint NOT NULL,
  first_seen timestamptz NOT NULL DEFAULT now(),
  last_seen  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX demand_family ON demand (family, gfx, cu_num);

CREATE TABLE agent (
  name       text PRIMARY KEY,
  gfx        text NOT NULL,
  cu_num     integer NOT NULL,
  host       text NOT NULL DEFAULT '',
  version    text NOT NULL DEFAULT '',
  doing      text NOT NULL DEFAULT '',       -- for people
  first_seen timestamptz NOT NULL DEFAULT now(),
  last_seen  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE job (
  id            bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  family        smallint NOT NULL REFERENCES family,
  state         text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'done', 'parked')),
  gfx           text NOT NULL,
  cu_num        integer NOT NULL,            -- 0: any
  priority      integer NOT NULL,            -- higher first
  weight        bigint NOT NULL,             -- the demand behind it: more first, then age
  campaign      text,
  shapes        json NOT NULL,               -- [{"M":"16",...}]
  epoch         integer NOT NULL DEFAULT 0,
  tries         integer NOT NULL DEFAULT 0,  -- failures and expiries since it was made or retried
  reasons       jsonb NOT NULL DEFAULT '[]', -- of each: at, agent, epoch, reason
  agent         text,                        -- the last one it was handed to
  lease_expires timestamptz,
  rest_until    timestamptz,                 -- not before, for the agent that failed it
  progress      json,                        -- as its holder says
  run           bigint REFERENCES run,
  created       timestamptz NOT NULL DEFAULT now(),
  claimed       timestamptz,
  finished      timestamptz
) WITH (fillfactor = 80);                    -- a heartbeat touches no indexed column
-- In the order of claims.
CREATE INDEX job_queued ON job (gfx, priority DESC, weight DESC, id) WHERE state = 'queued';
-- An agent holds one job at most. Also what expiry looks through.
CREATE UNIQUE INDEX job_running ON job (agent) WHERE state = 'running';
CREATE INDEX job_parked ON job (id) WHERE state = 'parked';
CREATE INDEX job_finished ON job (finished) WHERE state = 'done';

-- The receipts of the queue's writes go after a while, those of the registry's never do.
CREATE INDEX batch_of_queue ON batch (id) WHERE kind IN ('demand', 'jobs');
