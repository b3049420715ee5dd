-- The times and tokens of the revisions $1.
SELECT number, created, token FROM revision WHERE number = ANY ($1::bigint[])
