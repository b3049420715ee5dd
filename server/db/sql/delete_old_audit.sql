-- Of the first $2 lines, deletes those older than $1 days. Ids grow with time, so this needs no
-- index of times.
DELETE FROM audit
WHERE id IN (SELECT id FROM (SELECT id, at FROM audit ORDER BY id LIMIT $2) AS first
             WHERE at < now() - $1 * interval '1 day')
