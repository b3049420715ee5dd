-- Shape keys of a family whose served row differs between revision $2 and revision $3. Each has the last revision that
-- changed it, up to the later one of the two, and its row at both.
WITH span AS (  -- rows that another row replaced after the earlier revision, or that are new since then
  SELECT x.key, x.provider, x.measurement, x.standing, x.baseline, f.number AS first, u.number AS gone
  FROM (SELECT key, provider, measurement, standing, baseline, change AS from_change, NULL::bigint AS to_change
        FROM tuned WHERE family = $1 AND measurement IS NOT NULL
          AND change >= (SELECT min(change) FROM revision WHERE number > least($2::bigint, $3::bigint))
        UNION ALL
        SELECT key, provider, measurement, standing, baseline, from_change, to_change
        FROM tuned_history WHERE family = $1
          AND to_change >= (SELECT min(change) FROM revision WHERE number > least($2::bigint, $3::bigint))) AS x
  JOIN revision f ON f.change = x.from_change
  LEFT JOIN revision u ON u.change = x.to_change
)
SELECT t.key, t.provider, t.gfx, t.cu_num, r.number, r.kind, r.cause, b.run,
       was.standing, was.baseline, old.line, old.us, old.family_version, old.run AS old_run, old.trusted,
       later.standing AS new_standing, later.baseline AS new_baseline, new.line AS new_line,
       new.us AS new_us, new.family_version AS new_version, new.run AS new_run, new.trusted AS new_trusted
FROM (SELECT * FROM span WHERE first <= $2 AND (gone IS NULL OR gone > $2)) AS was
FULL JOIN (SELECT * FROM span WHERE first <= $3 AND (gone IS NULL OR gone > $3)) AS later USING (key, provider)
JOIN tuned t USING (key, provider)
JOIN revision r ON r.number = coalesce(
  CASE WHEN $2 <= $3 THEN later.first ELSE was.first END,
  (SELECT max(u.number) FROM tuned_history h JOIN revision u ON u.change = h.to_change
   WHERE h.key = t.key AND h.provider = t.provider AND u.number <= greatest($2::bigint, $3::bigint)))
LEFT JOIN batch b ON b.id = r.change
LEFT JOIN LATERAL (
  SELECT m.line, m.us, m.family_version, m.run, r.trusted FROM measurement m JOIN run r ON r.id = m.run
  WHERE m.key = t.key AND m.id = was.measurement OFFSET 0) AS old ON true
LEFT JOIN LATERAL (
  SELECT m.line, m.us, m.family_version, m.run, r.trusted FROM measurement m JOIN run r ON r.id = m.run
  WHERE m.key = t.key AND m.id = later.measurement OFFSET 0) AS new ON true
WHERE (was.measurement, was.standing, was.baseline)
      IS DISTINCT FROM (later.measurement, later.standing, later.baseline)
ORDER BY t.ord, t.provider
