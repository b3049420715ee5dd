-- Deletes only batches of the queue: batches that changed the registry are kept for ever.
DELETE FROM batch
WHERE id IN (SELECT id FROM batch
             WHERE kind IN ('demand', 'jobs') AND received < now() - $1 * interval '1 millisecond'
             ORDER BY id LIMIT 1000)
