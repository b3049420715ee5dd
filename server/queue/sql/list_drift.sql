-- The days with ratios of the last $1 days, of at most $2 devices: those with the latest days.
WITH recent AS (
  SELECT * FROM drift WHERE keys > 0 AND day > (now() AT TIME ZONE 'UTC')::date - $1::integer
), shown AS (
  SELECT device FROM recent GROUP BY device ORDER BY max(day) DESC, device LIMIT $2
)
SELECT device, since, day, exp(log_ratios / keys) AS ratio, keys
FROM recent
WHERE device IN (SELECT device FROM shown)
ORDER BY device, day
