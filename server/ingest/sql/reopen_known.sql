-- Rows that an earlier import of the source had, and that are back in this one ($1).
UPDATE measurement m
SET runs = m.runs + int8multirange(int8range($1, NULL))
FROM known k
WHERE m.key = k.key AND m.id = k.id AND NOT upper_inf(m.runs)
RETURNING m.id
