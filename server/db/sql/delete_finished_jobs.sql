-- Deletes the oldest finished jobs: at most $2, older than $1 days.
DELETE FROM job
WHERE id IN (SELECT id FROM job
             WHERE state = 'done' AND finished < now() - $1 * interval '1 day'
             ORDER BY finished LIMIT $2)
