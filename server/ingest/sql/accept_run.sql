-- The rows of the run $1 need no confirmation any more. Touches the shape keys of its rows that waited, and answers their
-- number.
WITH accepted AS (
  UPDATE run SET confirmed = true WHERE id = $1
), freed AS (
  SELECT c.key, c.provider
  FROM candidate c
  JOIN measurement m ON m.key = c.key AND m.id = c.unconfirmed
  WHERE c.unconfirmed IS NOT NULL AND CASE WHEN m.source IS NULL THEN m.run = $1 ELSE m.runs @> $1::bigint END
), marked AS (
  INSERT INTO touched (key, provider) SELECT DISTINCT key, provider FROM freed ON CONFLICT DO NOTHING
)
SELECT count(*) FROM freed
