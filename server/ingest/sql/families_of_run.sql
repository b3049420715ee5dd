-- The families of which the run has rows, also rows that an import repeats.
SELECT DISTINCT t.family FROM run_row m JOIN tuned t USING (key, provider) WHERE m.of_run = $1
