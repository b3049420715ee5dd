-- Like read_tuned, for shape keys that changed after the batch $2, including keys that lost their row. OFFSET 0 makes
-- PostgreSQL look up each measurement separately. (Before the first ANALYZE, a join would read all measurements for a
-- few rows.)
SELECT t.key, t.provider, t.standing, t.baseline, m.line, m.family_version, m.trusted,
       t.change, t.ord, t.gfx, t.cu_num, m.us
FROM tuned t
LEFT JOIN LATERAL (
  SELECT i.line, i.us, i.family_version, r.trusted FROM measurement i JOIN run r ON r.id = i.run
  WHERE i.key = t.key AND i.id = t.measurement OFFSET 0) AS m ON true
WHERE t.family = $1 AND t.change > $2
ORDER BY t.ord, t.provider
