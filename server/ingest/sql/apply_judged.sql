-- Updates the standings and reasons of measurements, and the sort keys of their shape keys. Touches the shape keys.
UPDATE measurement m SET standing = j.standing, reason = nullif(j.reason, '')
FROM judged j WHERE m.key = j.key AND m.id = j.id;
UPDATE tuned t SET ord = r.ord, relative = r.relative
FROM reordered r
WHERE t.key = r.key AND (t.ord, t.relative) IS DISTINCT FROM (r.ord, r.relative);
INSERT INTO touched (key, provider)
SELECT DISTINCT t.key, t.provider FROM judged j JOIN tuned t ON t.key = j.key
ON CONFLICT DO NOTHING
