-- One row with the API key's counts of the day. The counts are 0 without a write.
SELECT coalesce(rows, 0) AS rows, coalesce(demand, 0) AS demand, coalesce(bytes, 0) AS bytes,
       coalesce(keys, 0) AS keys, to_char(today.day + 1, 'YYYY-MM-DD"T00:00:00Z"') AS ends
FROM (SELECT (now() AT TIME ZONE 'UTC')::date AS day) AS today
LEFT JOIN usage u ON u.day = today.day AND u.api_key = $1
