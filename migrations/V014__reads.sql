-- What reads look for without an index of their own. On large tables both are made beforehand, CONCURRENTLY
-- (docs/operations.md): then nobody waits for these.

-- A row of an old revision is found by its key: keys that hold no row now are in no server's memory. By the
-- standing, which seldom changes: an index over the measurement would cost each update of a row more.
CREATE INDEX IF NOT EXISTS tuned_unserved ON tuned (family) WHERE standing IS NULL;

-- Speed-ups compare with what runs untuned.
CREATE INDEX IF NOT EXISTS measurement_default ON measurement (key, id) WHERE is_default;
