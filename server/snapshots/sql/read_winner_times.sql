-- The times of the newest $3 winners of each shape key ($1) and provider ($2), in the order of the keys. The hub served
-- each of them from the revision `number` until the revision `until` (null: it still does).
SELECT k.place, x.number, x.us, x.until, x.low, x.high
FROM unnest($1::uuid[], $2::smallint[]) WITH ORDINALITY AS k(key, provider, place)
CROSS JOIN LATERAL (
  SELECT f.number, u.number AS until, m.low, m.high, CASE WHEN i.standing = 0 THEN m.us END AS us
  FROM (SELECT measurement, standing, change AS from_change, NULL::bigint AS to_change
        FROM tuned WHERE key = k.key AND provider = k.provider
        UNION ALL
        SELECT measurement, standing, from_change, to_change
        FROM tuned_history WHERE key = k.key AND provider = k.provider) AS i
  JOIN revision f ON f.change = i.from_change
  LEFT JOIN revision u ON u.change = i.to_change
  LEFT JOIN measurement m ON m.key = k.key AND m.id = i.measurement
  ORDER BY f.number DESC LIMIT $3) AS x
ORDER BY k.place, x.number
