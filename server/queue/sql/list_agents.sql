-- The agents after those named $1. With an instance $2, those after this instance.
SELECT a.*, j.id AS job
FROM agent a LEFT JOIN job j ON j.instance = a.instance AND j.state = 'running'
WHERE a.name >= $1 AND (a.name > $1 OR ($2 <> '' AND a.instance > $2))
ORDER BY a.name, a.instance LIMIT $3
