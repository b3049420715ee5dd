-- The drift of each of the last 90 days that has ratios. At most 100 devices: those with the most recent days.
WITH recent AS (
  SELECT * FROM drift WHERE keys > 0 AND day > (now() AT TIME ZONE 'UTC')::date - 90
)
SELECT device, since, day, exp(log_ratios / keys) AS ratio, keys
FROM recent
WHERE device IN (SELECT device FROM recent GROUP BY device ORDER BY max(day) DESC, device LIMIT 100)
ORDER BY device, day
