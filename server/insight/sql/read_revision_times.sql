-- The times of the revisions $1.
SELECT number, created FROM revision WHERE number = ANY ($1::bigint[])
