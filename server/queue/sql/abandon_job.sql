-- The job that an instance holds and that does not fit it any more: its host has another device now,
-- or it serves other families. It goes back without blame.
UPDATE job SET state = 'queued', lease_expires = NULL, claimed = NULL
WHERE state = 'running' AND instance = $1
  AND NOT (gfx = $2 AND cu_num IN (0, $3::integer)
           AND ($4::smallint[] IS NULL OR family = ANY ($4)))
