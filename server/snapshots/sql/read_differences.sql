-- Shape keys of a family whose row changed after revision $2. Each has its last change, the row at revision $2 and the
-- current row.
SELECT t.key, t.provider, t.gfx, t.cu_num, r.number, r.kind, r.cause, b.run,
       was.standing, was.baseline, old.line, old.us, old.family_version, old.run AS old_run, old.trusted,
       t.standing AS new_standing, t.baseline AS new_baseline, new.line AS new_line,
       new.us AS new_us, new.family_version AS new_version, new.run AS new_run, new.trusted AS new_trusted
FROM tuned t
JOIN revision r ON r.change = t.change AND r.number > $2
LEFT JOIN batch b ON b.id = t.change
LEFT JOIN LATERAL (
  SELECT h.measurement, h.standing, h.baseline
  FROM tuned_history h
  JOIN revision f ON f.change = h.from_change AND f.number <= $2
  JOIN revision u ON u.change = h.to_change AND u.number > $2
  WHERE h.key = t.key AND h.provider = t.provider) AS was ON true
LEFT JOIN LATERAL (
  SELECT m.line, m.us, m.family_version, m.run, r.trusted FROM measurement m JOIN run r ON r.id = m.run
  WHERE m.key = t.key AND m.id = was.measurement OFFSET 0) AS old ON true
LEFT JOIN LATERAL (
  SELECT m.line, m.us, m.family_version, m.run, r.trusted FROM measurement m JOIN run r ON r.id = m.run
  WHERE m.key = t.key AND m.id = t.measurement OFFSET 0) AS new ON true
WHERE t.family = $1 AND t.change >= (SELECT min(change) FROM revision WHERE number > $2)
  AND coalesce(was.measurement, t.measurement) IS NOT NULL
ORDER BY t.ord, t.provider
