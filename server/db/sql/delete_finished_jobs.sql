-- The oldest finished jobs, at most $2, of more than $1 days ago.
DELETE FROM job
WHERE id IN (SELECT id FROM job
             WHERE state = 'done' AND finished < now() - $1 * interval '1 day'
             ORDER BY finished LIMIT $2)
