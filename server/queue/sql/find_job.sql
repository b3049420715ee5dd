SELECT * FROM job WHERE id = $1
