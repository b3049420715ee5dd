-- The tuned rows of a family, in the order of the CSV.
SELECT t.key, t.provider, t.standing, t.baseline, m.line, m.family_version, r.trusted,
       t.change, t.ord, t.gfx, t.cu_num, m.us
FROM tuned t
JOIN measurement m ON m.key = t.key AND m.id = t.measurement
JOIN run r ON r.id = m.run
WHERE t.family = $1
ORDER BY t.ord, t.provider
