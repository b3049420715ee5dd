-- Deletes known rows from the stage; answers their number, and the number of those that compete.
WITH gone AS (
  DELETE FROM stage s USING known k WHERE s.id = k.staged RETURNING s.standing
)
SELECT count(*), count(*) FILTER (WHERE standing < 3) FROM gone
