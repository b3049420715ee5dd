-- Each commit is followed by a read of what it changed. An index that knows only what a VACUUM has seen made that a read
-- of all that came since. On large tables the new one is made beforehand, CONCURRENTLY (docs/operations.md).
CREATE INDEX IF NOT EXISTS tuned_by_change ON tuned (change);
DROP INDEX IF EXISTS tuned_change;
