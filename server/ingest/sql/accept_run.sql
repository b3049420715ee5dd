-- Accepts the run $1: its rows no longer need a confirmation. Touches the shape keys of rows that were unconfirmed.
-- Answers the number of these rows.
WITH accepted AS (
  UPDATE run SET confirmed = true WHERE id = $1 RETURNING hash
), freed AS (
  SELECT c.key, c.provider FROM candidate c JOIN accepted a ON a.hash = c.run WHERE c.standing = 9
), marked AS (
  INSERT INTO touched (key, provider) SELECT DISTINCT key, provider FROM freed ON CONFLICT DO NOTHING
)
SELECT count(*) FROM freed
