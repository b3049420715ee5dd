-- Renews a lease. After an expiry, the holder gets the job back, unless another agent got it or the holder has
-- another job. Then the expiry does not count as a try. Parameters: id, instance, epoch, lease in milliseconds,
-- progress.
WITH seen AS (
  UPDATE agent SET last_seen = now() WHERE instance = $2
)
UPDATE job SET lease_expires = now() + $4 * interval '1 millisecond',
               progress = coalesce($5::json, progress),
               state = 'running',
               tries = CASE WHEN state = 'running' THEN tries ELSE greatest(tries - 1, 0) END,
               reasons = CASE WHEN state = 'running' THEN reasons ELSE reasons - -1 END
WHERE id = $1 AND instance = $2 AND epoch = $3
  AND (state = 'running'
       OR (state IN ('queued', 'parked') AND reasons -> -1 ->> 'reason' = 'expired'
           AND (reasons -> -1 ->> 'epoch')::integer = epoch
           AND NOT EXISTS (SELECT FROM job AS other
                           WHERE other.instance = $2 AND other.state = 'running')))
RETURNING *
