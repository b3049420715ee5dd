-- Deletes known rows from the stage. Answers their number, and the number of competing ones.
WITH gone AS (
  DELETE FROM stage s USING known k WHERE s.id = k.staged RETURNING s.standing
)
SELECT count(*), count(*) FILTER (WHERE standing < 3) FROM gone
