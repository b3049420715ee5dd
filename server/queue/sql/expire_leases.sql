-- Like fail_job, for leases that have expired by the database's clock. Several servers may run it at the same time.
-- Expires nothing directly after a gap (watch_leases.sql), because no holder could renew its lease during the gap.
-- Parameters: tries until a job parks, length of a gap in milliseconds.
UPDATE job SET state = CASE WHEN tries + 1 >= $1 THEN 'parked' ELSE 'queued' END,
               tries = tries + 1, lease_expires = NULL,
               reasons = reasons || jsonb_build_object(
                 'at', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                 'agent', agent, 'epoch', epoch, 'reason', 'expired')
WHERE id IN (SELECT id FROM job WHERE state = 'running' AND lease_expires <= now()
             ORDER BY id FOR UPDATE SKIP LOCKED)
  AND EXISTS (SELECT FROM lease_watch WHERE seen >= now() - $2 * interval '1 millisecond')
