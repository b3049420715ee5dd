-- Queues the job of an instance again if the job no longer fits: the host now has another device, or the agent tunes
-- other families. This does not count as a try.
UPDATE job SET state = 'queued', lease_expires = NULL, claimed = NULL
WHERE state = 'running' AND instance = $1
  AND NOT (gfx = $2 AND cu_num IN (0, $3::integer)
           AND ($4::smallint[] IS NULL OR family = ANY ($4)))
