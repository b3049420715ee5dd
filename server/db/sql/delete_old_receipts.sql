-- Deletes the texts of receipts. Takes those of the next $2 batches that are older than $1 days, up to the first
-- younger batch.
WITH next AS (
  SELECT id, received >= now() - $1 * interval '1 day' AS is_young FROM batch
  WHERE id > (SELECT receipts FROM retention) ORDER BY id LIMIT $2
), old AS (
  SELECT id FROM next WHERE id < coalesce((SELECT min(id) FROM next WHERE is_young), id + 1)
), moved AS (
  UPDATE retention SET receipts = (SELECT max(id) FROM old) WHERE EXISTS (SELECT FROM old)
)
UPDATE batch SET receipt = NULL WHERE id IN (SELECT id FROM old)
