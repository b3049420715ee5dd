-- The point of revision $1 with token $2, by basis $3. A day's last revision is known when the day ends, up to 24 hours
-- later. So a point that is made 25 hours later or more was filled in.
INSERT INTO point (revision, basis, filled_in)
SELECT number, $3, created < now() - interval '25 hours' FROM revision WHERE number = $1 AND token = $2::uuid
ON CONFLICT DO NOTHING
RETURNING id
