-- Deletes the run's repeated rows from the stage. Answers the repeated rows with another line.
WITH gone AS (
  DELETE FROM stage s
  USING measurement m
  WHERE m.key = s.key AND m.run = $1 AND m.candidate = s.candidate
  RETURNING s.id, m.line <> s.line AS differs
)
SELECT id FROM gone WHERE differs ORDER BY id
