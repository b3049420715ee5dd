-- Parameters: id, instance, epoch, reason, park at once, tries until a job parks, milliseconds of rest.
UPDATE job SET state = CASE WHEN $5::boolean OR tries + 1 >= $6 THEN 'parked' ELSE 'queued' END,
               tries = tries + 1, lease_expires = NULL,
               rest_until = now() + $7 * interval '1 millisecond',
               reasons = reasons || jsonb_build_object(
                 'at', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                 'agent', agent, 'epoch', epoch, 'reason', $4::text)
WHERE id = $1 AND instance = $2 AND epoch = $3 AND state = 'running'
RETURNING *
