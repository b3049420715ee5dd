-- Deletes those of the first $2 lines that are older than $1 days. Ids grow with time, so this statement needs no
-- index of times.
DELETE FROM audit
WHERE id IN (SELECT id FROM (SELECT id, at FROM audit ORDER BY id LIMIT $2) AS first
             WHERE at < now() - $1 * interval '1 day')
