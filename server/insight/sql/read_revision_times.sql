-- When the revisions $1 were made.
SELECT number, created FROM revision WHERE number = ANY ($1::bigint[])
