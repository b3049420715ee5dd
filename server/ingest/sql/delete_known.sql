-- Answers how many staged rows were known, and how many of those compete.
WITH gone AS (
  DELETE FROM stage s USING known k WHERE s.id = k.staged RETURNING s.standing
)
SELECT count(*), count(*) FILTER (WHERE standing < 3) FROM gone
