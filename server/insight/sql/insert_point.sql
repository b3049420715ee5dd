-- Inserts the point of revision $1 with token $2 and basis $3. A day's last revision is known only when the day ends,
-- up to 24 hours later. So filled_in is true for a point that a server makes after more than 25 hours.
INSERT INTO point (revision, basis, filled_in)
SELECT number, $3, created < now() - interval '25 hours' FROM revision WHERE number = $1 AND token = $2::uuid
ON CONFLICT DO NOTHING
RETURNING id
