-- Deletes in pieces, so that no lock is held for long.
DELETE FROM job
WHERE id IN (SELECT id FROM job
             WHERE state = 'done' AND finished < now() - $1 * interval '1 millisecond'
             ORDER BY finished LIMIT 1000)
