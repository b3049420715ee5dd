-- The newest $2 rows that the hub served for the shape key $1, the oldest first.
SELECT * FROM (
SELECT x.provider, x.measurement, f.number, coalesce(u.number, 0) AS until
FROM (SELECT provider, measurement, change AS from_change, NULL::bigint AS to_change
      FROM tuned WHERE key = $1 AND measurement IS NOT NULL
      UNION ALL
      SELECT provider, measurement, from_change, to_change FROM tuned_history WHERE key = $1) AS x
JOIN revision f ON f.change = x.from_change
LEFT JOIN revision u ON u.change = x.to_change
ORDER BY f.number DESC LIMIT $2
) AS newest ORDER BY number
