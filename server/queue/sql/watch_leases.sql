-- Records that a server now looks at the leases. During a gap no server ran and no holder could renew its lease. So
-- after a gap, every open lease gets its full length again. Parameters: milliseconds of a gap, and of a lease.
WITH before AS (
  SELECT seen < now() - $1 * interval '1 millisecond' AS silence FROM lease_watch FOR UPDATE
), watched AS (
  UPDATE lease_watch SET seen = now()
)
UPDATE job SET lease_expires = greatest(lease_expires, now() + $2 * interval '1 millisecond')
FROM before WHERE before.silence AND state = 'running'
