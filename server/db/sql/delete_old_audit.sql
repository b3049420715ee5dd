-- Of the first $2 lines those of more than $1 days ago. Ids grow with time, so no index of times is needed.
DELETE FROM audit
WHERE id IN (SELECT id FROM (SELECT id, at FROM audit ORDER BY id LIMIT $2) AS first
             WHERE at < now() - $1 * interval '1 day')
