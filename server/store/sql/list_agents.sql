SELECT a.*, j.id AS job
FROM agent a LEFT JOIN job j ON j.agent = a.name AND j.state = 'running'
WHERE a.name > $1 ORDER BY a.name LIMIT $2
