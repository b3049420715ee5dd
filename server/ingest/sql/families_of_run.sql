-- The families of the run's rows, including rows that an import repeats.
SELECT DISTINCT t.family FROM run_row m JOIN tuned t USING (key, provider) WHERE m.of_run = $1
