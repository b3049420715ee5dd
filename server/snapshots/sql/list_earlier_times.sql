-- For each shape key whose measured row was replaced in the last $1 days, returns the time of the first replaced row.
-- The caller decides if the key is slower now.
SELECT family, key, us FROM (
  SELECT DISTINCT ON (h.key, h.provider) h.family, h.provider, h.key, h.measurement
  FROM tuned_history h
  WHERE h.standing = 0
    AND h.to_change > (SELECT coalesce(max(change), 0) FROM revision WHERE created <= now() - $1 * interval '1 day')
  ORDER BY h.key, h.provider, h.to_change
) AS first
JOIN LATERAL (SELECT us FROM measurement WHERE key = first.key AND id = first.measurement OFFSET 0) AS m ON true
WHERE us IS NOT NULL
