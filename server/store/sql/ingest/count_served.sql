-- Of family $1: its name, and how many keys are served.
SELECT name, (SELECT count(*) FROM tuned WHERE family = $1 AND measurement IS NOT NULL)
FROM family WHERE id = $1
