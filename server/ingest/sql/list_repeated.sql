-- Whose rows a run repeats.
SELECT stored_by, count(*) FROM run_row WHERE of_run = $1 AND stored_by <> $1 GROUP BY stored_by ORDER BY 1
