-- After its lease has expired, the holder may complete the job until another agent gets it. Then the expiry does not
-- count as a try.
UPDATE job SET state = 'done', finished = now(), lease_expires = NULL, run = $4,
               tries = CASE WHEN state = 'running' THEN tries ELSE greatest(tries - 1, 0) END,
               reasons = CASE WHEN reasons -> -1 ->> 'reason' = 'expired'
                               AND (reasons -> -1 ->> 'epoch')::integer = epoch
                              THEN reasons - -1 ELSE reasons END
WHERE id = $1 AND instance = $2 AND epoch = $3 AND state <> 'done'
RETURNING *
