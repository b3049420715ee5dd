-- Deletes at most $2 days of drift older than $1 days, and the first times of devices without a later day.
WITH old AS (
  DELETE FROM drift
  WHERE (device, day) IN (SELECT device, day FROM drift
                          WHERE day < (now() AT TIME ZONE 'UTC')::date - $1::integer ORDER BY day LIMIT $2)
  RETURNING device
)
DELETE FROM drift_first
WHERE device IN (SELECT device FROM old
                 EXCEPT SELECT device FROM drift WHERE day >= (now() AT TIME ZONE 'UTC')::date - $1::integer)
