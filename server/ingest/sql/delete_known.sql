-- Deletes known rows from the stage. Answers the number of these rows, and the number of competing rows among them.
WITH gone AS (
  DELETE FROM stage s USING known k WHERE s.id = k.staged RETURNING s.standing
)
SELECT count(*), count(*) FILTER (WHERE standing < 3) FROM gone
